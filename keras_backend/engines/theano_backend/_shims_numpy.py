"""NumPy as Theano 1.0.5 knows it: NumPy itself, with the names that were taken from it since."""

from types import ModuleType

import numpy as np
import numpy.__config__ as build

from ._shims_python import module

# What other names stand for. The first seven were Python's own types, the rest are spelt otherwise today.
ALIASES = {
    'bool': bool,
    'int': int,
    'float': float,
    'complex': complex,
    'object': object,
    'str': str,
    'long': int,
    'Inf': np.inf,
    'NaN': np.nan,
    'infty': np.inf,
    'float_': np.float64,
    'complex_': np.complex128,
    'unicode_': np.str_,
    'product': np.prod,
    'sometrue': np.any,
    'alltrue': np.all,
}


class _NumPy(ModuleType):
    """NumPy with more names; what NumPy itself imports only when it is asked for comes from there."""

    def __getattr__(self, name):
        return getattr(np, name)


def stand_ins():
    """Stand-ins by name, none where this NumPy still has what Theano asks for."""
    aliases = {name: value for name, value in ALIASES.items() if name not in vars(np)}
    replaced = {}
    if not hasattr(build, 'blas_opt_info'):
        replaced.update(_distutils())
    if not aliases and not replaced:
        return {}
    proxy = _NumPy('numpy', np.__doc__)
    # A copy of the names: to look each one up in two places would be slower by ten times.
    vars(proxy).update(vars(np))
    vars(proxy).update(aliases)
    vars(proxy).update(
        {name.partition('.')[2]: stand_in for name, stand_in in replaced.items() if name.count('.') == 1}
    )
    return dict(replaced, numpy=proxy)


def _distutils():
    """What `numpy.distutils` tells about the compilation of NumPy; which BLAS there is, the engine finds out itself."""
    config = module('numpy.distutils.__config__', blas_opt_info={})
    misc = module('numpy.distutils.misc_util', get_numpy_include_dirs=lambda: [np.get_include()])
    return {
        'numpy.distutils': module('numpy.distutils', __config__=config, misc_util=misc),
        'numpy.distutils.__config__': config,
        'numpy.distutils.misc_util': misc,
    }
