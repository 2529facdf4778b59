"""The names of NumPy and of `math` that interpreted code may use: constants, dtypes, and arithmetic on arrays."""

import math
from typing import Any, Callable, Dict, Iterable, List

import numpy as np

from ..python_code.limits import NotAllowed
from ..python_code.machine import Frame
from ..python_code.values import Allowed, Builtin, Namespace

DTYPES = 'float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool'.split()
ARITHMETIC = (
    'sqrt exp log log2 log10 log1p expm1 sin cos tan tanh arctan abs floor ceil sign square power maximum minimum '
    'add subtract multiply divide prod sum mean std var max min argmax argmin cumsum clip round dot matmul array '
    'asarray reshape expand_dims squeeze concatenate stack transpose where ndim shape radians'
).split()
MAKERS = 'arange linspace zeros ones eye full tile repeat meshgrid'.split()
OF_MATH = 'sqrt exp log log2 log10 sin cos tan tanh floor ceil pow fabs atan atan2 hypot radians degrees'.split()


def _of_numbers(name: str, function: Callable[..., Any], sizes: bool) -> Callable[..., Any]:
    def run(frame: Frame, *args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        frame.budget.walk(*given)
        frame.budget.ask(given if sizes else [])
        # No function here makes more elements than the product of what it is given.
        frame.budget.ask([array.size for array in _arrays(given)])
        made = function(*args, **kwargs)
        if isinstance(made, np.ndarray) and made.dtype.kind not in 'biufc':
            raise NotAllowed(f'it makes an array of other things than numbers with np.{name}')
        return made

    return run


def _arrays(values: Iterable[Any]) -> List[np.ndarray]:
    found: List[np.ndarray] = []
    for value in values:
        if isinstance(value, np.ndarray):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _arrays(value)
    return found


def _named(names: Iterable[str], sizes: bool) -> Dict[str, Any]:
    return {name: Builtin(f'np.{name}', _of_numbers(name, getattr(np, name), sizes)) for name in names}


NUMPY = Namespace(
    'np',
    {
        'pi': np.pi, 'e': np.e, 'inf': np.inf, 'nan': np.nan, 'newaxis': None, 'Inf': np.inf, 'NaN': np.nan,
        **{name: name for name in DTYPES},
        'bool_': 'bool', 'int': 'int64', 'float': 'float64', 'float_': 'float64', 'int_': 'int64',
        **_named(ARITHMETIC, False),
        **_named(MAKERS, True),
    },
)  # fmt: skip

MATH = Namespace(
    'math', {'pi': math.pi, 'e': math.e, **{name: Allowed(f'math.{name}', getattr(math, name)) for name in OF_MATH}}
)
