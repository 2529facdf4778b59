"""Theano's float dtype follows that of K: beside another one, numbers would be rounded, or tensors widened."""

from ... import config
from ._library import theano

# A user who chose another dtype for Theano than for K keeps it.
_follows = theano.config.floatX == config.floatx()


def follow():
    """Tell Theano what K.set_floatx was told."""
    if _follows and theano.config.floatX != config.floatx():
        theano.config.floatX = config.floatx()
