"""Optimizers of Keras: `get_updates`, `minimize`, and the decay of rates."""

import functools
import sys
from contextlib import ExitStack
from typing import Any, Callable, Dict, List, NamedTuple, Sequence

from ...errors import ArgumentTypeError, ArgumentValueError
from ..launcher.cures import around
from .names import owner, put_around

# -- get_updates -------------------------------------------------------------------------------------------------------
# `get_updates(loss, params)` of Keras 2: the step of an optimizer, told as a list of updates.
#
# Keras 2 called it once, for a graph. Here it is called in each step, or when a step is compiled. What it makes is
# made in a first run, and all its updates take effect together at the end, from the values that were there before.


_MADE, _RATE = '_keras_backend_made', '_keras_backend_rate'
# Where a program may put a K.update of its own.
_MODULES_OF_K = ('keras.backend', 'keras._tf_keras.keras.backend', 'tensorflow.keras.backend')


class Loss(NamedTuple):
    """Stands for the loss in `get_updates`: its gradients are there, its value is not."""

    gradients: Dict[int, Any]


def _refused(name: str) -> Callable[..., Any]:
    def refuse(self: Any, *others: Any) -> Any:
        raise ArgumentTypeError(
            'get_updates: the loss has no value here, because Keras 3 has computed its gradients already; use '
            'self.get_gradients(loss, params) or K.gradients(loss, params), and leave out other terms.'
        )

    refuse.__name__ = name
    return refuse


@functools.lru_cache(maxsize=None)
def _later() -> Any:
    from ...engines.keras3_backend.state.variable import Variable

    class Later(Variable):
        """The counter of steps while `__init__` runs: what is computed from it there would never change."""

        optimizer = ''

        @property
        def value(self) -> Any:
            if self.optimizer:
                raise ArgumentValueError(
                    f'{self.optimizer}.__init__ computes with self.iterations, and Keras 3 computes it at once, from '
                    '0; move the line to the beginning of get_updates, which runs in every step.'
                )
            return super().value

    return Later


def later(optimizer: Any) -> Any:
    """What stands for the counter of steps of an optimizer while its `__init__` runs."""
    counter = _later()(0, dtype='int32', trainable=False)
    counter.optimizer = type(optimizer).__name__
    return counter


_OPERATORS = [
    side.format(name) for name in 'add sub mul truediv floordiv mod pow'.split() for side in ('__{}__', '__r{}__')
]
for _name in [*_OPERATORS, '__array__', '__bool__', '__float__', '__neg__']:
    setattr(Loss, _name, _refused(_name))


@around
def of_losses(gradients: Any, loss: Any, variables: Any) -> Any:
    """K.gradients that also takes the loss of `get_updates`."""
    return [loss.gradients[id(v)] for v in variables] if isinstance(loss, Loss) else gradients(loss, variables)


def _get_gradients(self: Any, loss: Any, params: Any) -> List[Any]:
    """The gradients of a loss, clipped as the optimizer says."""
    from ...engines import keras3_backend as K

    if not isinstance(loss, Loss):
        gradients: List[Any] = K.gradients(loss, params)
        return gradients
    # Keras 2 clipped by the norm first here.
    return clipped(self, [loss.gradients[id(v)] for v in params], ('clipnorm', 'global_clipnorm', 'clipvalue'))


# In the order of the optimizers of tf.keras 2.0 to 2.10.
CLIPS = 'clipvalue', 'clipnorm', 'global_clipnorm'


def clipped(optimizer: Any, grads: List[Any], order: Sequence[str] = CLIPS) -> List[Any]:
    """Gradients after all of `clipvalue`, `clipnorm` and `global_clipnorm` that an optimizer has, in an order."""
    from .tf_on_keras.arithmetic import clip_by_global_norm, clip_by_norm, clip_by_value

    for name in order:
        most = getattr(optimizer, name, None)
        if not most:
            continue
        if name == 'global_clipnorm':
            grads = clip_by_global_norm(grads, most)[0]
        elif name == 'clipnorm':
            grads = [clip_by_norm(g, most) for g in grads]
        else:
            grads = [clip_by_value(g, -most, most) for g in grads]
    return grads


def first_run(self: Any, variables: List[Any]) -> None:
    """Run `get_updates` once before training, for what it makes. Nothing stays changed."""
    from keras import ops

    from ...engines.keras3_backend.state.updates import Made

    record = vars(self)[_MADE] = Made()
    before = [(v, ops.copy(ops.convert_to_tensor(v.value))) for v in variables]
    _run(self, [ops.zeros(v.shape, v.dtype) for v in variables], variables)
    for v, value in before:
        v.assign(value)
    record.complete = True
    # Keras knows the variables in attributes.
    self.keras_backend_variables = [
        v for v in record.variables + record.inner if all(v is not known for known in self.variables)
    ]


def step(self: Any, grads: List[Any], variables: List[Any]) -> None:
    """One step: the updates of `get_updates`, all from the values before it."""
    from ...engines.keras3_backend.state.updates import Update, snapshot

    updates: List[Any] = []
    for update in _run(self, grads, variables):
        if isinstance(update, tuple) and len(update) == 2:
            updates.append(update if isinstance(update, Update) else Update(*update))
    new: Dict[int, Any] = {}
    for change in updates:
        present = new[id(change[0])][1] if id(change[0]) in new else snapshot(change[0])
        new[id(change[0])] = change[0], change.new(present)
    for variable, value in new.values():
        variable.assign(value)


def _run(self: Any, grads: List[Any], variables: List[Any]) -> List[Any]:
    from ...engines.keras3_backend.state.updates import Step

    vars(self).update(updates=[], weights=[])
    with Step(vars(self)[_MADE], variables) as running, ExitStack() as stack:
        stack.callback(_forget_rates, running)
        updates: List[Any] = self.get_updates(loss=Loss({id(v): g for g, v in zip(grads, variables)}), params=variables)
    return updates


def _forget_rates(running: Any) -> None:
    for optimizer in vars(running).get('inner', ()):
        vars(optimizer).pop(_RATE, None)


def _get_updates(self: Any, loss: Any, params: Any) -> List[Any]:
    """The updates of an optimizer of Keras itself, for one of a program that is built on it."""
    from ...engines.keras3_backend.state.updates import running

    run = running()
    if run is None or run.made is None:
        raise ArgumentValueError(
            f'{type(self).__name__}.get_updates: Keras 3 has no graph of training to update; compile the model with '
            'this optimizer and call fit or train_on_batch.'
        )
    vars(run).setdefault('inner', []).append(self)
    grads = self.get_gradients(loss, params)
    if not self.built:
        self.build(run.variables)
        run.made.inner.extend(self.variables)
    update = _update_of_the_program()
    counter, others = None, []
    for variable, value in _steps_of_keras(self, grads, list(params)):
        if variable is self.iterations:
            counter = variable
        else:
            others.append(update(variable, value))
    from ...engines import keras3_backend as K

    updates = ([] if counter is None else [K.update_add(counter, 1)]) + others
    vars(self).update(updates=updates, weights=list(self.variables))
    return list(updates)


def _steps_of_keras(self: Any, grads: List[Any], params: List[Any]) -> List[Any]:
    """Pairs of variables and the values that the step of Keras gives them. The variables stay as they are."""
    import keras

    from ...engines.keras3_backend.state.updates import snapshot
    from ...engines.keras3_backend.vendor import Scope

    rate, own = vars(self).pop(_RATE, None), vars(self).get('_learning_rate')
    known = list(self.variables) + params
    before = [(v, snapshot(v)) for v in known]
    apply = keras.optimizers.Optimizer.__mro__[0].apply
    if keras.backend.backend() == 'jax':
        mapping = [(v, rate if rate is not None and v is own else value) for v, value in before]
        with Scope(state_mapping=mapping) as scope:
            apply(self, grads, params)
        after = [scope.get_current_value(v) for v in known]
    else:
        if rate is not None:
            own.assign(rate)
        apply(self, grads, params)
        after = [snapshot(v) for v in known]
        for v, value in before:
            v.assign(value)
    if rate is not None:
        vars(self)[_RATE] = rate
    return [(v, value) for v, value in zip(known, after) if v is not own]


def _update_of_the_program() -> Any:
    """K.update; the one that a program has put into its place, if it did."""
    from ...engines import keras3_backend as K

    for name in _MODULES_OF_K:
        update = getattr(sys.modules.get(name), 'update', K.update)
        if getattr(update, '__wrapped__', update) is not K.update:
            return update
    return K.update


def set_rate(optimizer: Any, value: Any) -> bool:
    """Keep a computed learning rate for the step that runs; False where it is no such rate."""
    from ...engines.keras3_backend.state.updates import described
    from ...engines.keras3_backend.vendor import KerasVariable, keras

    if isinstance(value, KerasVariable) or not described() or not keras.ops.is_tensor(value):
        if described():
            vars(optimizer).pop(_RATE, None)
        return False
    vars(optimizer)[_RATE] = value
    return True


def is_running() -> bool:
    """Whether a `get_updates` runs."""
    from ...engines.keras3_backend.state.updates import described

    return described()


def rate_of_step(optimizer: Any) -> Any:
    """The learning rate that was set for this step; None where there is none."""
    return vars(optimizer).get(_RATE)


OF_ALL: Dict[str, Any] = {'get_updates': _get_updates, 'get_gradients': _get_gradients}


# -- decay -------------------------------------------------------------------------------------------------------------
# `decay` of optimizers, beside a learning rate that programs read and set.
#
# In tf.keras of 2019 to 2022, `lr` is a variable, and a step takes lr / (1 + decay * steps). Keras 3 has schedules for
# this, and a schedule cannot be set. So the variable stays one here, and the division belongs to the step.


_DECAY, _STEPPING = '_keras_backend_decay', '_keras_backend_stepping'


def rates_beside_decay(keras: Any) -> str:
    """Let `K.set_value(optimizer.lr, rate)` and callbacks set the learning rate of an optimizer with `decay`."""
    base = keras.optimizers.Optimizer
    base.keras_backend_takes_decay = True
    put_around(base, ('_backend_apply_gradients',), _stepping)
    holder = owner(base, 'learning_rate')
    of_keras = vars(holder)['learning_rate']
    holder.learning_rate = property(_rate(of_keras.fget, keras), of_keras.fset)
    put_around(base, ('get_config',), _with_decay)
    return 'Optimizer.learning_rate, Optimizer.get_config'


def set_decay(optimizer: Any, decay: float) -> None:
    """Let the steps of an optimizer divide its learning rate by 1 + decay * steps."""
    vars(optimizer)[_DECAY] = float(decay)


@around
def _stepping(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    vars(self)[_STEPPING] = True
    try:
        return original(self, *args, **kwargs)
    finally:
        vars(self)[_STEPPING] = False


@around
def _rate(original: Any, keras: Any, self: Any) -> Any:
    decay = vars(self).get(_DECAY)
    if not decay:
        return original(self)
    if not vars(self).get(_STEPPING):
        own = vars(self).get('_learning_rate')
        return own if hasattr(own, 'assign') else original(self)
    rate = keras.ops.convert_to_tensor(original(self))
    return rate / (1 + decay * keras.ops.cast(self.iterations, rate.dtype))


@around
def _with_decay(original: Any, self: Any) -> Dict[str, Any]:
    config, decay = original(self), vars(self).get(_DECAY)
    return {**config, 'decay': decay} if decay else config


# -- minimize ----------------------------------------------------------------------------------------------------------
# `optimizer.minimize(loss, variables, tape=tape)`: gradients of a loss, and one step by them.


def minimize(keras: Any) -> str:
    """Give optimizers `minimize`, of a function without arguments, or of a loss that a tape has recorded."""
    optimizer = keras.optimizers.Optimizer
    if hasattr(optimizer, 'minimize'):
        return ''
    optimizer.minimize = _minimize
    return 'Optimizer.minimize'


def _minimize(self: Any, loss: Any, var_list: Any, grad_loss: Any = None, name: Any = None, tape: Any = None) -> Any:
    """Lower a loss by one step. var_list: the variables, or a function that gives them."""
    if tape is None:
        if not callable(loss):
            raise ValueError('`tape` is required when a `Tensor` loss is passed.')
        tape = sys.modules['tensorflow'].GradientTape()
    if callable(loss):
        with tape:
            value = loss()
            variables = var_list() if callable(var_list) else var_list
    else:
        value, variables = loss, var_list() if callable(var_list) else var_list
    gradients = tape.gradient(value, variables, grad_loss)
    return self.apply_gradients(list(zip(gradients, variables)))
