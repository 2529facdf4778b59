"""The Theano engine: K on the variables of Theano itself, so that `theano.tensor` mixes with K freely."""

from ...binding import bind
from .. import process
from .engine import engine

process.keep_freed_memory()
bind(engine, globals())
