"""The learning phase, and the step of an optimizer while it runs."""

import threading
import warnings
from typing import Any, Callable, Dict, List, Optional

from ....basics.threads import Lock
from ....errors import ArgumentTypeError, ArgumentValueError, ShapeError
from ..vendor import call_context, is_symbolic, keras

# -- the lock of all that changes --------------------------------------------------------------------------------------
# The lock of all that changes: values of variables, and what is made once for a layer or a variable.


LOCK = Lock()


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


@keras.saving.register_keras_serializable('keras_backend')
class InTrainPhase(keras.layers.Layer):
    """The first tensor where the model is trained, else the second."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.update(autocast=False, dtype='float32')
        super().__init__(**kwargs)
        self.built = True

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
