"""A cure for the removals of protobuf 7: graphs and other messages that are written as text."""

from types import ModuleType
from typing import Any

from ..cures import around
from .giving import joined, wrap


def format_of_floats(text_format: ModuleType) -> str:
    """Take `float_format` when a message is written as text.

    protobuf 7 has no such argument. TensorFlow before 2.21 passes an empty one in `tf.train.write_graph`. The format
    is not used: each float is written with as many digits as it needs to be read back unchanged.
    """
    names = 'MessageToString', 'MessageToBytes', 'PrintMessage'
    return joined(*[wrap(text_format, name, _without_format) for name in names if not _takes_format(text_format)])


def _takes_format(text_format: ModuleType) -> bool:
    return 'float_format' in text_format.MessageToString.__code__.co_varnames


@around
def _without_format(write: Any, *args: Any, float_format: Any = None, double_format: Any = None, **kwargs: Any) -> Any:
    return write(*args, **kwargs)
