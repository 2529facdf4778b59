"""Maxima and minima whose gradient is shared equally among ties."""

from ._library import MethodNotDefined, T, theano


class _Extreme(theano.tensor.elemwise.CAReduce):
    def __init__(self, scalar_op_or_axis=None, axis=None):
        # Optimisations make anew what they have simplified, with the arguments of the base class.
        if axis is None and isinstance(scalar_op_or_axis, (list, tuple)):
            axis = scalar_op_or_axis
        theano.tensor.elemwise.CAReduce.__init__(self, self.choice, axis)

    def c_code(self, node, *args):
        if node.inputs[0].type.dtype in ('int64', 'uint64'):
            raise MethodNotDefined('c_code')  # it goes by way of a double, which has not all the digits
        return theano.tensor.elemwise.CAReduce.c_code(self, node, *args)

    def L_op(self, inputs, outputs, gradients):
        (x,) = inputs
        axes = range(x.type.ndim) if self.axis is None else self.axis
        kept = iter(range(outputs[0].type.ndim))
        pattern = ['x' if i in axes else next(kept) for i in range(x.type.ndim)]
        hit = T.cast(T.eq(x, outputs[0].dimshuffle(pattern)), x.dtype)
        share = gradients[0].dimshuffle(pattern) / T.sum(hit, axis=list(axes), dtype=x.dtype, keepdims=True)
        return [hit * share]

    pullback = L_op  # what PyTensor calls it

    def clone(self, axis=None, **_options):
        return type(self)(axis)


class Highest(_Extreme):
    """The maximum over `axes`."""

    choice = theano.scalar.maximum
    nfunc_spec = ('maximum', 1, 1)


class Lowest(_Extreme):
    """The minimum over `axes`."""

    choice = theano.scalar.minimum
    nfunc_spec = ('minimum', 1, 1)
