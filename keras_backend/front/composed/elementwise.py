"""Element-wise functions, said in others."""

from ..api import Api


class ComposedElementwise(Api):
    needs = {
        'square': '',
        'abs': 'sign',
        'sign': 'cast dtype greater less',
        'sqrt': 'less ones_like pow switch zeros_like',
        'cos': 'sin',
        'pow': '',
        'clip': 'maximum minimum',
        'minimum': 'maximum',
        'equal': 'cast greater greater_equal less_equal',
        'not_equal': 'cast equal less',
        'greater': '',
        'greater_equal': '',
        'less': 'greater',
        'less_equal': 'greater_equal',
    }

    def square(self, x):
        return x * x

    def abs(self, x):
        # By the sign rather than as a maximum: the gradient at 0 is 0.
        return x * self.sign(x)

    def sign(self, x):
        return self.cast(self.greater(x, 0), self.dtype(x)) - self.cast(self.less(x, 0), self.dtype(x))

    def sqrt(self, x):
        # A negative number must not reach the power: its NaN would pass through the gradient of the switch.
        negative = self.less(x, 0)
        root = self.pow(self.switch(negative, self.ones_like(x), x), 0.5)
        return self.switch(negative, self.zeros_like(root), root)

    def cos(self, x):
        # sin(x + pi / 2) would round its argument.
        half = self.sin(x * 0.5)
        return 1.0 - 2.0 * (half * half)

    def pow(self, x, a):
        return x**a

    def clip(self, x, min_value, max_value):
        if max_value is not None:
            x = self.minimum(x, max_value)
        return x if min_value is None else self.maximum(x, min_value)

    def minimum(self, x, y):
        # Not -x, which bools do not have.
        return 0 - self.maximum(0 - x, 0 - y)

    def equal(self, x, y):
        both = self.cast(self.greater_equal(x, y), 'int32') + self.cast(self.less_equal(x, y), 'int32')
        return self.greater(both, 1)

    def not_equal(self, x, y):
        return self.less(self.cast(self.equal(x, y), 'int32'), 1)

    def greater(self, x, y):
        return x > y

    def greater_equal(self, x, y):
        return x >= y

    def less(self, x, y):
        return self.greater(y, x)

    def less_equal(self, x, y):
        return self.greater_equal(y, x)
