"""Standard draws."""

from typing import Any, Callable, Dict, Optional, Sequence

from ..graph.recipes import RECORDED
from ..state.draws import seed_of_draw, source_of_the_run
from ..state.updates import at_the_top
from ..state.variable import generator
from ..tensors.dtypes import cast, storable_dtype
from ..tensors.operations import registered
from ..tensors.sizes import concrete, filled, items, outline
from ..vendor import keras, takes_sizes

Tensor = Any


@registered
class Draws(keras.layers.Layer):
    """Standard draws of sizes that are known only in a run, with a source of random numbers of their own."""

    def __init__(
        self, kind_of: str, template: Sequence[Optional[int]], kind: str, seed: Optional[int] = None, **named: Any
    ) -> None:
        named.update(autocast=False, dtype='float32')
        super().__init__(**named)
        self._config: Dict[str, Any] = {'kind_of': kind_of, 'template': list(template), 'kind': kind, 'seed': seed}
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.built = True
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


PRIMITIVES: Dict[str, Callable[..., Tensor]] = {
    'random_uniform': _drawing('uniform'),
    'random_normal': _drawing('normal'),
    'truncated_normal': _drawing('truncated_normal'),
}
