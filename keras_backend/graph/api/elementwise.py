"""Element-wise functions."""

from .. import dtypes

K = G = None


def square(x):
    x = G.operand(x)
    return G.F.square(x) if dtypes.is_float(x.dtype) else x * x


def abs(x):
    x = G.operand(x)
    return x if x.dtype == 'bool' else G.F.abs(x)


def sqrt(x):
    return G.F.sqrt(G.floating(x))


def exp(x):
    return G.F.exp(G.floating(x))


def log(x):
    return G.F.log(G.floating(x))


def sin(x):
    return G.F.sin(G.floating(x))


def cos(x):
    return G.F.cos(G.floating(x))


def round(x):
    x = G.operand(x)
    return G.F.round(x) if dtypes.is_float(x.dtype) else x


def sign(x):
    x = G.operand(x)
    return G.F.sign(x if x.dtype != 'bool' else G.cast(x, 'int32'))


def pow(x, a):
    return G.binary('pow', G.operand(x), a)


def equal(x, y):
    return G.binary('equal', x, y)


def not_equal(x, y):
    return G.binary('not_equal', x, y)


def greater(x, y):
    return G.binary('greater', x, y)


def greater_equal(x, y):
    return G.binary('greater_equal', x, y)


def less(x, y):
    return G.binary('less', x, y)


def less_equal(x, y):
    return G.binary('less_equal', x, y)


def maximum(x, y):
    return G.binary('maximum', x, y)


def minimum(x, y):
    return G.binary('minimum', x, y)
