"""The name `K`, whose functions the stubs of the contract call."""

from typing import Any

# In the copies of the stubs that users get, `K` is an engine (see `keras_backend.binding`). `engine.pyi` says which
# methods it has.
K: Any = None
