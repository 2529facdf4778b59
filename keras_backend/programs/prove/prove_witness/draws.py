"""Random numbers and initial values that are the same in every process."""

import zlib

import numpy as np

from .record import changed

# How many numbers a table has, for tensors whose size nobody knows yet. A power of two: floats divide by it exactly.
TABLE = 4096
# How many tables there are: one follows the other, and each call of a function begins at another number.
MORE = 1024


def truncated(generator, shape):
    """Normal numbers; those beyond 2 are drawn again."""
    numbers = generator.normal(size=shape)
    while True:
        beyond = np.abs(numbers) > 2
        if not beyond.any():
            return numbers
        numbers = np.where(beyond, generator.normal(size=shape), numbers)


STANDARD = {
    'normal': lambda generator, shape: generator.normal(size=shape),
    'uniform': lambda generator, shape: generator.uniform(size=shape),
    'truncated': truncated,
}


class Draws(object):
    """Gives generators. The seed is made of the kind of draw and of how many of that kind came before.

    So weights of different shapes may be created in another order by another version of Keras.
    """

    def __init__(self, seed, record, control):
        self._seed, self._record, self._control, self._counts = seed, record, control, {}

    def generator(self, key, counted=True):
        """A generator of its own for a draw."""
        count = self._counts.get(key, 0)
        if counted:
            self._counts[key] = count + 1
        return np.random.RandomState((zlib.crc32(repr((key, count)).encode('utf-8')) + self._seed) & 0x7FFFFFFF)

    def initial(self, kind, shape, make):
        """An initial value of a variable: the array that `make` gives for a generator. It is an event."""
        shape = tuple(int(size) for size in shape)
        # A text of both Pythons: no `long`, no prefix.
        key = '%s (%s)' % (kind, ', '.join(str(size) for size in shape))
        value = make(self.generator(key), shape)
        value = changed(value, self._control)
        self._record.event('draw', 'initial value: ' + key, self._counts[key], [('value', value)])
        return value


def static_shape(shape):
    """A shape as a tuple of int, or None where a part of it is a tensor."""
    try:
        if hasattr(shape, 'as_list'):
            shape = shape.as_list()
        return tuple(int(getattr(size, 'value', size)) for size in tuple(shape))
    except Exception:  # noqa: BLE001 - of any library: tensors refuse to be numbers or to be iterated over
        return None


def begin(calls):
    """Where in the tables the call of this number begins."""
    return calls * 37 % MORE


class Offset(object):
    """Where in the tables a call of a function begins, so that two calls draw other numbers."""

    def __init__(self, k):
        self._k, self._variable, self._calls = dict(k), None, 0

    def tensor(self):
        """The offset as a tensor of int32."""
        if self._variable is None:
            self._variable = self._k['variable'](0.0, name='offset_of_witness')
            # TensorFlow 1 has a value for it before another variable is made of a draw.
            self._k['get_value'](self._variable)
        return self._k['cast'](self._variable, 'int32')

    def forget(self):
        """The graph is gone, and the variable with it."""
        self._variable = None

    def next_call(self):
        """Begin elsewhere."""
        self._calls += 1
        if self._variable is not None:
            self._k['set_value'](self._variable, float(begin(self._calls)))


class TracedOffset(object):
    """The same for Keras 3 and tf.keras, which trace a function once and run it often.

    So the number must not be a constant of the trace. backend: of Keras.
    """

    def __init__(self, backend):
        self._backend, self._calls, self._variable = backend, 0, None
        if backend == 'tensorflow':
            import tensorflow

            self._variable = tensorflow.Variable(0, trainable=False, dtype='int32')

    def tensor(self):
        """The offset as a tensor of int32."""
        if self._variable is not None:
            return self._variable + 0
        if self._backend == 'jax':
            import jax

            shape = jax.ShapeDtypeStruct((), np.dtype('int32'))
            return jax.pure_callback(lambda: np.int32(begin(self._calls)), shape)
        import torch

        return torch.tensor(begin(self._calls), dtype=torch.int32)

    def next_call(self):
        """Begin elsewhere."""
        self._calls += 1
        if self._variable is not None:
            self._variable.assign(begin(self._calls))


def patch_graph_draws(module, draws, record, offset, place=None):
    """Let K.random_normal and its like in a module of K take their numbers from tables.

    place: a function that says where the program asks for a draw. It is for Keras 3, which traces a function again for
    new shapes, and so asks again for the same draw. None counts the draws. offset: an Offset or a TracedOffset.
    """
    k = dict(vars(module))

    def standard(kind, shape, dtype):
        fixed = static_shape(shape)
        # Of one place, a backend may know the shape that another does not.
        what = place() if place else 'any' if fixed is None else ', '.join(map(str, fixed))
        key = 'graph %s %s' % (kind, what)
        generator = draws.generator(key, counted=place is None)
        table = k['constant'](STANDARD[kind](generator, (TABLE + MORE,)), dtype=dtype)
        if fixed is not None:
            index = np.arange(int(np.prod(fixed))) % TABLE
            return k['reshape'](k['gather'](table, k['constant'](index, dtype='int32') + offset.tensor()), fixed)
        if isinstance(shape, (tuple, list)):
            total = 1
            for size in shape:
                total = size * total
            shape = k['stack'](
                [k['cast'](k['constant'](size) if isinstance(size, int) else size, 'int32') for size in shape]
            )
        else:
            shape = k['cast'](shape, 'int32')
            total = k['prod'](shape)
        # With one argument, K.arange asks whether it is negative, and a tensor of a trace has no answer.
        index = k['arange'](0, k['cast'](total, 'int32'))
        rounds = k['cast'](k['cast'](index, 'float32') / TABLE, 'int32')
        index = index - rounds * TABLE
        return k['reshape'](k['gather'](table, index + offset.tensor()), shape)

    def patched(name, make):
        original = k[name]

        def draw(shape, *args, **kwargs):
            try:
                return make(shape, *args, **kwargs)
            except Exception as error:  # noqa: BLE001 - of any library
                record.note('K.%s of a shape that is not known drew its own numbers (%s)' % (name, error))
                return original(shape, *args, **kwargs)

        draw.__name__, draw.__doc__ = name, original.__doc__
        setattr(module, name, draw)

    def normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
        return standard('normal', shape, dtype or k['floatx']()) * stddev + mean

    def cut(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
        return standard('truncated', shape, dtype or k['floatx']()) * stddev + mean

    def uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
        return standard('uniform', shape, dtype or k['floatx']()) * (maxval - minval) + minval

    def binomial(shape, p=0.0, dtype=None, seed=None):
        dtype = dtype or k['floatx']()
        return k['cast'](k['less'](standard('uniform', shape, dtype), p), dtype)

    makes = {'random_normal': normal, 'truncated_normal': cut, 'random_uniform': uniform}
    makes.update(random_binomial=binomial, random_bernoulli=binomial)
    for name in makes:
        if name in k:
            patched(name, makes[name])


# -- initial values ----------------------------------------------------------------------------------------------------
# Initial values: each initializer of Keras gets numbers of NumPy with the distribution that it documents.


# The standard deviation of a normal distribution that is cut at 2.
CUT = 0.87962566103423978


def fans(shape):
    """(units before, units after) of a kernel, channels last."""
    if len(shape) < 2:
        return (shape[0], shape[0]) if shape else (1, 1)
    field = 1
    for size in shape[:-2]:
        field *= size
    return field * shape[-2], field * shape[-1]


def variance_scaling(initializer, generator, shape):
    """Numbers whose variance is `scale` over the units that `mode` names."""
    before, after = fans(shape)
    of = {'fan_in': before, 'fan_out': after}.get(initializer.mode, (before + after) / 2.0)
    variance = initializer.scale / max(1.0, of)
    if initializer.distribution == 'uniform':
        limit = np.sqrt(3 * variance)
        return generator.uniform(-limit, limit, shape)
    if initializer.distribution == 'untruncated_normal':
        return generator.normal(0, np.sqrt(variance), shape)
    return truncated(generator, shape) * np.sqrt(variance) / CUT


def orthogonal(initializer, generator, shape):
    """Rows or columns that are orthogonal, times the gain."""
    rows, columns = int(np.prod(shape[:-1])), shape[-1]
    q, r = np.linalg.qr(generator.normal(size=(max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diag(r))
    return initializer.gain * (q if rows >= columns else q.T).reshape(shape)


MAKES = {
    'RandomNormal': lambda i, generator, shape: generator.normal(i.mean, i.stddev, shape),
    'TruncatedNormal': lambda i, generator, shape: i.mean + i.stddev * truncated(generator, shape),
    'RandomUniform': lambda i, generator, shape: generator.uniform(i.minval, i.maxval, shape),
    'VarianceScaling': variance_scaling,
    'Orthogonal': orthogonal,
}


class Initializers(object):
    """Patches initializers, and K functions that make variables of random numbers."""

    def __init__(self, draws, repeat):
        """repeat: whether an initializer gives the same numbers for the same shape, as since tf.keras 2.10."""
        self._draws, self._repeat = draws, repeat

    def patch(self, module, constant):
        """Patch the classes of a module of initializers. constant: makes a tensor of an array and a dtype."""
        for name in MAKES:
            cls = getattr(module, name, None)
            if isinstance(cls, type) and not getattr(cls, '_of_witness', False):
                cls.__call__ = self._call(name, constant)
                cls._of_witness = True

    def _call(self, name, constant):
        draws, make, repeat = self._draws, MAKES[name], self._repeat

        def call(self, shape, dtype=None, *args, **kwargs):
            # A variable that is made inside of a traced function asks twice, on some versions.
            given = vars(self).setdefault('_of_witness_given', {}) if repeat else {}
            place = str(tuple(shape))
            if place not in given:
                given[place] = draws.initial(name, shape, lambda generator, sizes: make(self, generator, sizes))
            return constant(given[place], dtype)

        return call

    def patch_variables(self, module):
        """Patch K.random_normal_variable and K.random_uniform_variable."""
        draws, k = self._draws, dict(vars(module))

        def normal(shape, mean, scale, dtype=None, name=None, seed=None):
            value = draws.initial('normal variable', shape, lambda g, sizes: g.normal(mean, scale, sizes))
            return k['variable'](value, dtype=dtype, name=name)

        def uniform(shape, low, high, dtype=None, name=None, seed=None):
            value = draws.initial('uniform variable', shape, lambda g, sizes: g.uniform(low, high, sizes))
            return k['variable'](value, dtype=dtype, name=name)

        for name, function in ('random_normal_variable', normal), ('random_uniform_variable', uniform):
            if name in k:
                setattr(module, name, function)
