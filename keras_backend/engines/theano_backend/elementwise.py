"""Element-wise functions."""

from ._convert import cast, constant, floating, operand
from ._library import T
from ._operators import absolute, compared, extreme, mul, power

_equal, _not_equal, _greater, _greater_equal = compared(T.eq), compared(T.neq), compared(T.gt), compared(T.ge)
_less, _less_equal = compared(T.lt), compared(T.le)
_maximum, _minimum = extreme(T.maximum, T.ge), extreme(T.minimum, T.le)


def square(x):
    return mul(x, x)


def abs(x):
    return absolute(x)


def sqrt(x):
    x = floating(x)
    # Below 0 no infinite slope may meet the 0 of the switch.
    negative = T.lt(x, constant(0, x.dtype))
    root = T.sqrt(T.switch(negative, constant(1, x.dtype), x))
    return T.switch(negative, constant(0, x.dtype), root)


def exp(x):
    return T.exp(floating(x))


def log(x):
    return T.log(floating(x))


def sin(x):
    return T.sin(floating(x))


def cos(x):
    return T.cos(floating(x))


def round(x):
    x = operand(x)
    return T.round(x, mode='half_to_even') if x.dtype.startswith('float') else x


def sign(x):
    x = operand(x)
    return x if x.dtype == 'bool' else cast(T.sgn(x), x.dtype)


def pow(x, a):
    return power(x, a)


def equal(x, y):
    return _equal(x, y)


def not_equal(x, y):
    return _not_equal(x, y)


def greater(x, y):
    return _greater(x, y)


def greater_equal(x, y):
    return _greater_equal(x, y)


def less(x, y):
    return _less(x, y)


def less_equal(x, y):
    return _less_equal(x, y)


def maximum(x, y):
    return _maximum(x, y)


def minimum(x, y):
    return _minimum(x, y)
