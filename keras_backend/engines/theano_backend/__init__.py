"""The Theano engine: K on the variables of Theano itself, so that `theano.tensor` mixes with K freely."""

from ...binding import bind
from . import _loop, control, conv, ctc, elementwise, linalg, nn, random, reduction, shape, state, tensors, values
from ._library import NAME, VERSION
from ._variables import building
from .engine import engine, take

take((shape, linalg, reduction, elementwise, nn, conv, random, ctc, values, control, _loop, state, tensors), building)
engine.runs_on = f'{NAME} {VERSION}'
bind(engine, globals())
