"""The primitives of `library.Primitives` in operations of TensorFlow."""

from types import SimpleNamespace
from typing import Any

from ....library import Primitives
from . import ctc, elementwise, linalg, random, reduction, shape, sparse, spatial

_TOPICS = (elementwise, reduction, shape, linalg, spatial, random, sparse, ctc)
_NAMES = [name for name in vars(Primitives) if not name.startswith('_')]

F: Any = SimpleNamespace(**{name: vars(topic)[name] for topic in _TOPICS for name in _NAMES if name in vars(topic)})
