"""The TensorFlow engine: K on the graphs, tensors and variables of TensorFlow itself, so `tf.*` mixes with K freely.

TensorFlow is switched to graphs for the whole process when this is imported; inside of a function that `K.eager`
decorates it computes at once.
"""

from ...binding import bind
from . import _loop, control, conv, ctc, elementwise, linalg, nn, random, reduction, shape, state, tensors, values
from .engine import engine, take

take((shape, linalg, reduction, elementwise, nn, conv, random, ctc, values, control, _loop, state, tensors))
bind(engine, globals())
