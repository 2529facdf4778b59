"""The power, with the gradient of the K graph where that of the library is NaN."""

from typing import Any, List

import numpy as np

from ..vendor import Elemwise, T, TensorConstant, theano

scalar: Any = theano.scalar


class _Power(scalar.Pow):
    """The gradient is 0 for the base where both are 0, and for the exponent where the base is not positive."""

    def L_op(self, inputs: Any, outputs: Any, gradients: Any) -> List[Any]:
        if outputs[0].type in scalar.discrete_types:
            return [x.zeros_like(dtype=theano.config.floatX) for x in inputs]
        (x, a), (z,), (g,) = inputs, outputs, gradients
        zero, one = [scalar.constant(n, dtype=z.type.dtype) for n in (0, 1)]
        flat = scalar.and_(scalar.eq(a, zero), scalar.eq(x, zero))
        of_base = g * a * self(x, scalar.switch(flat, zero, a - one))
        positive = scalar.gt(x, zero)
        of_exponent = scalar.switch(positive, g * z * scalar.log(scalar.switch(positive, x, one)), zero)
        return [of_base, of_exponent]

    pullback = L_op  # the name in PyTensor


_power = Elemwise(_Power(scalar.pow.output_types_preference, name='pow'))


def power_by(a: Any) -> Any:
    """The power by an exponent. The library makes products of those that are constant; by 0 its gradients are NaN."""
    # The gradient of the power 1 is a power by 0.
    return T.pow if isinstance(a, TensorConstant) and not np.isin(a.data, (0, 1)).any() else _power
