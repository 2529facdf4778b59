"""Linear recurrences along an axis, whose gradients are linear recurrences, too."""

import numpy as np

from ._library import Apply, Op, T, TensorType, theano


class Recur(Op):
    """s with s[t] = a[t] * s[t - 1] + b[t] along axis 0, and nothing before the first."""

    __props__ = ()
    _f16_ok = True

    def make_node(self, a, b):
        return Apply(self, [a, b], [TensorType(b.dtype, (False,) + b.type.broadcastable[1:])()])

    def output_dims(self, node, dims):
        return [dims[1]]

    def infer_shape(self, node, shapes):
        return [shapes[1]]

    def perform(self, node, inputs, outputs):
        a, b = inputs
        s = np.array(b)
        for t in range(1, len(s)):
            s[t] += a[t] * s[t - 1]
        outputs[0][0] = s

    def L_op(self, inputs, outputs, gradients):
        a, (s,) = inputs[0], outputs
        # The adjoint runs backwards, and its factors are those of the step after.
        later = T.concatenate([a[1:], T.zeros_like(a[:1])])
        adjoint = self(later[::-1], gradients[0][::-1])[::-1]
        before = T.concatenate([T.zeros_like(s[:1]), s[:-1]])
        return [adjoint * before, adjoint]


def recur(a, b, axis):
    """`Recur` along any axis."""
    order = [axis] + [i for i in range(a.type.ndim) if i != axis]
    back = [order.index(i) for i in range(a.type.ndim)]
    return Recur()(T.unbroadcast(a.dimshuffle(order), 0), T.unbroadcast(b.dimshuffle(order), 0)).dimshuffle(back)


def running_product(x):
    """The product of the entries up to each one, along axis 0, apart from itself."""
    ones = T.ones_like(x[:1])
    factors = T.concatenate([ones, x[:-1]])
    first = T.concatenate([ones, T.zeros_like(x[:-1])])
    return Recur()(factors, first)


class Product(theano.tensor.elemwise.Prod):
    """The product over axes, with a gradient that is right where factors are 0, and has one itself."""

    def L_op(self, inputs, outputs, gradients):
        (x,) = inputs
        rank = x.type.ndim
        axes = list(range(rank)) if self.axis is None else [a % rank for a in self.axis]
        kept = [i for i in range(rank) if i not in axes]
        order = axes + kept
        moved = x.dimshuffle(order)
        shape = T.shape(moved)
        flat = T.unbroadcast(
            T.reshape(moved, T.concatenate([[T.prod(shape[: len(axes)])], shape[len(axes) :]]), ndim=1 + len(kept)), 0
        )
        others = running_product(flat) * running_product(flat[::-1])[::-1]
        back = [order.index(i) for i in range(rank)]
        others = T.reshape(others, shape, ndim=rank).dimshuffle(back)
        places = iter(range(len(kept)))
        g = gradients[0].dimshuffle([next(places) if i in kept else 'x' for i in range(rank)])
        return [T.patternbroadcast(others, x.type.broadcastable) * g]

    pullback = L_op  # what PyTensor calls it
