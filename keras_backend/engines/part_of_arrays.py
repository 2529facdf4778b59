"""Kernels of the K graph for a library of arrays that has some of the primitives: the others are composed, or NumPy's.

examples/engines/array_api.py is an engine that is made with it.
"""

from functools import partial
from types import SimpleNamespace
from typing import Any, Callable, Container, Mapping, Optional

import numpy as np

from ..derived import DERIVED
from ..graph.run.kernels import Array, Kernel
from .numpy_backend import library as of_numpy

# These may have bools as operands. The others calculate, which some libraries refuse to do with bools.
LOGICAL = frozenset(
    'all any broadcast_to cast concatenate equal expand_dims gather getitem identity logical_and logical_not '
    'logical_or nonzero not_equal reshape reverse slice_axis squeeze stack stop_gradient tile transpose where'.split()
)
# A draw is a function of a stream of NumPy's, and the composed range has no bounds that are arrays.
_ON_NUMPY = frozenset(['arange', 'random_normal', 'shape'])

# Of no numbers some libraries have no maximum.
_OF_NOTHING = frozenset(['max', 'min', 'argmax', 'argmin'])


def kernels(
    own: Mapping[str, Kernel],
    array: type,
    make: Callable[[Any], Array],
    host: Callable[[Array], Any],
    dtypes: Container[str],
) -> Any:
    """What `graph.install.install` takes (see `graph.run.kernels`), of the primitives that a library of arrays has.

    Parameters
    ----------
    own : mapping from str to callable
        The primitives that the library has, as functions of its arrays. `keras_backend.basics.library` has their cards.
    array : type
        The class of the arrays.
    make, host : callable
        From an array of NumPy to one of the library, and back.
    dtypes : container of str
        What the library has. Where another dtype occurs, NumPy calculates.
    """
    there = partial(_there, make, dtypes)

    def on_host(x: Any) -> Any:
        return host(x) if isinstance(x, array) else x

    F: Any = SimpleNamespace(library=_asked(there))
    for name in of_numpy.PRIMITIVES:
        composed = partial(DERIVED[name], F) if name in DERIVED and name not in _ON_NUMPY else None
        setattr(F, name, _kernel(name, own.get(name, composed), dtypes, there, on_host))

    def to_numpy(x: Array) -> Any:
        return of_numpy.to_numpy(on_host(x))

    module: Any = SimpleNamespace(**vars(of_numpy))
    module.PRIMITIVES = {name: getattr(F, name) for name in of_numpy.PRIMITIVES}
    # Whether a result is a view, only the library knows: so nobody writes into one.
    module.VIEWS, module.IN_PLACE, module.CHANGES = frozenset(module.PRIMITIVES), frozenset(), {}
    module.specialize = lambda name, ranks, attrs, dtypes: None
    module.to_numpy, module.hand_out = to_numpy, lambda dtype, rank, copy: to_numpy
    module.private_copy = lambda value, dtype: there(np.array(on_host(value), dtype))
    module.is_whole = lambda data: False
    module.forwards = lambda data: [F.getitem(data, spec=(i,)) for i in range(data.shape[0])]
    module.backwards = lambda data: [F.getitem(data, spec=(i,)) for i in reversed(range(data.shape[0]))]
    module.stack_steps = lambda steps, tail, dtype: F.stack(*steps, axis=0) if steps else np.zeros((0, *tail), dtype)
    return module


def name_of(x: Array) -> str:
    """The name of the dtype of an array of any library."""
    return str(x.dtype).rpartition('.')[2]


def _there(make: Callable[[Any], Array], dtypes: Container[str], x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple([_there(make, dtypes, member) for member in x])
    # Sparse matrices, streams and sizes stay what they are.
    return make(np.asarray(x)) if isinstance(x, (np.ndarray, np.generic)) and x.dtype.name in dtypes else x


def _kernel(
    name: str, own: Optional[Kernel], dtypes: Container[str], there: Callable[[Any], Any], host: Callable[[Any], Any]
) -> Kernel:
    of_host = of_numpy.PRIMITIVES[name]

    def run(*arrays: Any, **attrs: Any) -> Any:
        if own is not None:
            met = {name_of(x) for x in arrays if hasattr(x, 'dtype')} | {attrs.get('dtype') or 'int64'}
            # Libraries differ in what a negative number becomes without a sign.
            signed = name != 'cast' or not attrs['dtype'].startswith('uint')
            fits = signed and all([dtype in dtypes for dtype in met]) and ('bool' not in met or name in LOGICAL)
            # A composed mean wants to know the axes, which are None where the rank was not known.
            if fits and attrs.get('axes', ()) is not None and not _refused(name, arrays, attrs):
                # A scalar of NumPy, which is a float of Python, too, becomes an array again.
                return there(own(*[there(x) for x in arrays], **attrs))
        return there(of_host(*[host(x) for x in arrays], **attrs))

    return run


def _refused(name: str, arrays: Any, attrs: Mapping[str, Any]) -> bool:
    """Whether libraries differ in what they do with such operands: NumPy's kernel knows the value, or the error."""
    if name in _OF_NOTHING:
        return 0 in arrays[0].shape
    if name == 'conv_input_grad':
        shape = attrs['shape'] if 'shape' in attrs else arrays[2]
        return bool(shape[0] != arrays[0].shape[0])
    return name == 'matmul' and arrays[0].shape[0] != arrays[1].shape[0]


def _asked(there: Callable[[Any], Any]) -> Any:
    """What composed primitives ask of a library (see `derived`), said of arrays."""
    return SimpleNamespace(
        is_tensor=lambda x: hasattr(x, 'dtype'),
        dtype=name_of,
        dims=lambda x: tuple(x.shape),
        shape=lambda x: tuple(x.shape),
        describe=lambda x: f'an array of shape {tuple(x.shape)}',
        items=lambda shape: [int(size) for size in shape],
        number=lambda value, dtype: there(np.array(value, dtype)),
        constant=lambda value, dtype, name=None: there(np.array(value, dtype)),
        filled_like=lambda x, value, dtype: there(np.full(tuple(x.shape), value, dtype)),
        identity=lambda x, name: x,
    )
