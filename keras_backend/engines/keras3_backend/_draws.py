"""Random numbers of nodes that one run evaluates twice: for a value, and once more for the gradient of it.

The second time draws what the first one drew. So the gradient of a dropout has the mask that its value shows.
"""

import threading
from contextlib import contextmanager
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

from ._private import keras, layers_below
from ._updates import held

# The attribute of a layer that holds the source for K functions in its call.
OF_LAYER = '_keras_backend_seed'


def is_seed(variable: Any) -> bool:
    """Whether a variable is the state of a source of random numbers."""
    return bool(variable.name == 'seed_generator_state')


class _Run(threading.local):
    """The draws of the function that this thread runs, and what the sources held before each node of it."""

    draws: Optional['Draws'] = None
    before: Dict[int, List[Tuple[Any, Any]]]


_run = _Run()


class Draws:
    """Where the nodes of a function draw from."""

    def __init__(self, nodes: Iterable[Any], seed: Optional[int]) -> None:
        layers = {id(node): node.operation for node in nodes if isinstance(node.operation, keras.layers.Layer)}
        # K functions in the calls of several layers draw from one source, which any of these may hold.
        shared = [vars(each).get(OF_LAYER) for layer in layers.values() for each in layers_below(layer)]
        self.generator = keras.random.SeedGenerator(seed)
        common = [source.state for source in [*shared, self.generator] if source is not None]
        self._seeds: Dict[int, List[Any]] = {}
        for place, layer in layers.items():
            self._seeds[place] = list({id(v): v for v in [*common, *layer.variables] if is_seed(v)}.values())

    @contextmanager
    def once(self) -> Iterator[None]:
        """A context in which a node that is evaluated again draws the same."""
        outer = _run.draws, getattr(_run, 'before', {})
        _run.draws, _run.before = self, {}
        try:
            yield
        finally:
            _run.draws, _run.before = outer

    def seeds(self, node: Any) -> List[Any]:
        """The states of the sources that a node may draw from."""
        return self._seeds.get(id(node), [])


def draws_begin(node: Any, again: bool) -> None:
    """A node is about to be evaluated, or evaluated again where what is assigned to a variable is dropped."""
    if _run.draws is None:
        return
    if again:
        for variable, value in _run.before.get(id(node), ()):
            variable.assign(value)
    else:
        _run.before[id(node)] = [(v, held(v)) for v in _run.draws.seeds(node)]


def source_of_the_run() -> Optional[Any]:
    """The source for what has no other while a function runs that computes gradients."""
    return None if _run.draws is None else _run.draws.generator
