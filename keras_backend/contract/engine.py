"""What the stubs of the contract call."""

from typing import Any

# An engine in the copies of the stubs that users get (see `keras_backend.binding`). `engine.pyi` says which methods.
K: Any = None
