"""The Theano engine: K on the variables of Theano itself, so that `theano.tensor` mixes with K freely."""

from ...binding import bind
from .engine import engine

bind(engine, globals())
