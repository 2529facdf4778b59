"""Element-wise functions, said in others."""

K = None  # the engine's namespace, set by binding.rebind


def square(x):
    return x * x


def abs(x):
    # By the sign rather than as a maximum: the gradient at 0 is 0.
    return x * K.sign(x)


def sign(x):
    return K.cast(K.greater(x, 0), K.dtype(x)) - K.cast(K.less(x, 0), K.dtype(x))


def sqrt(x):
    # A negative number must not reach the power: its NaN would pass through the gradient of the switch.
    negative = K.less(x, 0)
    root = K.pow(K.switch(negative, K.ones_like(x), x), 0.5)
    return K.switch(negative, K.zeros_like(root), root)


def cos(x):
    # sin(x + pi / 2) would round its argument.
    half = K.sin(x * 0.5)
    return 1.0 - 2.0 * (half * half)


def pow(x, a):
    return x**a


def clip(x, min_value, max_value):
    if max_value is not None:
        x = K.minimum(x, max_value)
    return x if min_value is None else K.maximum(x, min_value)


def minimum(x, y):
    # Not -x, which bools do not have.
    return 0 - K.maximum(0 - x, 0 - y)


def equal(x, y):
    both = K.cast(K.greater_equal(x, y), 'int32') + K.cast(K.less_equal(x, y), 'int32')
    return K.greater(both, 1)


def not_equal(x, y):
    return K.less(K.cast(K.equal(x, y), 'int32'), 1)


def greater(x, y):
    return x > y


def greater_equal(x, y):
    return x >= y


def less(x, y):
    return K.greater(y, x)


def less_equal(x, y):
    return K.greater_equal(y, x)
