"""Random numbers of nodes that one run evaluates twice: for a value, and once more for the gradient of it.

The second time draws what the first one drew. So the gradient of a dropout has the mask that its value shows.
"""

import threading
from contextlib import contextmanager, nullcontext
from typing import Any, ContextManager, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ..vendor import BACKEND, keras, layers_below
from .updates import snapshot

# The attribute of a layer that holds the source for K functions in its call.
OF_LAYER = '_keras_backend_seed'


def is_seed(variable: Any) -> bool:
    """Whether a variable is the state of a source of random numbers."""
    return bool(variable.name == 'seed_generator_state')


class _Before(NamedTuple):
    """The states of the sources of random numbers before a node ran: of variables, and of PyTorch's own source."""

    seeds: List[Tuple[Any, Any]]
    library: Any


class _Run(threading.local):
    """The draws of the function that this thread runs, and what was before each node of it."""

    draws: Optional['Draws'] = None
    before: Dict[int, _Before]


_run = _Run()


class Draws:
    """Where the nodes of a function draw from."""

    def __init__(self, nodes: Iterable[Any]) -> None:
        layers = {id(node): node.operation for node in nodes if isinstance(node.operation, keras.layers.Layer)}
        # K functions in the calls of several layers draw from one source, which any of these may hold.
        shared = [vars(sublayer).get(OF_LAYER) for layer in layers.values() for sublayer in layers_below(layer)]
        self.generator = keras.random.SeedGenerator()
        common = [source.state for source in [*shared, self.generator] if source is not None]
        self._seeds: Dict[int, List[Any]] = {}
        for key, layer in layers.items():
            self._seeds[key] = list({id(v): v for v in [*common, *layer.variables] if is_seed(v)}.values())

    @contextmanager
    def once(self) -> Iterator[None]:
        """A context in which a node that is evaluated again draws the same."""
        outer = _run.draws, getattr(_run, 'before', {})
        _run.draws, _run.before = self, {}
        try:
            yield
        finally:
            _run.draws, _run.before = outer

    def seeds(self, node: Any) -> Optional[List[Any]]:
        """The states of the sources that a node may draw from; None of one that draws nothing."""
        return self._seeds.get(id(node))


class _Taken(threading.local):
    """The seeds of what this thread makes."""

    seeds: Optional['Seeds'] = None


_taken = _Taken()


class Seeds:
    """A context that takes note of the seeds of draws, in `taken`, or gives those that were taken.

    A draw without a seed asks NumPy for one. What is made again asks nothing: a program may count on what NumPy gives
    next.
    """

    def __init__(self, given: Sequence[int] = ()) -> None:
        self.given, self.taken = list(given), []  # type: Tuple[List[int], List[int]]

    def __enter__(self) -> 'Seeds':
        self._outer, _taken.seeds = _taken.seeds, self
        self._numpy = np.random.get_state() if self.given else None
        return self

    def __exit__(self, *error: Any) -> None:
        _taken.seeds = self._outer
        if self._numpy is not None:
            np.random.set_state(self._numpy)


def seed_of_draw(seed: int) -> int:
    """The seed of a draw that would have this one, were it made for the first time."""
    seeds = _taken.seeds
    if seeds is None:
        return seed
    seed = seeds.given.pop(0) if seeds.given else seed
    seeds.taken.append(seed)
    return seed


def drawing(node: Any, again: bool) -> ContextManager[None]:
    """A context in which a node is evaluated, or evaluated again where what is assigned to a variable is dropped."""
    if _run.draws is None:
        return _AS_IT_IS
    if again:
        before = _run.before.get(id(node))
        return _AS_IT_IS if before is None else _as(before)
    seeds = _run.draws.seeds(node)
    if seeds is not None:
        _run.before[id(node)] = _Before([(v, snapshot(v)) for v in seeds], _library_state())
    return _AS_IT_IS


_AS_IT_IS: ContextManager[None] = nullcontext()


@contextmanager
def _as(before: _Before) -> Iterator[None]:
    now = _library_state()
    for variable, value in before.seeds:
        variable.assign(value)
    _set_library_state(before.library)
    try:
        yield
    finally:
        _set_library_state(now)


def _library_state() -> Any:
    """The state of the source that PyTorch has, from which Keras draws there unless it is given a seed."""
    if BACKEND != 'torch':
        return None
    import torch

    return torch.get_rng_state(), torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []


def _set_library_state(state: Any) -> None:
    if state is not None:
        import torch

        torch.set_rng_state(state[0])
        if state[1]:
            torch.cuda.set_rng_state_all(state[1])


def source_of_the_run() -> Optional[Any]:
    """The source for what has no other while a function runs that computes gradients."""
    return None if _run.draws is None else _run.draws.generator
