"""The Theano engine: K on the variables of Theano itself, so that `theano.tensor` mixes with K freely."""

from ...binding import bind
from .. import _freed_memory
from .engine import engine

_freed_memory.keep()
bind(engine, globals())
