"""Results of `K.function`: what they are called with, one rule and one error for all engines."""

from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Set, Tuple

import numpy as np

from ..contract.kinds import shown
from ..errors import ArgumentTypeError, ArgumentValueError, FeedError

IsTensor = Callable[[Any], bool]


def check_options(given: Iterable[str], options: Sequence[str]) -> None:
    """Refuse options of K.function that the engine does not know."""
    unknown = sorted(set(given) - set(options))
    if unknown:
        raise ArgumentValueError(
            f'K.function does not know {", ".join(unknown)}; besides inputs, outputs, updates and name it takes '
            f'{", ".join(options)}.'
        )


class Feeding:
    """The inputs that a function is fed with.

    `tensors` are those that are fed. `count` is the number of values in a call that feeds each of them, and nothing
    else. It is -1 where the learning phase is among the inputs though K.set_learning_phase has fixed it.
    """

    def __init__(self, what: str, inputs: Any, phase: Any, is_tensor: IsTensor) -> None:
        """phase: what K.learning_phase() has been fixed at; anything but a number where it has not been."""
        if not isinstance(inputs, (list, tuple)):
            if not is_tensor(inputs):
                raise ArgumentTypeError(f'The inputs of K.function are a list of placeholders, got {inputs!r}.')
            inputs = [inputs]
        self._what, self._phase = what, phase
        self._fixed = [isinstance(t, (int, np.integer)) for t in inputs]
        for i, (t, fixed) in enumerate(zip(inputs, self._fixed)):
            if fixed and not (isinstance(phase, int) and t == phase):
                raise ArgumentTypeError(
                    f'inputs[{i}] of K.function is the number {t!r} and no placeholder; leave it out.'
                )
        self.tensors = [t for t, fixed in zip(inputs, self._fixed) if not fixed]
        self.count = -1 if any(self._fixed) else len(inputs)
        before: Set[int] = set()
        for t in self.tensors:
            if id(t) in before:
                raise FeedError(f'{getattr(t, "name", None) or "A tensor"} is given twice in the inputs of K.function.')
            before.add(id(t))

    def values(self, given: Any, names: Sequence[str], defaults: Dict[int, Any]) -> List[Any]:
        """One value for each of `tensors`, which have these names and, by their place, defaults.

        Surplus values are ignored. A missing value has its default.
        """
        several = isinstance(given, (list, tuple))
        rest = list(given) if several else [given]
        values: List[Any] = []
        missing: List[str] = []
        for fixed in self._fixed:
            index = len(values) + len(missing)
            if fixed:
                self._agree(rest[:1])
            elif rest:
                values.append(rest[0])
            elif index in defaults:
                values.append(defaults[index])
            else:
                missing.append(names[index])
            del rest[:1]
        if missing:
            left, count = iter(names), len(self._fixed)
            expected = ', '.join(['the learning phase' if fixed else next(left) for fixed in self._fixed])
            got = f'{len(given)} of them' if several else f'one value of type {type(given).__name__}'
            raise FeedError(
                f'{self._what} takes a list of {count} value{"s"[: count != 1]} ({expected}), got {got}; also '
                f'feed {" and ".join(missing)}.'
            )
        return values

    def _agree(self, values: List[Any]) -> None:
        if values and not np.array_equal(np.asarray(values[0]), self._phase):
            raise FeedError(
                f'{self._what} is fed with the learning phase {values[0]!r}, but K.set_learning_phase had '
                f'fixed it at {self._phase} when the function was built; leave it out of the call.'
            )


class Function:
    """The result of `K.function`: called with a list of values, it returns a list of arrays.

    An engine says in `_results` how it runs, in `_names` how errors call the inputs, and in `_defaults` which of them
    have a value where nothing is fed.
    """

    name: str
    inputs: List[Any]
    updates: List[Any]

    def __init__(self, name: Optional[str], inputs: Any, outputs: Any, phase: Any, is_tensor: IsTensor) -> None:
        """phase, is_tensor: see `Feeding`."""
        self.name = name or 'function'
        self._single = is_tensor(outputs)
        self.outputs: List[Any] = [outputs] if self._single else list(outputs)
        self._feeding = Feeding(self.name, inputs, phase, is_tensor)
        self._count = self._feeding.count

    def __call__(self, inputs: Any = ()) -> Any:
        if (inputs.__class__ is not list and inputs.__class__ is not tuple) or len(inputs) != self._count:
            inputs = self._feeding.values(inputs, self._names(), self._defaults())
        results = self._results(inputs)
        return results[0] if self._single else results

    def _results(self, values: Sequence[Any]) -> List[Any]:
        """The results of one call, which `values` are fed to."""
        raise NotImplementedError

    def _names(self) -> List[str]:
        return [t.name for t in self.inputs]

    def _defaults(self) -> Dict[int, Any]:
        """By the place of the input."""
        return {}


def no_update(given: Any, also: str = '') -> ArgumentTypeError:
    """The error for something else than an update. also: what else the engine takes."""
    return ArgumentTypeError(
        f'updates has to hold pairs (variable, new value) or results of K.update{also}, got {shown(given)}.'
    )


def pair(update: Any) -> Tuple[Any, Any]:
    """The variable and the new value of an update that is a pair."""
    try:
        variable, new = update
    except (TypeError, ValueError):
        raise no_update(update) from None
    return variable, new
