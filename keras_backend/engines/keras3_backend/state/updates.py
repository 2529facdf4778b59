"""What changes: the learning phase, the step of an optimizer while it runs, and updates of variables."""

import threading
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from ....basics.calls import no_update
from ....basics.threads import Lock
from ....contract.kinds import shown
from ....errors import ArgumentTypeError, ArgumentValueError, ShapeError
from ..tensors.dtypes import cast, name_of
from ..tensors.operations import OwnLayer, registered
from ..tensors.valued import Valued, is_constant, plain
from ..vendor import KerasVariable, call_context, in_stateless_scope, is_symbolic, keras

# -- the lock of all that changes --------------------------------------------------------------------------------------
# The lock of all that changes: values of variables, and what is made once for a layer or a variable.


LOCK = Lock()


# -- the learning phase ------------------------------------------------------------------------------------------------
# The learning phase, where it is known and where it is not.


def _refusal(name: str) -> Callable[..., Any]:
    def refuse(self: Any, *others: Any) -> Any:
        raise ArgumentTypeError(
            'K.learning_phase: Keras 3 has no tensor of the learning phase, so nothing can be computed from it; use '
            'K.in_train_phase(x, alt), or give the call of your layer an argument training.'
        )

    refuse.__name__ = name
    return refuse


class LearningPhase:
    """Stands for the learning phase where it is not known. It can only be an input of K.function."""

    name = 'keras_learning_phase'
    _uses_learning_phase = True
    shape, dtype = (), 'int32'
    __array__ = _refusal('__array__')

    def __repr__(self) -> str:
        return '<the learning phase>'


for _name in 'add sub mul truediv floordiv mod pow and or'.split():
    for _side in ('__{}__', '__r{}__'):
        setattr(LearningPhase, _side.format(_name), _refusal(_side.format(_name)))
for _name in '__bool__ __int__ __float__ __index__ __neg__ __abs__ __lt__ __le__ __gt__ __ge__ __invert__'.split():
    setattr(LearningPhase, _name, _refusal(_name))

PHASE = LearningPhase()


class _State:
    """The phase that K.set_learning_phase set, None before its first call; and whether the warning was given."""

    fixed: Optional[int] = None
    warned = False


def set_learning_phase(value: Optional[int]) -> None:
    """Set the phase of K.function, and that of K.in_train_phase outside of the calls of layers.

    Keras hands the phase of `fit` and `predict` on by itself; nothing changes that.
    """
    _State.fixed = value


def fixed_phase() -> Optional[int]:
    """The phase that K.set_learning_phase set, None before its first call."""
    return _State.fixed


def learning_phase() -> Any:
    """0 or 1 in the call of a layer; else what was set, or the object that stands for the phase."""
    context = call_context()
    if context is not None:
        training = context.training
        return training if keras.ops.is_tensor(training) or is_symbolic(training) else int(bool(training))
    return PHASE if _State.fixed is None else _State.fixed


@registered
class InTrainPhase(OwnLayer):
    """The first tensor where the model is trained, else the second."""

    def call(self, x: Any, alt: Any, training: Optional[bool] = None) -> Any:
        return keras.ops.convert_to_tensor(x if training else alt)

    def compute_output_spec(self, x: Any, alt: Any, training: Optional[bool] = None) -> Any:
        if len(x.shape) != len(alt.shape):
            raise ShapeError(f'x of shape {tuple(x.shape)} and alt of shape {tuple(alt.shape)} differ in rank.')
        sizes = [a if a == b else None for a, b in zip(x.shape, alt.shape)]
        return keras.KerasTensor(sizes, keras.backend.standardize_dtype(x.dtype))

    def get_config(self) -> Dict[str, Any]:
        return {'name': self.name}


def by_phase(x: Any, alt: Any, together: Callable[[Any, Any], List[Any]]) -> Any:
    """`x` where the phase is 1, else `alt`; both may be functions. `together` makes tensors of one dtype of them."""

    def value(expression: Any) -> Any:
        computed = is_symbolic(expression) or keras.ops.is_tensor(expression)
        return expression() if callable(expression) and not computed else expression

    phase = learning_phase()
    if phase is not PHASE:
        return value(x if phase else alt)
    x, alt = value(x), value(alt)
    if is_symbolic(x) or is_symbolic(alt):
        chosen = InTrainPhase()(*together(x, alt))
        chosen._uses_learning_phase = True
        return chosen
    if not _State.warned:
        _State.warned = True
        warnings.warn(
            'K.in_train_phase: Keras 3 does not say the learning phase in losses, metrics and outside of models; it is '
            '0 there. K.set_learning_phase(1) changes that.',
            stacklevel=3,
        )
    return alt


# -- steps -------------------------------------------------------------------------------------------------------------
# The step of an optimizer of a program, while it runs: its updates wait, and what it makes is made once.
#
# `get_updates` of Keras 2 ran once and described a graph. Here it runs in each step. A variable that it makes has to
# be the same one each time, and K.update must not change what the lines after it read.


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
        index = self._places[kind]
        if index >= len(known):
            raise ArgumentValueError(
                'get_updates of the optimizer makes more variables now than in its first run; make them in every run, '
                'or in __init__.'
            )
        self._places[kind] += 1
        return known[index]


class _Steps(threading.local):
    """The step that runs in this thread."""

    step: Optional[Step] = None


_STATE = _Steps()


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


# -- updates -----------------------------------------------------------------------------------------------------------
# Pairs for K.function, and assignments where the values are there.


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
