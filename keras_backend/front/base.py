"""What the topics of the front stand on: the names of K, the settings, and the way from values to tensors."""

from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

import numpy as np

from .. import config
from ..basics import dtypes
from ..basics.dtypes import foreign, numbers, numbers_of, plain
from ..basics.library import PRIMITIVES, Axes, Axis, Library, Tensor
from ..basics.shapes import known, normalize_axes, normalize_axis
from ..contract import CONTRACT
from ..contract.kinds import shown
from ..errors import ArgumentTypeError, ForeignTensorError, ShapeError, UnsupportedByEngine, lacking_primitives

# -- the names of K ----------------------------------------------------------------------------------------------------
# As methods that say what the engine lacks: what every front starts from.


class Api:
    """Every function of K as a method. Classes derived from this one define what they can.

    `name` is the engine's name in keras.json, `title` its name for people. `runs_on` says which library it runs on,
    where there is a choice. `checked` says whether arguments are held against the kinds of the contract. `UNSUPPORTED`
    may hold the reasons for what is lacking, {name: 'reason; way out'}. `own` holds the names that a user's module
    defines itself; it is None for other engines.
    """

    name = ''
    title = ''
    runs_on = ''
    UNSUPPORTED: Dict[str, str] = {}
    checked = True
    own: Optional[FrozenSet[str]] = None

    # Methods that composed functions call on their arguments. A user's module gets the arguments as they are.
    def operand(self, x: Any) -> Any:
        """An argument as a tensor, where the engine tells tensors from other values."""
        return x

    def floating(self, x: Any) -> Any:
        """The same as a tensor of a float dtype."""
        return x

    def together(self, *values: Any) -> List[Any]:
        """Several arguments as tensors of one dtype: operators of a library may take no others."""
        return list(values)

    def logits(self, probabilities: Any, activation: str) -> Any:
        """The argument of 'sigmoid', or 'softmax' over the last axis, whose result `probabilities` is, else None."""
        return None

    if TYPE_CHECKING:
        # The methods are made in a loop below.
        def __getattr__(self, name: str) -> Any: ...

    def why_not(self, name: str) -> str:
        """Why the engine lacks the K function `name`; after a semicolon there may be a way out."""
        return self.UNSUPPORTED.get(name, 'the engine does not define it')

    def supports(self, name: str) -> bool:
        """Whether the K function `name` works on this engine."""
        return not getattr(getattr(self, name, None), 'is_missing', name not in CONTRACT)


def _missing(name: str) -> Callable[..., Any]:
    def method(self: Api, *args: Any, **kwargs: Any) -> Any:
        reason, _, way_out = self.why_not(name).partition('; ')
        way_out = way_out or 'Define it in the engine, or choose another one: python -m keras_backend lists the engines'
        raise UnsupportedByEngine(name, self.title, reason, way_out.rstrip('.') + '.')

    method.__name__ = name
    method.is_missing = True  # type: ignore[attr-defined]
    return method


for _name in CONTRACT:
    setattr(Api, _name, _missing(_name))


# -- settings ----------------------------------------------------------------------------------------------------------
# The settings of K, which are those of `config` for every engine.


class Settings(Api):
    """Methods that call `config`. Only the name of the engine is the engine's own."""

    def backend(self) -> str:
        return self.name

    def epsilon(self) -> float:
        return config.epsilon()

    def set_epsilon(self, e: float) -> None:
        config.set_epsilon(e)

    def floatx(self) -> str:
        return config.floatx()

    def set_floatx(self, floatx: str) -> None:
        config.set_floatx(floatx)

    def cast_to_floatx(self, x: Any) -> Any:
        if self.supports('is_tensor') and self.is_tensor(x):
            return self.cast(x, config.floatx())
        return config.cast_to_floatx(numbers_of(x))

    def image_data_format(self) -> str:
        return config.image_data_format()

    def set_image_data_format(self, data_format: str) -> None:
        config.set_image_data_format(data_format)

    def image_dim_ordering(self) -> str:
        return config.image_dim_ordering()

    def set_image_dim_ordering(self, dim_ordering: str) -> None:
        config.set_image_dim_ordering(dim_ordering)

    def normalize_data_format(self, value: Any) -> str:
        return config.normalize_data_format(value)


# -- operands ----------------------------------------------------------------------------------------------------------
# From what users pass to tensors of one dtype (docs/semantics.md, mixed dtypes).

_ARITHMETIC = frozenset(['add', 'sub', 'mul', 'div', 'floordiv', 'mod', 'pow', 'maximum', 'minimum'])
_LOGICAL = frozenset(['logical_and', 'logical_or'])


def note(x: Tensor, **notes: Any) -> None:
    """Attributes for a tensor. The arrays of JAX, which a library may have as tensors, take none."""
    for name, value in notes.items():
        try:
            setattr(x, name, value)
        except AttributeError:
            pass


def check_sizes(shape: Any, sizes: Sequence[int]) -> None:
    """Refuse the argument `shape`, of the sizes `sizes`, if a size is None or negative."""
    if any([size < 0 for size in sizes]):
        entries = tuple(shape) if isinstance(shape, (list, tuple, np.ndarray)) else (shape,)
        raise ShapeError(f'shape={entries} is not possible; use K.shape(x)[i] for a size known only in a run.')


class Operands(Settings):
    """The common base of the topics of the front: a library, and the way from values to its tensors."""

    def __init__(self, library: Library) -> None:
        lacking = [name for name in PRIMITIVES if not hasattr(library.F, name)]
        if lacking:
            raise lacking_primitives(library.name, library.title, lacking, 'keras_backend.basics.library.Primitives')
        self.library = library
        self.F = library.F
        self.name, self.title, self.runs_on = library.name, library.title, library.runs_on
        self._tensors = library.tensors
        # How often K.learning_phase was a tensor: K.rnn sees by it that a step depends on it.
        self.phases_given = 0
        # For which variables K.gradients gave None last, and why: for the message where such a None is passed on.
        self.slopeless = ''
        library.front = self

    def operand(self, x: Any, dtype: Optional[str] = None) -> Tensor:
        """`x` as a tensor: itself, or a constant of `dtype` (None: of the dtype that fits the value)."""
        library = self.library
        if x.__class__ in self._tensors or library.is_tensor(x):
            return library.used(x)
        if dtype is not None and (x.__class__ is float or x.__class__ is int):
            return library.number(x, dtype)
        if x is None:
            raise ArgumentTypeError('None was given where a tensor is needed.')
        x = plain(x)
        if foreign(x):
            raise ForeignTensorError(
                f'{x!r} is no tensor of the {self.title} engine; pass a K tensor, a NumPy array or a number.'
            )
        if isinstance(x, (list, tuple)) and any([library.is_tensor(e) for e in x]):
            return self.stack(x if dtype is None else [self.operand(e, dtype) for e in x])
        return library.constant(x, library.natural_dtype(x) if dtype is None else dtype)

    def shape_given(self, shape: Any) -> Any:
        """The argument `shape` as a collection of sizes, or as a tensor; a single size is a list of one."""
        if shape.__class__ is tuple or shape.__class__ is list:
            return shape
        several = self.library.is_tensor(shape) or (hasattr(shape, '__iter__') and getattr(shape, 'shape', None) != ())
        return shape if several else (shape,)

    def listed(self, values: Any, what: str) -> List[Any]:
        """The argument `what`, a collection of tensors, as a list; a tensor is the collection of its rows."""
        library = self.library
        if values.__class__ is list:
            return list(values)
        if library.is_tensor(values) and library.rank(values) and known(library.dims(values)[0]):
            return list(library.unstacked(values, library.dims(values)[0]))
        try:
            return list(values)
        except TypeError:
            raise ArgumentTypeError(f'{what} has to be a list of tensors, got {shown(values)}.') from None

    def floating(self, x: Any) -> Tensor:
        """`x` as a tensor of a float dtype."""
        x = self.operand(x)
        return x if dtypes.is_float(self.library.dtype(x)) else self.F.cast(x, dtype=self.floatx())

    def converted(self, x: Tensor, dtype: str) -> Tensor:
        """The tensor `x` in another dtype, itself if it has it."""
        return x if self.library.dtype(x) == dtype else self.F.cast(x, dtype=dtype)

    def axis(self, x: Tensor, axis: Axis, more: int = 0) -> int:
        """An axis of `x`, with `more` axes than it has, counted from the front; as given where the rank is unknown."""
        rank = self.library.rank(x)
        return axis if rank is None else normalize_axis(axis, rank + more)

    def axes(self, x: Tensor, axes: Axes) -> Any:
        """The same of several axes, in order; None is all of them."""
        rank = self.library.rank(x)
        if rank is None:
            several: Any = axes
            return axes if axes is None else (axes,) if known(axes) else tuple(several)
        if axes is None:
            return tuple(range(rank))
        if axes.__class__ is int and -rank <= axes < rank:
            return (axes % rank,)
        return tuple(sorted(normalize_axes(axes, rank)))

    def together(self, *values: Any) -> List[Tensor]:
        """Tensors of one dtype."""
        if len(values) == 2:
            # Most calls: two tensors that have it already.
            x, y = values
            library, tensors = self.library, self._tensors
            if x.__class__ in tensors and y.__class__ in tensors and library.dtype(x) == library.dtype(y):
                return [library.used(x), library.used(y)]
        met, dtype = self.meeting(values)
        return [self.converted(self.operand(v, dtype), dtype) for v in met]

    def meeting(self, values: Sequence[Any]) -> Tuple[Sequence[Any], str]:
        """`values`, and the dtype in which they meet."""
        library = self.library
        tensors = [v for v in values if library.is_tensor(v)]
        if not tensors:
            values = tensors = [self.operand(v) for v in values]
        dtype = library.dtype(tensors[0])
        for t in tensors[1:]:
            dtype = dtypes.promote(dtype, library.dtype(t))
        for v in values:
            if not library.is_tensor(v):
                v = plain(v)
                if v is None or foreign(v):
                    self.operand(v)  # refuses it
                if not isinstance(v, (int, float, np.ndarray, np.generic)):
                    several = isinstance(v, (list, tuple)) and any([library.is_tensor(e) for e in v])
                    v = self.operand(v) if several else numbers(v)
                    if several:
                        dtype = dtypes.promote(dtype, library.dtype(v))
                        continue
                dtype = dtypes.promote(dtype, dtypes.beside(dtype, v))
        return values, dtype

    def binary(self, name: str, x: Any, y: Any) -> Tensor:
        """An element-wise operation of two values."""
        library = self.library
        tensors = self._tensors
        if x.__class__ in tensors and y.__class__ in tensors:
            x, y = library.used(x), library.used(y)
            if library.dtype(x) != library.dtype(y):
                x, y = self.together(x, y)
        else:
            if x is None or y is None:
                raise ArgumentTypeError('None was given where a tensor is needed.')
            x, y = self.together(x, y)
        return self._of_one_dtype(name, x, y, library.dtype(x))

    def _of_one_dtype(self, name: str, x: Any, y: Any, dtype: str) -> Tensor:
        if name == 'div' and not dtypes.is_float(dtype):
            x, y = self.floating(x), self.floating(y)
        elif dtype == 'bool' and name in _ARITHMETIC:
            if name not in ('maximum', 'minimum'):
                x, y = self.converted(x, 'int32'), self.converted(y, 'int32')
        elif name in _LOGICAL:
            x, y = self.converted(x, 'bool'), self.converted(y, 'bool')
        tensor: Tensor = getattr(self.F, name)(x, y)
        return tensor

    def exclusive_or(self, x: Any, y: Any) -> Tensor:
        """Whether exactly one of two values is true, element by element."""
        return self.binary('not_equal', *[self.converted(self.operand(v), 'bool') for v in (x, y)])
