"""Placeholders whose number of axes is not said, and the tensors that are computed from them.

A tensor of Theano has a rank. So a tensor that is computed from such a placeholder is noted first. It is made of
Theano's tensors when the placeholder is fed: once for each combination of the ranks of the values. It is also made for
some ranks at once. They tell its dtype, whether its rank is the same for all of them, and that a function can take it
at all.
"""

import functools
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple, TypeVar, Union

from ....basics.shapes import Shape, normalize_axes, normalize_axis
from ....errors import ShapeError
from ....front.control import leaves, like
from ....graph.nodes.base import Dim, same
from ..vendor import follow_floatx
from . import describe, engine
from .static import dims_of, visible
from .tensors import Operators, adopted

if TYPE_CHECKING:
    from typing import NoReturn

Tensor = Any
Ranks = Dict['Noted', int]
_F = TypeVar('_F', bound=Callable[..., Any])
# The last one stands for all that are larger than those of other tensors.
_RANKS = (0, 1, 2, 3, 4, 8)


class Noted(Operators):
    """A tensor that is made when it is known which ranks the values of `placeholders` have.

    make: a function (ranks of the placeholders) -> the tensor.
    """

    __array_ufunc__ = None
    __array_priority__ = 1000
    owner = None
    placeholders: Tuple['Noted', ...]
    _made: Dict[Tuple[int, ...], Tensor]

    def __init__(
        self, placeholders: Optional[Tuple['Noted', ...]], make: Callable[..., Tensor], name: Optional[str] = None
    ) -> None:
        self.placeholders = (self,) if placeholders is None else placeholders
        self._make, self._made, self.name = make, {}, name
        self._keras_session = engine.session
        samples = [x for x in _samples(self.placeholders, self.at) if x is not None]
        ranks = {x.type.ndim for x in samples}
        self.dtype = samples[0].dtype
        # The attributes that are asked of the type of a tensor. The rank is None where it is not known.
        self.type = SimpleNamespace(dtype=self.dtype, ndim=ranks.pop() if len(ranks) == 1 < len(samples) else None)
        several = [] if self.type.ndim is None else zip(*[dims_of(x) for x in samples])
        self._dims = tuple([sizes[0] if all([same(sizes[0], n) for n in sizes]) else Dim() for sizes in several])

    def at(self, ranks: Ranks) -> Tensor:
        """The tensor for `ranks`, {placeholder: rank}."""
        key = tuple([ranks[placeholder] for placeholder in self.placeholders])
        if key not in self._made:
            self._made[key] = self._make(dict(zip(self.placeholders, key)))
        return self._made[key]

    @property
    def _keras_dims(self) -> Tuple[Any, ...]:
        if self.type.ndim is None:
            self._refuse()
        return self._dims

    def get_shape(self) -> Optional[Shape]:
        """The static shape; None where the number of axes is not known."""
        return None if self.type.ndim is None else visible(dims_of(self))

    shape = property(get_shape)

    def _refuse(self) -> 'NoReturn':
        raise ShapeError.of_unknown_rank(str(self))

    __iter__ = __len__ = _refuse

    def __str__(self) -> str:
        # The placeholder has the name that the user knows.
        return describe(self.placeholders[0])


def _samples(placeholders: Sequence[Noted], make: Callable[[Ranks], Any]) -> List[Any]:
    """The results of `make` for some ranks, without those for which it fails."""
    samples: List[Any] = []
    refusal: Optional[Exception] = None
    for rank in _RANKS:
        try:
            samples.append(make(dict.fromkeys(placeholders, rank)))
        except Exception as error:  # noqa: BLE001 - of any program: this rank does not fit it; raised if none does
            refusal = error
    if not samples:
        assert refusal is not None
        raise refusal
    return samples


def building(function: _F) -> _F:
    """`function` of K, with the variables of Theano among its results made tensors of K.

    Of what is noted only the result is noted.
    """

    @functools.wraps(function)
    def build(*args: Any, **kwargs: Any) -> Any:
        for x in args:
            if x.__class__ is Noted or (x.__class__ in _SEVERAL and placeholders_of(x)):
                return _noted(build, args, kwargs)
        follow_floatx()
        return adopted(function(*args, **kwargs))

    return build  # type: ignore[return-value]  # it takes and gives what `function` does


_SEVERAL: FrozenSet[Any] = frozenset([list, tuple])


def at(value: Any, ranks: Ranks) -> Any:
    """A tensor, or a list with tensors, for `ranks`."""
    return like(value, [x.at(ranks) if x.__class__ is Noted else x for x in leaves(value)])


def placeholders_of(*values: Any) -> Tuple[Noted, ...]:
    """The placeholders that tensors, or lists with tensors, depend on, each once."""
    noted: Dict[Noted, None] = {}
    for value in values:
        if value.__class__ is Noted or value.__class__ in _SEVERAL:
            noted.update(dict.fromkeys(value.placeholders if value.__class__ is Noted else placeholders_of(*value)))
    return tuple(noted)


def _noted(
    build: Callable[..., Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]
) -> Union[Noted, List[Optional[Noted]]]:
    cache: Dict[Tuple[int, ...], Any]
    placeholders, cache = placeholders_of(*args), {}

    def results(ranks: Ranks) -> Any:
        key = tuple([ranks[placeholder] for placeholder in placeholders])
        if key not in cache:
            taken = [at(x, ranks) for x in args]
            cache[key] = build(*taken, **_with_axes(build.__name__, kwargs, taken))
        return cache[key]

    if build.__name__ not in _OF_LISTS:
        return Noted(placeholders, results)
    samples = zip(*_samples(placeholders, results))
    # None for a variable on which the loss does not depend, whatever the ranks.
    return [
        Noted(placeholders, lambda ranks, i=i: results(ranks)[i]) if any([g is not None for g in alike]) else None
        for i, alike in enumerate(samples)
    ]


def _with_axes(function: str, kwargs: Dict[str, Any], taken: Sequence[Tensor]) -> Dict[str, Any]:
    """The axes of a primitive, given as the user did, as those of a tensor of known rank."""
    if 'axes' in kwargs:
        return dict(kwargs, axes=tuple(sorted(normalize_axes(kwargs['axes'], taken[0].type.ndim))))
    if 'axis' in kwargs:
        return dict(kwargs, axis=normalize_axis(kwargs['axis'], taken[0].type.ndim + (function in _ONE_MORE)))
    return kwargs


_ONE_MORE = ('expand_dims', 'stack')
_OF_LISTS = ('gradients', 'ctc_greedy', 'ctc_beam')
