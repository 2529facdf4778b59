"""The step of an optimizer of a program, while it runs: its updates wait, and what it makes is made once.

`get_updates` of Keras 2 ran once and described a graph. Here it runs in each step. A variable that it makes has to be
the same one each time, and K.update must not change what the lines after it read.
"""

import threading
from typing import Any, Callable, Dict, List, Optional

from ....errors import ArgumentValueError


class Made:
    """What the first run of a `get_updates` made, in order: variables, and the values that K.get_value gave."""

    def __init__(self) -> None:
        self.variables: List[Any] = []
        self.values: List[Any] = []
        # Those of optimizers of Keras that it is built on.
        self.inner: List[Any] = []
        self.complete = False


class Step:
    """A context in which a step runs.

    Parameters
    ----------
    made : Made, optional
        What the first run made, for a step that describes its updates. Without it K.update takes effect at once and
        returns the new value, as it did in eager mode.
    variables : list
        The variables that are trained.
    """

    def __init__(self, made: Optional[Made] = None, variables: Any = ()) -> None:
        self.made, self.variables = made, list(variables)
        self._places: Dict[str, int] = {'variables': 0, 'values': 0}
        self._outer: Optional[Step] = None

    def __enter__(self) -> 'Step':
        self._outer, _STATE.step = _STATE.step, self
        return self

    def __exit__(self, *error: Any) -> None:
        _STATE.step = self._outer

    def once(self, kind: str, make: Callable[[], Any]) -> Any:
        """What the first run made at this place."""
        if self.made is None:
            return make()
        known = getattr(self.made, kind)
        if not self.made.complete:
            known.append(make())
            return known[-1]
        place = self._places[kind]
        if place >= len(known):
            raise ArgumentValueError(
                'get_updates of the optimizer makes more variables now than in its first run; make them in every run, '
                'or in __init__.'
            )
        self._places[kind] += 1
        return known[place]


class _State(threading.local):
    """The step that runs in this thread."""

    step: Optional[Step] = None


_STATE = _State()


def running() -> Optional[Step]:
    """The step of an optimizer that runs now."""
    return _STATE.step


def once(kind: str, make: Callable[[], Any]) -> Any:
    """What `make` returns; inside of `get_updates` what it returned in the first run."""
    step = _STATE.step
    return make() if step is None else step.once(kind, make)


def described() -> bool:
    """Whether `get_updates` runs: it describes updates, which the optimizer makes afterwards."""
    return _STATE.step is not None and _STATE.step.made is not None
