"""The TensorFlow engine: K on the graphs, tensors and variables of TensorFlow itself, so `tf.*` mixes with K freely.

TensorFlow is switched to graphs for the whole process when this is imported; inside of a function that `K.eager`
decorates it computes at once.
"""

from ...binding import bind
from .engine import engine
from .misuse import explain

explain()
bind(engine, globals())
