"""The front of the engine of Keras 3: what differs from the front's own words."""

from functools import wraps
from typing import Any, Callable, FrozenSet, Optional

import numpy as np

from ... import config
from ...basics.dtypes import is_mask
from ...basics.shapes import spatial
from ...contract import CONTRACT
from ...errors import ArgumentTypeError
from ...front import Front
from ...front.base import note
from ...front.shape import bias_along
from .graph.recipes import RECORDED, computed, evaluated, is_unknown, leaves, place_in, recording, symbol, value_or_node
from .graph.recipes import beside as symbol_beside
from .library import Keras3Library
from .primitives import direct
from .primitives.places import is_class
from .primitives.slopes import Activation, Crossentropy, left_logits, list_logits, may_have_logits
from .state.updates import LOCK, Update, by_phase, given
from .state.variable import Variable, no_new_variables, read
from .tensors.dtypes import FLOAT32, beside
from .tensors.indexing import item_of, spec_of
from .tensors.operations import Tensor as OwnTensor
from .tensors.operations import as_k_tensor
from .tensors.sizes import is_symbol, named_sizes
from .tensors.valued import Valued, is_constant, mark_constant, plain
from .vendor import BACKEND, COMPUTED, SETTINGS, KerasVariable, is_symbolic, keras

Tensor = Any


class Keras3(Front):
    """K over Keras 3. A comment says why a method is here."""

    def backend(self) -> str:
        # Programs ask it to know what is below.
        name: str = keras.backend.backend()
        return name

    def is_symbolic(self, x: Any) -> bool:
        # All other tensors have their values.
        return is_symbolic(x)

    def is_keras_tensor(self, x: Any) -> bool:
        return super().is_keras_tensor(x) and is_symbolic(x)

    # While JAX infers shapes, sizes may be names, of which no tensor can be made.
    def stack(self, x: Any, axis: Any = 0) -> Any:
        sizes = named_sizes([[size] for size in x] if isinstance(x, (list, tuple)) and axis == 0 else None)
        return super().stack(x, axis) if sizes is None else sizes

    def concatenate(self, tensors: Any, axis: Any = -1) -> Any:
        sizes = named_sizes(tensors if isinstance(tensors, (list, tuple)) and axis in (0, -1) else None)
        return super().concatenate(tensors, axis) if sizes is None else sizes

    def update(self, x: Any, new_x: Any) -> Any:
        return self._meant(super().update(x, new_x), new_x)

    def update_add(self, x: Any, increment: Any) -> Any:
        return self._meant(super().update_add(x, increment), increment)

    def update_sub(self, x: Any, decrement: Any) -> Any:
        return self._meant(super().update_sub(x, decrement), decrement)

    def moving_average_update(self, x: Any, value: Any, momentum: Any) -> Any:
        symbolic = [t for t in (value, momentum) if is_symbolic(t)]
        if symbolic:
            return self._averaged(x, _read(value, symbolic[0]), _read(momentum, symbolic[0]), symbolic[0])
        update = self._averaged(x, plain(value), plain(momentum))
        if isinstance(update, Update) and recording():
            update.source = True
            if not is_unknown(value) and not is_unknown(momentum):
                again = [symbol(t) if _made_of_variables(t) else t for t in (value, momentum)]
                update.source = lambda: self._averaged(x, again[0], again[1], symbol(x))[1]
        return update

    def _averaged(self, x: Any, value: Any, momentum: Any, anchor: Any = None) -> Any:
        library: Any = self.library
        before, library.anchor = library.anchor, anchor
        try:
            # Nothing changes the variable between reading and setting it.
            with LOCK:
                return super().moving_average_update(x, value, momentum)
        finally:
            library.anchor = before

    def _meant(self, made: Any, value: Any) -> Any:
        # The update is made at once, and K.function makes it again: then it has to know where the value was from.
        if not isinstance(made, Update) or made.source is not None:
            return made
        if isinstance(value, KerasVariable):
            made.source = value
        elif value.__class__ is Valued and not value.changed:
            made.source = value
        elif self.library.is_tensor(value) and not is_symbolic(value) and not is_symbol(value):
            made.source = value if is_constant(value) else True
        return made

    # `rate * 0.5` of a variable is a tensor that has its value.
    def set_value(self, x: Any, value: Any) -> None:
        if x.__class__ in COMPUTED and not isinstance(x, KerasVariable):
            raise ArgumentTypeError(
                'x is a tensor that was computed, such as the learning rate of a schedule or of `decay`, and no '
                'variable; make the optimizer with a number as learning_rate, and set that.'
            )
        super().set_value(x, given(value))

    def batch_set_value(self, tuples: Any) -> None:
        pairs = self.listed(tuples, 'tuples')
        super().batch_set_value(
            [(p[0], given(p[1])) if isinstance(p, (list, tuple)) and len(p) == 2 else p for p in pairs]
        )

    def shape(self, x: Any) -> Any:
        # An array of integers if all sizes are known: under jit a tensor could not be a shape.
        return self.F.shape(x if self.library.is_sparse(x) else self.operand(x))

    def binary(self, name: str, x: Any, y: Any) -> Any:
        # A number would become a tensor in each call; the same one does.
        if y.__class__ in _NUMBERS and x.__class__ in COMPUTED:
            y = beside(x, y, self.library.number)
        elif x.__class__ in _NUMBERS and y.__class__ in COMPUTED:
            x = beside(y, x, self.library.number)
        return super().binary(name, x, y)

    def bias_add(self, x: Any, bias: Any, data_format: Optional[str] = None) -> Any:
        # TensorFlow has the sum with a bias, and its gradient, as one operation each, and Keras knows when.
        return self.binary('add', x, bias_along(self, x, bias, data_format))

    def relu(self, x: Any, alpha: Any = 0.0, max_value: Any = None, threshold: Any = 0.0) -> Tensor:
        # A computed tensor of float32 needs no checks. They take a tenth of the call on TensorFlow.
        if x.__class__ in COMPUTED and x.dtype is FLOAT32 and alpha is _NO_SLOPE and threshold is _AT_ZERO:
            if max_value is None:
                return direct.RELU(x)
        return super().relu(x, alpha, max_value, threshold)

    # With notes of the logits for crossentropies, which computed tensors take as they are.
    def sigmoid(self, x: Any) -> Tensor:
        if x.__class__ in COMPUTED or BACKEND == 'tensorflow':
            return super().sigmoid(x)
        return self._noted('sigmoid', self.floating(x), super().sigmoid)

    def softmax(self, x: Any, axis: Any = -1) -> Tensor:
        if x.__class__ in COMPUTED or BACKEND == 'tensorflow':
            return super().softmax(x, axis)
        x = self.floating(x)
        if self.axis(x, axis) < len(x.shape) - 1:
            return super().softmax(x, axis)
        return self._noted('softmax', x, super().softmax)

    def _noted(self, kind: str, x: Tensor, activation: Callable[[Tensor], Tensor]) -> Tensor:
        if is_symbolic(x):
            result = Activation(kind)(x)
            note(result, _k_logits=(kind, x))
            return result
        result = activation(x)
        if BACKEND == 'jax' and result.__class__ not in COMPUTED:
            list_logits(result, kind, x)
        return result

    def logits(self, probabilities: Any, activation: str) -> Any:
        noted = super().logits(probabilities, activation)
        return noted if noted is not None or is_symbolic(probabilities) else left_logits(probabilities, activation)

    def binary_crossentropy(self, target: Any, output: Any, from_logits: bool = False) -> Tensor:
        if not from_logits and may_have_logits(output, 'sigmoid'):
            return Crossentropy('binary_crossentropy')(self.operand(target), output)
        return super().binary_crossentropy(target, output, from_logits)

    def categorical_crossentropy(self, target: Any, output: Any, from_logits: bool = False, axis: Any = -1) -> Tensor:
        if not from_logits and may_have_logits(output, 'softmax'):
            return Crossentropy('categorical_crossentropy', axis)(self.operand(target), output)
        return super().categorical_crossentropy(target, output, from_logits, axis)

    def sparse_categorical_crossentropy(
        self, target: Any, output: Any, from_logits: bool = False, axis: Any = -1, ignore_class: Optional[int] = None
    ) -> Tensor:
        if not from_logits and may_have_logits(output, 'softmax'):
            crossentropy = Crossentropy('sparse_categorical_crossentropy', axis, ignore_class)
            return crossentropy(self.operand(target), output)
        return super().sparse_categorical_crossentropy(target, output, from_logits, axis, ignore_class)

    def is_class(self, labels: Any, classes: Any) -> Tensor:
        return is_class(labels, classes)

    def arange(self, start: Any, stop: Any = None, step: Any = 1, dtype: Any = 'int32') -> Any:
        # JAX infers shapes with names for sizes, which are no numbers yet.
        if is_symbol(start) or is_symbol(stop):
            start, stop = (0, start) if stop is None else (start, stop)
            return keras.ops.arange(start, stop, step, dtype=self.library.dtype_name(dtype))
        return super().arange(start, stop, step, dtype)

    def eye(self, size: Any, dtype: Any = None, name: Optional[str] = None) -> Any:
        # As K.zeros: where there are no new variables it is no variable.
        if not no_new_variables():
            return super().eye(size, dtype, name)
        rows, columns = spatial(size, 2, 'size', 0)
        return self.constant(np.eye(rows, columns), dtype, name=name)

    def size(self, x: Any, name: Optional[str] = None) -> Any:
        # By sizes, which may be shapes in turn.
        total = 1
        for size in self.library.items(self.shape(x)):
            total = total * size
        return np.int32(total) if isinstance(total, int) else total

    def eval(self, x: Any) -> Any:
        # The shape of a tensor is an array.
        return super().eval(x)[()]

    def in_train_phase(self, x: Any, alt: Any, training: Any = None) -> Any:
        # A layer of Keras, which alone is told the phase.
        return super().in_train_phase(x, alt, training) if training is not None else by_phase(x, alt, self.together)

    def in_test_phase(self, x: Any, alt: Any, training: Any = None) -> Any:
        return self.in_train_phase(alt, x, training)

    def item(self, x: Any, item: Any) -> Any:
        """`x[item]`."""
        if is_mask(item) or (self.library.is_tensor(item) and self.dtype(item) == 'bool' and self.library.rank(item)):
            return self.masked(x, item)
        # Keras's own index of a variable is that of the backend.
        x = self.library.used(x)
        return item_of(x, *spec_of(x, item, self.operand))

    def negative(self, x: Any) -> Any:
        """`-x`."""
        return 0 - x if self.library.dtype(x) == 'bool' else keras.ops.negative(x)

    def _gradients(self, loss: Any, variables: Any) -> Any:
        # A function is the one form of a loss that works also where the tensors are computed.
        if callable(loss) and not self.library.is_tensor(loss):
            variables = [variables] if self.library.is_tensor(variables) else self.listed(variables, 'variables')
            return self.noted(loss, variables, self.library.gradients(loss, variables))
        return super().gradients(loss, variables)

    def gradients(self, loss: Any, variables: Any) -> Any:
        losses = list(loss) if isinstance(loss, (list, tuple)) else [loss]
        by = [variables] if self.library.is_tensor(variables) else self.listed(variables, 'variables')
        if any([is_symbolic(t) for t in losses]) or not recording():
            by = [place_in(t, losses) if t.__class__ is Valued else t for t in by]
            rest = iter(self._gradients(plain(loss), [t for t in by if t is not None]))
            return [None if t is None else next(rest) for t in by]
        if any([t.__class__ in COMPUTED for t in losses]) or not any([_made_of_variables(t) for t in losses]):
            return self._gradients(plain(loss), plain(by))
        symbols = [symbol(t) if _made_of_variables(t) else t for t in losses]
        return evaluated(self._gradients(symbols, [symbol(t) if t.__class__ is Valued else t for t in by]))


def _made_of_variables(x: Any) -> bool:
    return x.__class__ is Valued or isinstance(x, KerasVariable)


_NUMBERS: FrozenSet[Any] = frozenset([int, float])
# The very objects that a call has where it gives neither.
_NO_SLOPE, _AT_ZERO = [CONTRACT['relu'].signature.parameters[name].default for name in ('alpha', 'threshold')]

# Functions that take variables as they are.
_OF_VARIABLES = frozenset(
    'function gradients update update_add update_sub moving_average_update set_value get_value batch_set_value '
    'batch_get_value is_variable is_tensor is_keras_tensor is_placeholder is_sparse is_symbolic int_shape ndim dtype '
    'count_params get_variable_shape eval'.split()
)

# Those of them that ask for a value, or for what its tensor says.
_OF_VALUES = frozenset(
    'set_value get_value batch_set_value batch_get_value int_shape ndim dtype count_params get_variable_shape '
    'eval'.split()
)


def _reading(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, with the value of a variable as a node where another argument is symbolic.

    Keras would make the variable a constant of the graph: it were no weight of the model, and nothing would train it.
    What is made of variables and constants alone has its value, and a recipe (see `graph.recipes`).
    """
    drawing = method.__name__ in _DRAWING

    @wraps(method)
    def of_tensors(self: Keras3, *args: Any, **named: Any) -> Any:
        for x in args:
            if x.__class__ not in _NEITHER:
                break
        else:
            # A step draws in each of its runs.
            if drawing and not RECORDED.steps and recording():
                return computed(_bound(method, self, named), args)
            result = method(self, *args, **named)
            if result.__class__ not in COMPUTED:
                return as_k_tensor(result)
            return mark_constant(result) if _never_change(args, named) and recording() else result
        has_value, anchor = False, None
        for x in args:
            for tensor in x if x.__class__ is list or x.__class__ is tuple else (x,):
                if tensor.__class__ in _NEITHER:
                    continue
                if tensor.__class__ is Valued or isinstance(tensor, KerasVariable):
                    has_value = True
                elif is_symbolic(tensor):
                    anchor = tensor
        if has_value and anchor is not None:
            args = tuple([_read(x, anchor) for x in args])
        elif drawing and RECORDED.steps:
            args = tuple([value_or_node(x) if _made_of_variables(x) else x for x in args])
        elif (has_value or drawing) and anchor is None and recording():
            return computed(_bound(method, self, named), args)
        elif has_value:
            args = plain(args)
        result = method(self, *args, **named)
        if result.__class__ in COMPUTED and _never_change(args, named) and recording():
            return mark_constant(result)
        return as_k_tensor(result)

    return of_tensors


def _bound(method: Callable[..., Any], self: Keras3, named: Any) -> Callable[..., Any]:
    # Of results, too, that are KerasTensors: a recipe makes them again.
    return lambda *args: as_k_tensor(method(self, *args, **named))


def _never_change(args: Any, named: Any) -> bool:
    """Whether all arguments are numbers, texts, arrays and constants, so that a result of them is a constant, too."""
    return all([isinstance(x, _FIXED) or is_constant(x) for x in leaves((args, *named.values()))])


# What draws random numbers.
_DRAWING = frozenset('random_uniform random_normal truncated_normal random_binomial dropout'.split())
_FIXED = (type(None), bool, int, float, str, np.ndarray, np.generic)
# Classes of most arguments: neither variables nor KerasTensors.
_NEITHER = COMPUTED | frozenset([type(None), bool, int, float, str])


def _read(x: Any, anchor: Any) -> Any:
    if isinstance(x, KerasVariable):
        return read(x, anchor)
    if x.__class__ is Valued:
        return symbol_beside(x, anchor)
    if x.__class__ is list or x.__class__ is tuple:
        return type(x)([_read(tensor, anchor) for tensor in x])
    return x


def _plainly(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, with the values of tensors that have recipes."""

    @wraps(method)
    def of_values(self: Keras3, *args: Any, **named: Any) -> Any:
        return method(self, *[plain(x) for x in args], **named)

    return of_values


def _giving(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, with tensors of K as results."""

    @wraps(method)
    def of_any(self: Keras3, *args: Any, **named: Any) -> Any:
        return as_k_tensor(method(self, *args, **named))

    return of_any


# The functions of K, and the methods that operators stand for.
for _name in [*CONTRACT, 'binary', 'exclusive_or', 'item', 'negative']:
    if _name not in _OF_VARIABLES:
        setattr(Keras3, _name, _reading(getattr(Keras3, _name)))
for _name in _OF_VALUES:
    setattr(Keras3, _name, _plainly(getattr(Keras3, _name)))
Keras3.gradients = _giving(Keras3.gradients)  # type: ignore[method-assign]

config.follow(SETTINGS)
engine = Keras3(Keras3Library())
OwnTensor._front = Valued._front = Variable._front = Activation._front = Crossentropy._front = engine
