"""Initial values: each initializer of Keras gets numbers of NumPy with the distribution that it documents."""

import numpy as np

from .draws import truncated

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
