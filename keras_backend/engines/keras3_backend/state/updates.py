"""Updates of variables: pairs for K.function, and assignments where the values are there."""

from typing import Any, Callable, Dict, List, NamedTuple, Sequence

import numpy as np

from ....basics.calls import no_update
from ....contract.kinds import shown
from ....errors import ArgumentValueError
from ..tensors.dtypes import cast, name_of
from ..tensors.valued import Valued, is_constant, plain
from ..vendor import KerasVariable, in_stateless_scope, is_symbolic, keras
from .phase import LOCK, described, running

_UNKNOWN = object()
# The attribute of a variable that counts how often the program has set it.
_SETS = '_k_sets'


class Update(tuple):  # type: ignore[type-arg]  # Python 3.6 knows no tuple[...]
    """A pair (variable, value) with `operation`: 'set', or 'add' or 'sub' for what goes onto the present value.

    `before` is the value that the variable had before the update was made at once, if it was, and `sets` how often
    the program had set the variable.
    """

    operation: str
    before: Any
    sets: int
    # What gives the new value in each run: a variable, a tensor with a recipe, a function that returns a KerasTensor.
    # True where a tensor was given that cannot be computed again.
    source: Any = None

    def __new__(cls, variable: Any, value: Any, operation: str = 'set') -> 'Update':
        instance = super().__new__(cls, (variable, value))
        instance.operation, instance.before = operation, _UNKNOWN
        return instance

    def new(self, present: Any) -> Any:
        """The new value of the variable that has the value `present`."""
        return after(self.operation, present, self[1])


def after(operation: str, present: Any, change: Any) -> Any:
    """The value of a variable after an update, `present` being the value before it."""
    if operation == 'set':
        return change
    return present + change if operation == 'add' else present - change


def update(variable: Any, value: Any, operation: str = 'set') -> Any:
    """Assign `value` now, if it is there; one of KerasTensors is for K.function to compute."""
    step = running()
    if described():
        # The optimizer makes it when all its updates are there.
        return Update(variable, snapshot(value) if isinstance(value, KerasVariable) else value, operation)
    assignment = Update(variable, value, operation)
    if not is_symbolic(value):
        with LOCK:
            if at_the_top():
                assignment.before, assignment.sets = snapshot(variable), times_set(variable)
            variable.assign(assignment.new(variable.value))
    return assignment if step is None else snapshot(variable)


def at_the_top() -> bool:
    """Whether values are numbers here, and nothing is being traced."""
    if in_stateless_scope():
        return False
    if keras.backend.backend() == 'tensorflow':
        import tensorflow as tf

        return bool(tf.executing_eagerly())
    return True


def snapshot(variable: Any) -> Any:
    """The present value of a variable, which stays what it is when the variable changes."""
    value = keras.ops.stop_gradient(keras.ops.convert_to_tensor(variable.value))
    if hasattr(value, 'read_value'):
        return value.read_value()
    return value.clone() if hasattr(value, 'clone') else value


def times_set(variable: Any) -> int:
    """How often the program has set the variable."""
    return int(vars(variable).get(_SETS, 0))


def set_by_program(variable: Any, value: Any) -> None:
    """Set the variable, as K.set_value does."""
    setattr(variable, _SETS, times_set(variable) + 1)
    variable.assign(value)


class Planned(NamedTuple):
    """The plan of a function for one variable: the values of all its updates, in order."""

    variable: Any
    operations: List[str]
    values: List[Any]

    def new(self, present: Any, values: Sequence[Any]) -> Any:
        """The new value: an assignment replaces what came before it, increments add up."""
        for operation, value in zip(self.operations, values):
            present = after(operation, present, value)
        return present


def planned(updates: Sequence[Any], symbol: Callable[[Any], Any]) -> List[Planned]:
    """The updates that K.function was given, gathered by variable. Those that were made at once are taken back.

    K.update_add(counter, 1) in the updates of a function means one more in every call; it cannot know when it is
    written that it is not meant for now. `symbol` makes KerasTensors of what has a recipe.
    """
    pairs: List[Update] = []
    for pair in updates:
        if not isinstance(pair, Update):
            if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], KerasVariable):
                raise no_update(pair)
            value = pair[1]
            pair = Update(*pair)
            pair.source = _source(value)
        if pair.source is True:
            raise ArgumentValueError(
                f'updates of K.function: the new value of {pair[0].name} was computed already, {shown(pair[1])}, so '
                'every call would set the same; use K.update_add and K.update_sub with a number, pass an array, or '
                'build the value from K.placeholder or an Input.'
            )
        if not any(pair is other for other in pairs):
            pairs.append(pair)
    with LOCK:
        for pair in reversed(pairs):
            if pair.before is not _UNKNOWN:
                # What the program has set since then stays.
                if pair.sets == times_set(pair[0]):
                    pair[0].assign(pair.before)
                pair.before = _UNKNOWN
    plans: Dict[int, Planned] = {}
    for pair in pairs:
        variable, value = pair
        plan = plans.setdefault(id(variable), Planned(variable, [], []))
        if pair.operation == 'set':
            del plan.operations[:], plan.values[:]
        plan.operations.append(pair.operation)
        if pair.source.__class__ is Valued:
            value = cast(symbol(pair.source), name_of(variable))
        elif callable(pair.source):
            value = pair.source()
        elif pair.source is not None:
            value = pair.source
        plan.values.append(value)
    return list(plans.values())


def _source(value: Any) -> Any:
    """Where the new value of a pair is from; None where it is an array or a KerasTensor."""
    if value.__class__ is Valued:
        return True if value.changed else value
    if is_constant(value):
        return value
    return True if keras.ops.is_tensor(value) and not isinstance(value, KerasVariable) else None


def value_of(x: Any, what: str = 'K.get_value') -> Any:
    """The value of a variable or a computed tensor, as an array of NumPy."""
    x = plain(x)
    if is_symbolic(x):
        raise ArgumentValueError(
            f'{what}: {x.name} is a KerasTensor, which has no value; K.function([inputs], [x]) computes it.'
        )
    return keras.ops.convert_to_numpy(x.value if isinstance(x, KerasVariable) else x)


def given(value: Any) -> Any:
    """The array of a variable or of a tensor that has its value; anything else as it is."""
    value = plain(value)
    if is_symbolic(value) or isinstance(value, np.ndarray) or not at_the_top():
        return value
    if not isinstance(value, KerasVariable) and not keras.ops.is_tensor(value):
        return value
    return value_of(keras.ops.cast(value, 'float32') if name_of(value) == 'bfloat16' else value)
