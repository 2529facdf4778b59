"""The kinds of arguments of K: the annotations of the contract's functions.

For a type checker they are types. When a program runs they are `Kind` objects, with which `binding` checks every call
before anything is recorded. A kind looks at the class of a value, and at its value where that needs nothing else. The
function itself checks ranks, shapes and dtypes. No iterator is consumed, since the function needs it.
"""

from abc import ABCMeta
from numbers import Integral, Number
from reprlib import Repr
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
)

from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError

IsTensor = Callable[[Any], bool]

_short = Repr()
_short.maxstring = _short.maxother = 80


def shown(value: Any) -> str:
    """A value in an error message."""
    shape, dtype = getattr(value, 'shape', None), getattr(value, 'dtype', None)
    if type(value).__module__ == 'numpy' and shape:
        return f'an array of shape {shape} and dtype {dtype}'
    # The numbers of a tensor come in lines.
    is_tensor = shape is not None and dtype is not None
    text = ' '.join(repr(value).split()) if is_tensor else _short.repr(value)
    return text if len(text) <= 200 else text[:197] + '...'


class Kind:
    """The values that an argument may have.

    Attributes
    ----------
    words : str
        The end of the sentence 'axis has to be ...'.
    fits : function (value, is_tensor) -> bool
        Whether the class of a value is right; if not, the error is a TypeError.
    possible : function (value) -> bool, or None
        Whether a value of the right class is possible; if not, the error is a ValueError.
    quick : frozenset of classes
        Classes whose instances need no further look.
    tensors : bool
        Whether tensors and arrays need no further look.
    own : bool
        Whether tensors of the engine need no further look.
    """

    __slots__ = ('fits', 'own', 'possible', 'quick', 'tensors', 'words')

    def __init__(
        self,
        words: str,
        fits: Callable[[Any, IsTensor], bool],
        possible: Optional[Callable[[Any], bool]] = None,
        quick: Iterable[type] = (),
        tensors: bool = False,
        own: bool = False,
    ) -> None:
        self.words, self.fits, self.possible = words, fits, possible
        self.quick: FrozenSet[type] = frozenset(quick)
        self.tensors, self.own = tensors, tensors or own

    def refusal(self, argument: str, value: Any, is_tensor: IsTensor) -> Optional[ArgumentError]:
        """The error for a value that is not of this kind, else None."""
        if not self.fits(value, is_tensor):
            return ArgumentTypeError(f'{argument} has to be {self.words}, got {shown(value)}.')
        if self.possible is not None and not self.possible(value):
            return ArgumentValueError(f'{argument} has to be {self.words}, got {shown(value)}.')
        return None

    def __call__(self) -> None:
        """Only for `Optional[...]`, which takes nothing but callables on Python 3.6."""

    def __repr__(self) -> str:
        return f'<{self.words}>'


# -- tests -------------------------------------------------------------------------------------------------------------


def _anything(value: Any, is_tensor: IsTensor) -> bool:
    return True


def _array_like(value: Any, is_tensor: IsTensor) -> bool:
    """Whether a value may be numbers. The contents of a list are seen when it becomes an array."""
    if isinstance(value, (Number, list, tuple)) or is_tensor(value):
        return True
    if value is None or isinstance(value, (str, bytes, dict, type)):
        return False
    # A dtype is what tensors of other libraries have; they are refused with a word about them.
    return hasattr(value, '__array__') or hasattr(value, 'dtype') or hasattr(value, '__getitem__')


def _expression(value: Any, is_tensor: IsTensor) -> bool:
    return callable(value) or isinstance(value, dict) or _array_like(value, is_tensor)


def _tensor(value: Any, is_tensor: IsTensor) -> bool:
    # A value that has a dtype and is nothing of NumPy may be a tensor of another session or library. It passes here: a
    # later error says more about it.
    return is_tensor(value) or (hasattr(value, 'dtype') and type(value).__module__ != 'numpy')


def _collection(value: Any, is_tensor: IsTensor) -> bool:
    # Scalars of libraries have the method, too, and no axis to go along.
    return (
        hasattr(value, '__iter__')
        and getattr(value, 'shape', None) != ()
        and not isinstance(value, (str, bytes, dict, type))
    )


def _plain_collection(value: Any, is_tensor: IsTensor) -> bool:
    return _collection(value, is_tensor) and not is_tensor(value)


def _updates(value: Any, is_tensor: IsTensor) -> bool:
    # The updates that theano.scan returns are a dict.
    return isinstance(value, dict) or _plain_collection(value, is_tensor)


def _tensors(value: Any, is_tensor: IsTensor) -> bool:
    return _tensor(value, is_tensor) or _collection(value, is_tensor)


def _loss(value: Any, is_tensor: IsTensor) -> bool:
    return callable(value) or _tensors(value, is_tensor)


def _integer(value: Any, is_tensor: IsTensor) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _integers(value: Any, is_tensor: IsTensor) -> bool:
    return _integer(value, is_tensor) or _plain_collection(value, is_tensor)


def _window(value: Any, is_tensor: IsTensor) -> bool:
    return isinstance(value, (list, tuple)) or _integer(value, is_tensor)


def _pairs(value: Any, is_tensor: IsTensor) -> bool:
    return isinstance(value, (list, tuple))


def _dimension(value: Any) -> bool:
    # As in a shape of TensorFlow 1, or an array of one integer.
    if type(value).__module__ == 'numpy':
        return getattr(value, 'shape', None) == () and value.dtype.kind in 'iu'
    return hasattr(value, '__index__') and not isinstance(value, (type, bool))


def _size(value: Any, is_tensor: IsTensor) -> bool:
    return _integer(value, is_tensor) or _tensor(value, is_tensor) or _dimension(value)


def _sizes(value: Any, is_tensor: IsTensor) -> bool:
    return _tensors(value, is_tensor) or _dimension(value)


def _number(value: Any, is_tensor: IsTensor) -> bool:
    if isinstance(value, Number):
        return not isinstance(value, complex)
    return type(value).__module__ == 'numpy' and getattr(value, 'shape', None) == ()


def _scalar(value: Any, is_tensor: IsTensor) -> bool:
    return isinstance(value, Number) or (_array_like(value, is_tensor) and not isinstance(value, (list, tuple)))


def _flag(value: Any, is_tensor: IsTensor) -> bool:
    # None is what TensorFlow 1 had as a default in places.
    return (
        value is None
        or isinstance(value, Integral)
        or (type(value).__module__, type(value).__name__[:4]) == ('numpy', 'bool')
    )


def _text(value: Any, is_tensor: IsTensor) -> bool:
    return isinstance(value, str)


def _callable(value: Any, is_tensor: IsTensor) -> bool:
    return callable(value)


def _dtype(value: Any, is_tensor: IsTensor) -> bool:
    # Classes of numbers, and objects of libraries with a name, stand for dtypes, too.
    # That of PyTorch has none.
    named = hasattr(value, 'name') or type(value).__name__ == 'dtype'
    return isinstance(value, (str, type)) or (named and not is_tensor(value))


def _dtypes(value: Any, is_tensor: IsTensor) -> bool:
    return isinstance(value, (list, tuple)) or _dtype(value, is_tensor)


def _positive(value: Any) -> bool:
    return bool(0 < value < 1 << 31)


def _times(value: Any) -> bool:
    return bool(0 <= value < 1 << 31)


def _times_or_tensor(value: Any) -> bool:
    return not isinstance(value, Integral) or _times(value)


def _possible_rank(value: Any) -> bool:
    return bool(0 <= value <= 64)


def _either(*words: str) -> Kind:
    quoted = [repr(word) for word in words]
    return Kind(f'{", ".join(quoted[:-1])} or {quoted[-1]}', _text, words.__contains__)


_FORMATS = ('channels_last', 'channels_first', 'tf', 'th')


def _data_format(value: Any) -> bool:
    return value.lower() in _FORMATS


# -- kinds -------------------------------------------------------------------------------------------------------------


class Tensor(metaclass=ABCMeta):  # noqa: B024 (its classes are registered, not derived)
    """A tensor of K, to annotate with, and to ask with isinstance whether something is a tensor of an engine.

    Engines register their classes here. `K.constant` and its kin make tensors.
    """

    if TYPE_CHECKING:
        shape: Any
        dtype: Any
        name: Any

        # The attributes of a tensor beside its operators depend on the engine.
        def __getattr__(self, name: str) -> Any: ...
        def __iter__(self) -> Iterator['Tensor']: ...
        def __getitem__(self, item: Any) -> 'Tensor': ...
        def __len__(self) -> int: ...
        def __neg__(self) -> 'Tensor': ...
        def __abs__(self) -> 'Tensor': ...
        def __invert__(self) -> 'Tensor': ...
        def __add__(self, other: Any) -> 'Tensor': ...
        def __radd__(self, other: Any) -> 'Tensor': ...
        def __sub__(self, other: Any) -> 'Tensor': ...
        def __rsub__(self, other: Any) -> 'Tensor': ...
        def __mul__(self, other: Any) -> 'Tensor': ...
        def __rmul__(self, other: Any) -> 'Tensor': ...
        def __truediv__(self, other: Any) -> 'Tensor': ...
        def __rtruediv__(self, other: Any) -> 'Tensor': ...
        def __floordiv__(self, other: Any) -> 'Tensor': ...
        def __rfloordiv__(self, other: Any) -> 'Tensor': ...
        def __mod__(self, other: Any) -> 'Tensor': ...
        def __rmod__(self, other: Any) -> 'Tensor': ...
        def __pow__(self, other: Any) -> 'Tensor': ...
        def __rpow__(self, other: Any) -> 'Tensor': ...
        def __matmul__(self, other: Any) -> 'Tensor': ...
        def __rmatmul__(self, other: Any) -> 'Tensor': ...
        def __lt__(self, other: Any) -> 'Tensor': ...
        def __le__(self, other: Any) -> 'Tensor': ...
        def __gt__(self, other: Any) -> 'Tensor': ...
        def __ge__(self, other: Any) -> 'Tensor': ...
        def __and__(self, other: Any) -> 'Tensor': ...
        def __rand__(self, other: Any) -> 'Tensor': ...
        def __or__(self, other: Any) -> 'Tensor': ...
        def __ror__(self, other: Any) -> 'Tensor': ...


Value = Any  # an array of NumPy, or one of its scalars
Update = Any

if TYPE_CHECKING:
    from typing import NoReturn

    from typing_extensions import Literal, Protocol

    # Spellings of the first generation, `border_mode='same'`. K takes them, and a type checker refuses them.
    Legacy = NoReturn

    class _Array(Protocol):
        def __array__(self, *args: Any, **kwargs: Any) -> Any: ...

    TensorLike = Union[Tensor, float, Sequence[Any], _Array]
    ArrayLike = Union[Tensor, float, Sequence[Any], _Array]
    Expression = Union[TensorLike, Dict[Any, Any], Callable[[], Any]]
    Variable = Tensor
    Anything = Any
    Tensors = Iterable[Any]
    TensorOrTensors = Union[Tensor, Iterable[Any]]
    Loss = Union[Tensor, Iterable[Any], Callable[..., Any]]
    Pairs = Iterable[Tuple[Any, Any]]
    Updates = Union[Iterable[Any], Dict[Any, Any]]
    Function = Callable[..., Any]
    F = TypeVar('F', bound=Callable[..., Any])
    Axis = int
    Axes = Union[int, Iterable[int]]
    Integer = int
    Count = int
    Times = int
    TimesOrTensor = Union[int, Tensor]
    Size = Union[int, Tensor]
    Rank = int
    Seed = int
    Window = Union[int, Sequence[int]]
    Zeros = Union[int, Sequence[int]]
    ZerosOfAxes = Sequence[Union[int, Sequence[int]]]
    Shape = Union[int, Sequence[Any], Tensor, _Array]
    FixedShape = Union[int, Iterable[int]]
    Sizes = Union[Sequence[Any], Tensor, _Array]
    StaticShape = Iterable[Optional[int]]
    Real = float
    Scalar = Union[float, Tensor]
    Factor = float
    Flag = bool
    Text = str
    Dtype = Any
    Dtypes = Any
    DataFormat = Union[Literal['channels_last', 'channels_first', 'tf', 'th'], str]
    Padding = Union[Literal['valid', 'same'], str]
    PaddingInTime = Union[Literal['valid', 'same', 'causal'], str]
    PoolMode = Union[Literal['max', 'avg'], str]
    Interpolation = Union[Literal['nearest', 'bilinear'], str]
else:
    Legacy = Any
    TensorLike = Kind(
        'a tensor, an array or a number', _array_like, quick=(float, int, bool, list, tuple), tensors=True
    )
    ArrayLike = Kind('an array or a number', _array_like, quick=(float, int, bool, list, tuple), tensors=True)
    Expression = Kind(
        'a tensor, an array, a number, or a function that returns one',
        _expression,
        quick=(float, int, bool, list, tuple, type(shown)),
        tensors=True,
    )
    Variable = Kind('a variable', _tensor, own=True)
    Anything = Kind('anything', _anything)
    Tensors = Kind('a list of tensors', _collection, quick=(list, tuple))
    TensorOrTensors = Kind('a tensor or a list of tensors', _tensors, quick=(list, tuple), tensors=True)
    Loss = Kind('a tensor, a list of tensors, or a function that returns one', _loss, quick=(list, tuple), tensors=True)
    Pairs = Kind('a list of pairs (variable, value)', _plain_collection, quick=(list, tuple))
    Updates = Kind('a list of updates or pairs (variable, new value)', _updates, quick=(list, tuple))
    Function = Kind('a function', _callable, quick=(type(shown),))
    F = Function
    Axis = Kind('an integer', _integer, quick=(int,))
    Axes = Kind('an integer or several integers', _integers, quick=(int, list, tuple))
    Integer = Kind('an integer', _integer, quick=(int,))
    Count = Kind('a positive integer below 2**31', _integer, _positive)
    Times = Kind('an integer of at least 0 and below 2**31', _integer, _times)
    TimesOrTensor = Kind('an integer of at least 0 and below 2**31, or a tensor of one', _size, _times_or_tensor)
    Size = Kind('an integer or a tensor of one', _size, quick=(int,))
    Rank = Kind('an integer from 0 to 64', _integer, _possible_rank)
    Seed = Kind('an integer', _integer, quick=(int,))
    Window = Kind('a positive integer or a tuple of positive integers', _window, quick=(tuple, list))
    Zeros = Kind('a pair of integers of at least 0', _pairs, quick=(tuple, list))
    ZerosOfAxes = Kind('pairs of integers of at least 0, one for each axis', _pairs, quick=(tuple, list))
    Shape = Kind('an integer, a tuple of integers or tensors, or a tensor of integers', _sizes, quick=(tuple, list))
    FixedShape = Kind('an integer or a tuple of integers', _integers, quick=(tuple, list))
    Sizes = Kind('a tuple of integers or tensors, or a tensor of integers', _tensors, quick=(tuple, list))
    StaticShape = Kind('a tuple of integers or None, such as (None, 3)', _plain_collection, quick=(tuple, list))
    Real = Kind('a number', _number, quick=(float, int))
    Scalar = Kind('a number or a tensor', _scalar, quick=(float, int), tensors=True)
    Factor = Kind('a positive integer below 2**31', _number, _positive)
    Flag = Kind('True or False', _flag, quick=(bool,))
    Text = Kind('a string', _text, quick=(str,))
    Dtype = Kind("the name of a dtype, such as 'float32'", _dtype, quick=(str,))
    Dtypes = Kind("the name of a dtype, such as 'float32', or a list of them", _dtypes, quick=(str,))
    DataFormat = Kind("'channels_last' or 'channels_first'", _text, _data_format)
    Padding = _either('valid', 'same')
    PaddingInTime = _either('valid', 'same', 'causal')
    PoolMode = _either('max', 'avg')
    Interpolation = _either('nearest', 'bilinear')


def kind_of(annotation: Any) -> Tuple[Optional[Kind], bool]:
    """The kind that an annotation says, if it is one, and whether None is as good."""
    if isinstance(annotation, Kind):
        return annotation, False
    for part in getattr(annotation, '__args__', None) or ():
        if isinstance(part, Kind):
            return part, True
    return None, False
