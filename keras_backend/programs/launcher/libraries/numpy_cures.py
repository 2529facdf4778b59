"""Cures for the removals and changes of NumPy 1.18 to 2.4."""

import ast
import functools
import math
import pickle
import sys
import warnings
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, List, NamedTuple

from ....basics.tables import beside
from ..cures import around
from .giving import give, joined, normed_as_density, version, wrap

# -- names and meanings ------------------------------------------------------------------------------------------------
# Cures for the removals and changes of NumPy 1.24 and 2.0.


# The name that NumPy had -> what it stood for.
PYTHON_TYPES = {
    **{kind.__name__: kind for kind in (bool, int, float, complex, object, str)},
    **{'long': int, 'unicode': str},
}
_TABLE = beside(__file__, 'names.json')
RENAMED: Dict[str, str] = _TABLE['renamed_in_numpy']
# The module of NumPy 2 -> the names that were in numpy itself.
MOVED: Dict[str, List[str]] = _TABLE['moved_in_numpy']


def names(numpy: ModuleType) -> str:
    """Give back the names that NumPy 1.24 and 2.0 removed (`np.bool`, `np.float_`, `np.Inf`, `np.asscalar` ...)."""
    there = vars(numpy)
    given: Dict[str, Any] = {}
    # NumPy 2 uses some of the names for its own types (np.bool, np.long). These stay.
    given.update(PYTHON_TYPES)
    given.update({name: there[meaning] for name, meaning in RENAMED.items() if meaning in there})
    given.update({name: _Moved(module) for module, names in MOVED.items() for name in names})
    given.update(
        NINF=-numpy.inf,
        PZERO=0.0,
        NZERO=-0.0,
        asscalar=asscalar,
        asfarray=asfarray,
        msort=msort,
        cast=_Cast(),
        find_common_type=find_common_type,
        sctypes=_scalar_types(numpy),
        issubclass_=issubclass_,
        issctype=issctype,
        maximum_sctype=maximum_sctype,
        safe_eval=ast.literal_eval,
        loads=pickle.loads,
        alen=alen,
        rank=numpy.ndim,
        math=math,
        sys=sys,
        warnings=warnings,
    )
    missing = [name for name in given if name not in there]
    for name in missing:
        value = given[name]
        setattr(numpy, name, getattr(import_module(value.module), name) if isinstance(value, _Moved) else value)
    return ', '.join('np.' + name for name in missing)


class _Moved(NamedTuple):
    """The module that has a name today."""

    module: str


def alen(a: Any) -> int:
    """`np.alen`: the length of the first axis. A number counts as one."""
    import numpy

    return len(numpy.atleast_1d(numpy.asarray(a)))


def asscalar(a: Any) -> Any:
    """`np.asscalar`: the one number of an array, as a Python number."""
    import numpy

    return numpy.asarray(a).item()


def asfarray(a: Any, dtype: Any = 'float64') -> Any:
    """`np.asfarray`: an array of floats. A dtype that is no float dtype counts as float64."""
    import numpy

    return numpy.asarray(a, dtype if numpy.issubdtype(dtype, numpy.inexact) else numpy.float64)


def msort(a: Any) -> Any:
    """`np.msort`: a copy of an array, sorted along the first axis."""
    import numpy

    return numpy.sort(a, axis=0)


def find_common_type(array_types: Any, scalar_types: Any) -> Any:
    """`np.find_common_type`: the dtype of arrays and scalars together. A scalar only counts if its kind is higher."""
    import numpy

    arrays, scalars = [[numpy.dtype(t) for t in types] for types in (array_types, scalar_types)]
    if not arrays or not scalars:
        return numpy.result_type(*(arrays or scalars))
    array, scalar = numpy.result_type(*arrays), numpy.result_type(*scalars)
    kinds = 'buifc'
    return scalar if kinds.find(scalar.kind) > kinds.find(array.kind) else array


def issubclass_(arg1: Any, arg2: Any) -> bool:
    """`np.issubclass_`: `issubclass`, but False if the first argument is no class."""
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def issctype(rep: Any) -> bool:
    """`np.issctype`: whether an object stands for a number type of NumPy."""
    import numpy

    try:
        return isinstance(rep, (type, numpy.dtype)) and numpy.dtype(rep).type is not numpy.object_
    except TypeError:
        return False


def maximum_sctype(t: Any) -> Any:
    """`np.maximum_sctype`: the widest type of the same kind."""
    import numpy

    kind = numpy.dtype(t).kind
    return {'b': numpy.bool_, 'i': numpy.int64, 'u': numpy.uint64, 'f': numpy.longdouble, 'c': numpy.clongdouble}.get(
        kind, numpy.dtype(t).type
    )


class _Cast(Dict[Any, Any]):
    """`np.cast[dtype](x)`: an array in another dtype."""

    def __missing__(self, dtype: Any) -> Callable[[Any], Any]:
        import numpy

        return lambda x: numpy.asarray(x).astype(dtype)


def _scalar_types(numpy: ModuleType) -> Dict[str, Any]:
    return {
        'int': [numpy.int8, numpy.int16, numpy.int32, numpy.int64],
        'uint': [numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64],
        'float': [numpy.float16, numpy.float32, numpy.float64, numpy.longdouble],
        'complex': [numpy.complex64, numpy.complex128, numpy.clongdouble],
        'others': [bool, object, bytes, str, numpy.void],
    }


def uneven_lists(numpy: ModuleType) -> str:
    """Let `np.array` and `np.asarray` of lists of different lengths make an array of objects, as before NumPy 1.24."""
    if tuple(int(word) for word in numpy.__version__.split('.')[:2]) < (1, 24) or hasattr(numpy.array, '_of_launcher'):
        return ''
    for name in 'array', 'asarray', 'asanyarray':
        setattr(numpy, name, _also_uneven(getattr(numpy, name)))
    return 'np.array([[1], [2, 3]])'


def _also_uneven(make: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        try:
            return make(*args, **kwargs)
        except ValueError as error:
            if 'inhomogeneous' not in str(error) or len(args) > 1 or kwargs.get('dtype') is not None:
                raise
            kwargs['dtype'] = object
            return make(*args, **kwargs)

    made._of_launcher = True  # type: ignore[attr-defined]
    return made


def copies_where_needed(numpy: ModuleType) -> str:
    """Let `np.array(x, copy=False)` copy where it has to, as before NumPy 2."""
    if int(numpy.__version__.split('.')[0]) < 2 or hasattr(numpy.array, '_copies'):
        return ''
    make = numpy.array

    @functools.wraps(make)
    def array(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get('copy', True) is False:
            kwargs['copy'] = None
        return make(*args, **kwargs)

    array._copies = True  # type: ignore[attr-defined]
    setattr(numpy, 'array', array)  # noqa: B010
    return 'np.array(x, copy=False)'


def lists_of_arrays(numpy: ModuleType) -> str:
    """Let `np.meshgrid`, `np.broadcast_arrays` and `np.atleast_2d` of several arrays give a list, as before NumPy 2."""
    if not isinstance(numpy.meshgrid([0]), tuple):
        return ''
    names = 'meshgrid', 'broadcast_arrays', 'atleast_1d', 'atleast_2d', 'atleast_3d'
    for name in names:
        setattr(numpy, name, _as_list(getattr(numpy, name)))
    return ', '.join('np.' + name for name in names)


def numbers_as_text(numpy: Any) -> str:
    """Show numbers as before NumPy 2: `0.61` for `np.float64(0.61)`, in lists and histories, too."""
    if repr(numpy.float64(0.5)) == '0.5':
        return ''
    numpy.set_printoptions(legacy='1.25')
    return "np.set_printoptions(legacy='1.25')"


@around
def _as_list(function: Any, *args: Any, **kwargs: Any) -> Any:
    result = function(*args, **kwargs)
    return list(result) if isinstance(result, tuple) else result


def object_files(numpy: ModuleType) -> str:
    """Let `np.load` read arrays of objects by default, as before NumPy 1.16.3. Such a file can run code."""
    if hasattr(numpy.load, '_of_launcher'):
        return ''
    original = numpy.load

    @functools.wraps(original)
    def load(file: Any, mmap_mode: Any = None, allow_pickle: bool = True, **kwargs: Any) -> Any:
        return original(file, mmap_mode=mmap_mode, allow_pickle=allow_pickle, **kwargs)

    load._of_launcher = True  # type: ignore[attr-defined]
    setattr(numpy, 'load', load)  # noqa: B010
    return 'np.load(allow_pickle=True)'


# -- functions ---------------------------------------------------------------------------------------------------------
# Cures for functions of NumPy whose arguments or meanings NumPy 1.18 to 2.4 removed.


def arguments(numpy: ModuleType) -> str:
    """Take `np.fromstring(bytes, dtype)`, `np.histogram(normed=)`, `np.cross` in the plane, `np.linspace(0, 1, 5.)`."""
    done = []
    if version(numpy) >= (2, 0):
        done += [wrap(numpy, 'fromstring', _binary), wrap(numpy, 'cross', _plane)]
    if version(numpy) >= (1, 18):
        done.append(wrap(numpy, 'linspace', _whole_number))
    if version(numpy) >= (1, 24):
        done += [wrap(numpy, name, normed_as_density) for name in ('histogram', 'histogram2d')]
    return joined(*done, give(numpy.lib, {'pad': numpy.pad}))


@around
def _binary(fromstring: Any, string: Any, dtype: Any = float, count: int = -1, *args: Any, **kwargs: Any) -> Any:
    import numpy

    if args or kwargs.get('sep'):
        return fromstring(string, dtype, count, *args, **kwargs)
    data = string.encode('ascii') if isinstance(string, str) else string
    return numpy.frombuffer(data, dtype, count).copy()


@around
def _plane(cross: Any, a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    import numpy

    if axis is not None:
        axisa = axisb = axisc = axis
    first, second = numpy.moveaxis(numpy.asarray(a), axisa, -1), numpy.moveaxis(numpy.asarray(b), axisb, -1)
    sizes = first.shape[-1:], second.shape[-1:]
    if (2,) not in sizes:
        return cross(a, b, axisa, axisb, axisc)
    if sizes == ((2,), (2,)):
        return first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
    first, second = [_in_space(vector) for vector in (first, second)]
    return cross(first, second, -1, -1, axisc)


def _in_space(vectors: Any) -> Any:
    import numpy

    return vectors if vectors.shape[-1] == 3 else numpy.concatenate([vectors, numpy.zeros_like(vectors[..., :1])], -1)


@around
def _whole_number(linspace: Any, start: Any, stop: Any, num: Any = 50, *args: Any, **kwargs: Any) -> Any:
    return linspace(start, stop, int(num), *args, **kwargs)


def meanings(numpy: ModuleType) -> str:
    """Give `np.unique`, `linspace` of integers, `linalg.eig`, `solve`, `issubdtype` the results of NumPy 1.15."""
    if version(numpy) < (1, 20):
        return ''
    done = [wrap(numpy, 'linspace', _toward_zero), wrap(numpy, 'issubdtype', _kinds_of_python)]
    done += [wrap(numpy, 'unique', _each_nan), wrap(numpy, 'genfromtxt', _texts_as_bytes)]
    if version(numpy) >= (2, 0):
        done += [wrap(numpy.linalg, 'solve', _vectors)]
        done += [wrap(numpy.linalg, name, _real_where_it_is) for name in ('eig', 'eigvals')]
    return joined(*done)


@around
def _toward_zero(linspace: Any, *args: Any, **kwargs: Any) -> Any:
    """Integers are cut off, not rounded down."""
    import numpy

    dtype = args[5] if len(args) > 5 else kwargs.get('dtype')
    if dtype is None or numpy.dtype(dtype).kind not in 'iu' or len(args) > 6:
        return linspace(*args, **kwargs)
    kwargs.pop('dtype', None)
    steps = linspace(*args[:5], **kwargs)
    return (steps[0].astype(dtype), steps[1]) if isinstance(steps, tuple) else steps.astype(dtype)


@around
def _kinds_of_python(issubdtype: Any, arg1: Any, arg2: Any) -> bool:
    """`float`, `int` and `complex` stand for every such type of NumPy."""
    import numpy

    kinds = {float: numpy.floating, int: numpy.signedinteger, complex: numpy.complexfloating}
    return bool(issubdtype(arg1, kinds.get(arg2, arg2) if isinstance(arg2, type) else arg2))


@around
def _each_nan(unique: Any, ar: Any, *args: Any, **kwargs: Any) -> Any:
    """NaN is a value each time that it occurs, and the inverse of the whole array has one axis."""
    import numpy

    if version(numpy) >= (1, 24):
        kwargs.setdefault('equal_nan', False)
    result = unique(ar, *args, **kwargs)
    inverse = kwargs.get('return_inverse', args[1] if len(args) > 1 else False)
    if not inverse or kwargs.get('axis', args[3] if len(args) > 3 else None) is not None:
        return result
    position = 1 + bool(kwargs.get('return_index', args[0] if args else False))
    return (*result[:position], result[position].reshape(-1), *result[position + 1 :])


@around
def _texts_as_bytes(genfromtxt: Any, *args: Any, **kwargs: Any) -> Any:
    if len(args) < 24:
        kwargs.setdefault('encoding', 'bytes')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return genfromtxt(*args, **kwargs)


@around
def _vectors(solve: Any, a: Any, b: Any) -> Any:
    """One axis less than the matrices is a vector for each of them."""
    import numpy

    a, b = numpy.asanyarray(a), numpy.asanyarray(b)
    return solve(a, b[..., None])[..., 0] if b.ndim == a.ndim - 1 and b.ndim > 1 else solve(a, b)


@around
def _real_where_it_is(decompose: Any, a: Any) -> Any:
    import numpy

    result = decompose(a)
    values = result if isinstance(result, numpy.ndarray) else result[0]
    if numpy.asarray(a).dtype.kind == 'c' or values.dtype.kind != 'c' or (values.imag != 0).any():
        return result
    return values.real if values is result else type(result)(values.real, result[1].real)


def gone_arguments(numpy: ModuleType) -> str:
    """Take `np.percentile(interpolation=)`, `np.reshape(newshape=)`, `np.vstack(map(...))`, `np.sum(x for x in y)`."""
    done = [wrap(numpy, 'set_printoptions', _all_of_it)]
    if version(numpy) < (1, 22):
        return joined(*done)
    quantiles = 'percentile', 'quantile', 'nanpercentile', 'nanquantile'
    done += [wrap(numpy, name, _interpolation) for name in quantiles]
    done += [wrap(numpy, name, _as_sequence) for name in ('vstack', 'hstack', 'dstack', 'column_stack')]
    done += [wrap(numpy, 'reshape', _newshape), wrap(numpy, 'sum', _of_generators)]
    return joined(*done)


@around
def _interpolation(quantile: Any, *args: Any, **kwargs: Any) -> Any:
    if 'interpolation' in kwargs:
        kwargs['method'] = kwargs.pop('interpolation')
    return quantile(*args, **kwargs)


@around
def _as_sequence(stack: Any, tup: Any, **kwargs: Any) -> Any:
    return stack(list(tup) if hasattr(tup, '__next__') else tup, **kwargs)


@around
def _newshape(reshape: Any, a: Any, *args: Any, **kwargs: Any) -> Any:
    if 'newshape' in kwargs:
        kwargs['shape' if version(sys.modules['numpy']) >= (2, 1) else 'newshape'] = kwargs.pop('newshape')
    return reshape(a, *args, **kwargs)


@around
def _of_generators(add_up: Any, a: Any, *args: Any, **kwargs: Any) -> Any:
    import types

    return sum(a) if isinstance(a, types.GeneratorType) and not args and not kwargs else add_up(a, *args, **kwargs)


@around
def _all_of_it(set_printoptions: Any, *args: Any, **kwargs: Any) -> Any:
    threshold = kwargs.get('threshold')
    if threshold == 'nan' or threshold != threshold:
        kwargs['threshold'] = sys.maxsize
    return set_printoptions(*args, **kwargs)
