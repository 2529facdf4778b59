"""Element-wise primitives, operations of two tensors, and standard draws."""

from typing import Any, Callable, Dict, Optional, Sequence

from ....basics.dtypes import WIDER
from ..graph.recipes import RECORDED
from ..state.draws import seed_of_draw, source_of_the_run
from ..state.updates import at_the_top
from ..state.variable import generator
from ..tensors.dtypes import cast, comparing, keeping, name_of, storable_dtype
from ..tensors.operations import OwnLayer, Printed, registered
from ..tensors.sizes import concrete, filled, items, outline
from ..vendor import BACKEND, is_symbolic, keras, takes_sizes
from .slopes import absolute, maximum, minimum, pow
from .wide import of_keras_or_wide as wide

ops = keras.ops
Tensor = Any
_maximum = wide('maximum')


def _abs(x: Tensor) -> Tensor:
    if BACKEND != 'jax' or 'float' not in name_of(x):
        return ops.abs(x)
    return ops.abs(ops.where(ops.equal(x, 0), ops.zeros((), name_of(x)), x)) if is_symbolic(x) else absolute(x)


def _extreme(plain: Callable[..., Tensor], wins: Callable[..., Tensor], sloped: Callable[..., Tensor]) -> Any:
    """The maximum or minimum of two tensors. `wins` says where it is the first one, which has the gradient at a tie."""

    def extreme(x: Tensor, y: Tensor) -> Tensor:
        if BACKEND == 'tensorflow' or 'float' not in name_of(x):
            return plain(x, y)
        if is_symbolic(x) or is_symbolic(y):
            return ops.where(wins(x, y), x, plain(ops.stop_gradient(x), y))
        return sloped(x, y)

    return extreme


def _sqrt(x: Tensor) -> Tensor:
    # Where x is negative the result is 0, and so are the gradients of any order: none of them meets the slope inf at 0.
    zero, one = ops.zeros((), name_of(x)), ops.ones((), name_of(x))
    below = ops.less(x, zero)
    # The slope at -0 is that at 0. PyTorch has -0 for the larger one of -0 and 0.
    x = _plain_add(x, zero) if BACKEND == 'torch' else _maximum(x, zero)
    return ops.where(below, zero, ops.sqrt(ops.where(below, one, x)))


def _sign(x: Tensor) -> Tensor:
    if BACKEND == 'torch' and 'float' in name_of(x):
        # PyTorch says 0 of NaN.
        return ops.where(ops.isnan(x), x, ops.sign(x))
    return ops.sign(x)


def _cast_to(x: Tensor, dtype: str) -> Tensor:
    source_dtype = name_of(x)
    if 'float' not in source_dtype or 'int' not in dtype or dtype == 'uint64':
        return cast(x, dtype)
    wider = WIDER.get(dtype, dtype)
    whole = cast(x, wider)
    if BACKEND == 'jax':
        # XLA gives the nearest number, and 0 for NaN.
        bits = 63 if wider == 'int64' else 31
        fits = ops.less(x, float('inf') if source_dtype == 'float16' else 2.0**bits)
        whole = ops.where(fits, whole, ops.full((), -(2**bits), wider))
    return cast(whole, dtype)


_plain_add = wide('add')


def _add(x: Tensor, y: Tensor) -> Tensor:
    # On TensorFlow, Keras 3.15 takes a tensor with one axis that is not 1 for a bias of the channels, and finds them by
    # their number: (2, 4, 4, 4) + (1, 4, 1, 1) is added along the last axis.
    if BACKEND == 'tensorflow' and _taken_for_a_bias(getattr(x, 'shape', ()), getattr(y, 'shape', ())):
        return ops.subtract(x, ops.negative(y))
    return _plain_add(x, y)


def _taken_for_a_bias(shape: Sequence[Optional[int]], other: Sequence[Optional[int]]) -> bool:
    long = [axis for axis, size in enumerate(other) if size != 1]
    size = other[long[0]] if len(long) == 1 else None
    if size is None or len(shape) < 2 or size not in (shape[1], shape[-1]):
        return False
    taken = len(shape) - 1 if shape[-1] == size else 1
    return taken != long[0] + len(shape) - len(other)


# -- draws -------------------------------------------------------------------------------------------------------------
# Standard draws.


@registered
class Draws(OwnLayer):
    """Standard draws of sizes that are known only in a run, with a source of random numbers of their own."""

    def __init__(
        self, kind_of: str, template: Sequence[Optional[int]], kind: str, seed: Optional[int] = None, **named: Any
    ) -> None:
        super().__init__(**named)
        self._config: Dict[str, Any] = {'kind_of': kind_of, 'template': list(template), 'kind': kind, 'seed': seed}
        self.seed_generator = keras.random.SeedGenerator(seed)
        takes_sizes(self)

    def call(self, *sizes: Any) -> Tensor:
        template = self._config['template']
        # More is given where no size is unknown: a tensor of the step that draws.
        shape = filled(template, [concrete(size) for size in sizes[: template.count(None)]])
        return _drawn(self._config['kind_of'], shape, self._config['kind'], self.seed_generator)

    def compute_output_spec(self, *sizes: Any) -> Tensor:
        return keras.KerasTensor(tuple(self._config['template']), self._config['kind'])

    def get_config(self) -> Dict[str, Any]:
        return {**self._config, 'name': self.name}


def _drawn(kind_of: str, sizes: Sequence[Any], dtype: str, seed: Any) -> Tensor:
    kind = dtype if dtype in ('float32', 'float64') else 'float32'
    return cast(getattr(keras.random, kind_of)(tuple(sizes), dtype=kind, seed=seed), dtype)


def _drawing(kind_of: str) -> Callable[..., Tensor]:
    def draw(shape: Any, dtype: str, seed: int) -> Tensor:
        sizes, dtype, seed = items(shape), storable_dtype(dtype), seed_of_draw(seed)
        unknown = [size for size in sizes if not isinstance(size, int)]
        if any([isinstance(size, keras.KerasTensor) for size in unknown]):
            return Draws(kind_of, outline(sizes), dtype, seed)(*unknown)
        if RECORDED.steps and not unknown:
            return Draws(kind_of, sizes, dtype, seed)(RECORDED.steps[-1])
        return _drawn(kind_of, sizes, dtype, source(seed))

    return draw


def source(seed: int) -> Any:
    """Where a draw takes its numbers from: a seed, or the generator of what is being called or compiled.

    In what is compiled, a number would be the same draws in every run; and a gradient could not draw them again.
    """
    single = at_the_top() and source_of_the_run() is None
    return seed if single else generator()


# Functions of Keras, with its name where that is another one.
_KEEPING = 'exp log round square sigmoid softplus stop_gradient'
_WIDE = 'sin cos floor tanh sub=subtract mul=multiply div=true_divide floordiv=floor_divide mod'
_COMPARING = 'equal not_equal greater greater_equal less less_equal'

PRIMITIVES: Dict[str, Callable[..., Tensor]] = {
    **{name: keeping(getattr(ops, name)) for name in _KEEPING.split()},
    **{name: keeping(wide(other or name)) for name, _, other in [word.partition('=') for word in _WIDE.split()]},
    **{name: comparing(getattr(ops, name)) for name in _COMPARING.split()},
    'abs': keeping(_abs),
    'sqrt': keeping(_sqrt),
    'sign': keeping(_sign),
    'relu': keeping(lambda x: _maximum(x, ops.zeros((), name_of(x))) if 'int' in name_of(x) else ops.relu(x)),
    'cast': _cast_to,
    'where': lambda condition, x, y: cast(ops.where(condition, x, y), name_of(x)),
    'print': lambda x, message: Printed(message)(x),
    'add': keeping(_add),
    'pow': keeping(pow),
    'maximum': keeping(_extreme(_maximum, ops.greater_equal, maximum)),
    'minimum': keeping(_extreme(wide('minimum'), ops.less_equal, minimum)),
    'logical_and': ops.logical_and,
    'logical_or': ops.logical_or,
    # -- draws --
    'random_uniform': _drawing('uniform'),
    'random_normal': _drawing('normal'),
    'truncated_normal': _drawing('truncated_normal'),
}
