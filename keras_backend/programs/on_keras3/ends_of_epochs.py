"""`on_epoch_end` of a `keras.utils.Sequence` is called at the end of each epoch, and then alone.

Keras 3 calls it before the first epoch, too. A sequence that shuffles or counts there would be one call ahead of what
it was in tf.keras.
"""

import functools
import sys
from typing import Any, Callable

from .classes_of_programs import prepare_classes

# The method of Keras in which an epoch begins.
_BEGINS = 'reset'


def ends_of_epochs(keras: Any) -> str:
    """Let `on_epoch_end` of the sequences of a program be called after epochs only."""
    prepare_classes(keras.utils.Sequence, _prepare)
    return 'Sequence.on_epoch_end'


def _prepare(made: Any) -> None:
    if 'on_epoch_end' in vars(made):
        made.on_epoch_end = after_epochs(made.on_epoch_end)


def after_epochs(original: Callable[..., Any]) -> Callable[..., Any]:
    """A method that does nothing where Keras calls it at the beginning of an epoch."""

    @functools.wraps(original)
    def on_epoch_end(self: Any, *args: Any, **kwargs: Any) -> Any:
        # Keras calls through its adapter of data.
        adapter = sys._getframe(1)
        caller = adapter.f_back
        if caller is not None and caller.f_code.co_name == _BEGINS and _is_of_keras(adapter) and _is_of_keras(caller):
            return None
        return original(self, *args, **kwargs)

    return on_epoch_end


def _is_of_keras(frame: Any) -> bool:
    return str(frame.f_globals.get('__name__', '')).startswith('keras.')
