"""Cures for functions of NumPy whose arguments or meanings NumPy 1.18 to 2.4 removed."""

from types import ModuleType
from typing import Any, Callable

from .giving import give, joined, version, wrap


def arguments(numpy: ModuleType) -> str:
    """Take `np.fromstring(bytes, dtype)`, `np.histogram(normed=)`, `np.cross` in the plane, `np.linspace(0, 1, 5.)`."""
    done = []
    if version(numpy) >= (2, 0):
        done += [wrap(numpy, 'fromstring', _binary), wrap(numpy, 'cross', _plane)]
    if version(numpy) >= (1, 18):
        done.append(wrap(numpy, 'linspace', _whole_number))
    if version(numpy) >= (1, 24):
        done += [wrap(numpy, name, _normed) for name in ('histogram', 'histogram2d')]
    return joined(*done, give(numpy.lib, {'pad': numpy.pad}))


def _binary(fromstring: Callable[..., Any]) -> Callable[..., Any]:
    def called(string: Any, dtype: Any = float, count: int = -1, *args: Any, **kwargs: Any) -> Any:
        import numpy

        if args or kwargs.get('sep'):
            return fromstring(string, dtype, count, *args, **kwargs)
        data = string.encode('ascii') if isinstance(string, str) else string
        return numpy.frombuffer(data, dtype, count).copy()

    return called


def _plane(cross: Callable[..., Any]) -> Callable[..., Any]:
    def called(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
        import numpy

        if axis is not None:
            axisa = axisb = axisc = axis
        first, second = numpy.moveaxis(numpy.asarray(a), axisa, -1), numpy.moveaxis(numpy.asarray(b), axisb, -1)
        sizes = first.shape[-1:], second.shape[-1:]
        if (2,) not in sizes:
            return cross(a, b, axisa, axisb, axisc)
        if sizes == ((2,), (2,)):
            return first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
        first, second = [_in_space(part) for part in (first, second)]
        return cross(first, second, -1, -1, axisc)

    return called


def _in_space(vectors: Any) -> Any:
    import numpy

    return vectors if vectors.shape[-1] == 3 else numpy.concatenate([vectors, numpy.zeros_like(vectors[..., :1])], -1)


def _whole_number(linspace: Callable[..., Any]) -> Callable[..., Any]:
    def called(start: Any, stop: Any, num: Any = 50, *args: Any, **kwargs: Any) -> Any:
        return linspace(start, stop, int(num), *args, **kwargs)

    return called


def _normed(histogram: Callable[..., Any]) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        normed = kwargs.pop('normed', None)
        if normed is not None:
            kwargs['density'] = bool(normed)
        return histogram(*args, **kwargs)

    return called
