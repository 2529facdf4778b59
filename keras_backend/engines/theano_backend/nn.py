"""Neural network functions."""

from ...shapes import normalize_axis
from ._convert import constant, floating
from ._library import T


def sigmoid(x):
    x = floating(x)
    # Theano's own takes 1 for what is still 1e-9 below it.
    return T.nnet.sigmoid(x) if x.dtype == 'float32' else constant(1, x.dtype) / (constant(1, x.dtype) + T.exp(-x))


def tanh(x):
    return T.tanh(floating(x))


def softplus(x):
    x = floating(x)
    zero = constant(0, x.dtype)
    # The order of the arguments decides about the slope at 0: at a tie the first one has all of it.
    return T.maximum(x, zero) + T.log1p(T.exp(T.minimum(-x, x)))


def softmax(x, axis=-1):
    x = floating(x)
    axis = normalize_axis(axis, x.type.ndim)
    if x.type.ndim == 2 and axis == 1 and x.dtype != 'float16':
        return T.nnet.softmax(x)
    raised = T.exp(x - theano_max(x, axis))
    return raised / T.sum(raised, axis=[axis], dtype=x.dtype, keepdims=True)


def theano_max(x, axis):
    """The maximum along `axis`, through which no gradient passes."""
    from ._library import disconnected_grad

    return disconnected_grad(T.max(x, axis=[axis], keepdims=True))
