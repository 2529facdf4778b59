"""Optimizers that programs write: classes with `get_updates` of Keras 2, or with the slots of tf.keras."""

import inspect
import sys
from contextlib import ExitStack
from typing import Any, Dict, List, Sequence, Tuple

from ..launcher.cures import around
from . import optimizer_updates
from .names import is_of_a_program, prepare_classes
from .tensors import paths_as_names

# -- classes of programs -----------------------------------------------------------------------------------------------
# Optimizers that programs write: classes with `get_updates` of Keras 2, or with the slots of tf.keras.
#
# Keras 3 calls neither. A class of a program is looked at when it is made. It gets the methods of its style here, so
# that `fit` trains by the program's own step.


# The methods of tf.keras with slots; a class with one of them is of that style.
_OF_SLOTS = ('_resource_apply_dense', '_create_slots', '_resource_apply')
_OF_UPDATES = ('get_updates', 'get_gradients')
# What says that __init__ of an optimizer of a program is running.
_MAKING = '_keras_backend_making'


def own_optimizers(keras: Any) -> str:
    """Let `fit` train by optimizers of a program with `get_updates`, `_resource_apply_dense` or `apply_gradients`."""
    base = keras.optimizers.Optimizer

    _OF_KERAS.update((name, getattr(base, name)) for name in ('apply', 'build', 'iterations', '__setattr__'))
    prepare_classes(base, _prepare_class)
    base.__init__ = _with_older_arguments(base.__init__)
    base.apply_gradients = _stepping(base.apply_gradients)
    for name, method in {**OF_ALL, **optimizer_updates.OF_ALL}.items():
        setattr(base, name, method)
    return 'Optimizer.__init_subclass__, __init__, apply_gradients, get_updates, get_gradients'


# The methods of Keras that are replaced in classes of programs.
_OF_KERAS: Dict[str, Any] = {}


def _own(made: Any, name: str) -> bool:
    """Whether a program defines the method of this name."""
    for base in made.__mro__:
        if name in vars(base):
            value = vars(base)[name]
            if not is_of_a_program(base) or value in _METHODS.values():
                return False
            return is_of_a_program(value)
    return False


def style(made: Any) -> str:
    """'slots', 'updates' or 'gradients' for a class with older methods of a program, '' for any other."""
    if any(_own(made, name) for name in _OF_SLOTS):
        return 'slots'
    if any(_own(made, name) for name in _OF_UPDATES):
        return 'updates'
    return 'gradients' if _own(made, 'apply_gradients') and not _own(made, 'apply') else ''


def _prepare_class(made: Any) -> None:
    if not style(made):
        return
    if '__init__' in vars(made):
        made.__init__ = _noted(vars(made)['__init__'])
    for name, method in _METHODS.items():
        if not _own(made, name):
            setattr(made, name, method)
    if style(made) == 'slots':
        for name, method in METHODS.items():
            if not _own(made, name):
                setattr(made, name, method)


@around
def _noted(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
    vars(self)[_MAKING] = vars(self).get(_MAKING, 0) + 1
    try:
        original(self, *args, **kwargs)
    finally:
        vars(self)[_MAKING] -= 1


@around
def _with_older_arguments(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
    if style(type(self)) and _is_bare(self):
        # tf.keras took the name first, and the learning rate came from the class itself.
        if args and (args[0] is None or isinstance(args[0], str)):
            kwargs['name'], args = args[0], args[1:]
        vars(self)['_initial_decay'] = kwargs.pop('decay', 0.0)
        rate = kwargs.pop('lr', None)
        if not args:
            kwargs.setdefault('learning_rate', 0.001 if rate is None else rate)
    original(self, *args, **kwargs)
    vars(self).setdefault('_initial_decay', 0.0)
    vars(self).update(updates=[], weights=[])


def _is_bare(optimizer: Any) -> bool:
    """Whether an optimizer is derived from no optimizer of Keras with a step of its own."""
    import keras

    of_keras = [base for base in type(optimizer).__mro__ if base.__module__.partition('.')[0] == 'keras']
    return of_keras[0] is keras.optimizers.Optimizer


@around
def _stepping(original: Any, self: Any, grads_and_vars: Any, name: Any = None, **kwargs: Any) -> Any:
    if not style(type(self)):
        return original(self, grads_and_vars)
    pairs = list(grads_and_vars)
    return _step(self, [g for g, _ in pairs], [v for _, v in pairs])


def _apply(self: Any, grads: Sequence[Any], trainable_variables: Any = None) -> Any:
    """What Keras calls in a step of training."""
    variables = self._trainable_variables if trainable_variables is None else trainable_variables
    return self.apply_gradients(list(zip(grads, variables)))


def _step(self: Any, grads: List[Any], variables: List[Any]) -> Any:
    kind = style(type(self))
    if kind == 'gradients':
        return _OF_KERAS['apply'](self, grads, variables)
    pairs = [(dense(g), v) for g, v in zip(grads, variables) if g is not None]
    with ExitStack() as stack:
        for context in _contexts():
            stack.enter_context(context)
        if not self.built:
            self.build(variables)
        run_step = step_of_slots if kind == 'slots' else optimizer_updates.step
        run_step(self, [g for g, _ in pairs], [v for _, v in pairs])
    return _OF_KERAS['iterations'].fget(self)


def dense(gradient: Any) -> Any:
    """A gradient as a tensor."""
    import keras

    return keras.ops.convert_to_tensor(gradient)


def _contexts() -> List[Any]:
    """What a step runs in: variables are named by their paths, and PyTorch keeps no gradients."""
    import keras

    contexts: List[Any] = [paths_as_names()]
    if keras.backend.backend() == 'torch':
        import torch

        contexts.append(torch.no_grad())
    return contexts


def _build(self: Any, variables: Any) -> None:
    """Make what a step keeps from one batch to the next."""
    if self.built:
        return
    with ExitStack() as stack:
        for context in _contexts():
            stack.enter_context(context)
        _OF_KERAS['build'](self, variables) if _is_bare(self) else _of_the_class(self).build(self, variables)
        if style(type(self)) == 'slots':
            make(self, list(variables))
        if style(type(self)) == 'updates':
            optimizer_updates.first_run(self, list(variables))


def _of_the_class(optimizer: Any) -> Any:
    """The optimizer of Keras that the class is derived from."""
    return next(base for base in type(optimizer).__mro__ if base.__module__.partition('.')[0] == 'keras')


def _iterations(self: Any) -> Any:
    iterations = _OF_KERAS['iterations'].fget(self)
    return optimizer_updates.later(self) if vars(self).get(_MAKING) and not self.built else iterations


def _set(self: Any, name: str, value: Any) -> None:
    """Set an attribute. Keras copies lists for its own use, which lists of updates do not stand."""
    if name == 'iterations':
        # The program sets it to a new variable that is 0. Keras counts.
        return
    if isinstance(getattr(type(self), name, None), property):
        # Keras would count the variable among those of the optimizer, beside its own.
        setter = getattr(type(self), name).fset
        setter(self, value + 0 if hasattr(value, 'assign') else value)
    elif name in ('updates', 'weights') or optimizer_updates.is_running():
        vars(self)[name] = value
    elif not set_known(self, name, value):
        _OF_KERAS['__setattr__'](self, name, value)


_METHODS: Dict[str, Any] = {'__setattr__': _set, 'apply': _apply, 'build': _build, 'iterations': property(_iterations)}


# -- slots -------------------------------------------------------------------------------------------------------------
# Optimizers of tf.keras with slots: `_create_slots`, `add_slot`, `_set_hyper`, `_resource_apply_dense`.


_HYPER, _SLOTS = '_hyper', '_keras_backend_slots'


def make(self: Any, variables: List[Any]) -> None:
    """Make the variables of the numbers that the class has set, and its slots."""
    self._create_hypers()
    self._create_slots(variables)
    _tell_of_rows(self, variables)
    self.keras_backend_variables = [
        v
        for v in [*vars(self).get(_SLOTS, {}).values(), *_hypers(self).values()]
        if hasattr(v, 'assign') and all(v is not known for known in self.variables)
    ]


def _tell_of_rows(self: Any, variables: List[Any]) -> None:
    """Say that all rows of an embedding are stepped, where a class has a step for the rows of a batch alone."""
    tables = [v.path for v in variables if v.path.rpartition('/')[2] == 'embeddings']
    if hasattr(type(self), '_resource_apply_sparse') and tables and sys.stderr is not None:
        sys.stderr.write(
            f'keras_backend.keras3: {type(self).__name__}._resource_apply_sparse is not called, because the gradient '
            f'of {tables[0]} is dense in Keras 3: all rows are stepped by _resource_apply_dense. The numbers of an '
            'optimizer that steps the rows of a batch alone, such as LazyAdam, differ from those of tf.keras.\n'
        )


def step_of_slots(self: Any, grads: List[Any], variables: List[Any]) -> None:
    """One step, in the order of tf.keras: each variable and its constraint, then the counter."""
    from ...engines.keras3_backend.state.updates import Step
    from .optimizer_updates import clipped

    with Step(variables=variables):
        state = self._prepare(variables)
        takes_state = 'apply_state' in inspect.signature(self._resource_apply_dense).parameters
        for gradient, variable in zip(clipped(self, grads), variables):
            self._resource_apply_dense(gradient, variable, **({'apply_state': state} if takes_state else {}))
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))
        self.iterations.assign_add(1)


def _hypers(self: Any) -> Dict[str, Any]:
    hypers: Dict[str, Any] = vars(self).setdefault(_HYPER, {})
    return hypers


def _set_hyper(self: Any, name: str, value: Any) -> None:
    """Set a number of the optimizer, or a function or schedule that gives it."""
    if name in ('learning_rate', 'lr'):
        self.learning_rate = value
    elif hasattr(_hypers(self).get(name), 'assign'):
        _hypers(self)[name].assign(value)
    else:
        _hypers(self)[name] = value


def set_known(self: Any, name: str, value: Any) -> bool:
    """Set a number of the optimizer that `_set_hyper` has made; False for any other attribute."""
    if name not in vars(self).get(_HYPER, {}):
        return False
    _set_hyper(self, name, value)
    return True


def _get_hyper(self: Any, name: str, dtype: Any = None) -> Any:
    """The number of this name, as a tensor of a dtype where one is given."""
    from keras import ops

    value = self.learning_rate if name in ('learning_rate', 'lr') else _hypers(self)[name]
    value = value() if callable(value) and not hasattr(value, 'assign') else value
    return value if dtype is None else ops.cast(value, str(dtype))


def _hyper_by_name(self: Any, name: str) -> Any:
    if name in vars(self).get(_HYPER, {}):
        return vars(self)[_HYPER][name]
    raise AttributeError(f'{type(self).__name__} has no attribute {name!r}')


def _serialize_hyperparameter(self: Any, name: str) -> Any:
    """The number of this name, for `get_config`."""
    from keras import ops

    value = self.learning_rate if name in ('learning_rate', 'lr') else _hypers(self)[name]
    if hasattr(value, 'assign') or ops.is_tensor(value):
        return ops.convert_to_numpy(value).item()
    return value() if callable(value) else value


def _decayed_lr(self: Any, var_dtype: Any = 'float32') -> Any:
    """The learning rate of this step."""
    from keras import ops

    rate = ops.cast(self.learning_rate, str(var_dtype))
    if self._initial_decay:
        decay = self._initial_decay
        rate = rate / (1.0 + decay * ops.cast(self.iterations, str(var_dtype)))
    return rate


def _create_hypers(self: Any) -> None:
    from ...engines import keras3_backend as K

    for name, value in _hypers(self).items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            _hypers(self)[name] = K.variable(value, name=name)
            _hypers(self)[name].trainable = False


def _nothing(self: Any, *args: Any, **kwargs: Any) -> None:
    """A step of tf.keras that Keras 3 takes itself, or for which there is nothing to do."""


def _prepare(self: Any, var_list: List[Any]) -> Dict[Tuple[Any, Any], Dict[str, Any]]:
    """What is computed once for all variables of a dtype."""
    state: Dict[Tuple[Any, Any], Dict[str, Any]] = {}
    for key in {(v.device, v.dtype.base_dtype) for v in var_list}:
        state[key] = {}
        self._prepare_local(key[0], key[1], state)
    return state


def _prepare_local(self: Any, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
    apply_state.setdefault((var_device, var_dtype), {})['lr_t'] = self._decayed_lr(var_dtype)


def _fallback_apply_state(self: Any, var_device: Any, var_dtype: Any) -> Dict[str, Any]:
    state: Dict[Tuple[Any, Any], Dict[str, Any]] = {(var_device, var_dtype): {}}
    self._prepare_local(var_device, var_dtype, state)
    return state[(var_device, var_dtype)]


def add_slot(self: Any, var: Any, slot_name: str, initializer: Any = 'zeros', shape: Any = None) -> Any:
    """A variable beside a weight, which this makes in the first call."""
    import keras

    from ...engines import keras3_backend as K

    slots = vars(self).setdefault(_SLOTS, {})
    key = id(var), slot_name
    if key not in slots:
        if isinstance(initializer, str):
            initializer = keras.initializers.get(initializer)
        size = tuple(var.shape if shape is None else shape)
        value = initializer(size, dtype=str(var.dtype)) if callable(initializer) else initializer
        slots[key] = K.variable(
            keras.ops.convert_to_numpy(value), dtype=str(var.dtype), name=f'{var.path}/{slot_name}'.replace('/', '_')
        )
        slots[key].trainable = False
    return slots[key]


def get_slot(self: Any, var: Any, slot_name: str) -> Any:
    """The variable of this name beside a weight."""
    slot = vars(self).get(_SLOTS, {}).get((id(var), slot_name))
    if slot is None:
        raise KeyError(
            f'{type(self).__name__}.get_slot: {var.path} has no slot {slot_name!r}; write self.add_slot(var, '
            f'{slot_name!r}) in _create_slots.'
        )
    return slot


def get_slot_names(self: Any) -> List[str]:
    """The names of all slots."""
    return sorted({name for _, name in vars(self).get(_SLOTS, {})})


def _own_weight(self: Any, name: str, shape: Any = (), dtype: Any = None, initializer: Any = 'zeros', **_: Any) -> Any:
    """A variable of the optimizer itself."""
    import keras

    from ...engines import keras3_backend as K

    value = keras.initializers.get(initializer)(tuple(shape), dtype=None if dtype is None else str(dtype))
    variable = K.variable(keras.ops.convert_to_numpy(value), dtype=None if dtype is None else str(dtype), name=name)
    variable.trainable = False
    vars(self).setdefault(_SLOTS, {})[(0, name)] = variable
    return variable


def _resource_scatter_add(self: Any, x: Any, i: Any, v: Any) -> Any:
    """Add rows to a variable; returns its new value."""
    from keras import ops

    return x.assign(ops.scatter_update(x, ops.expand_dims(i, -1), v + ops.take(x, i, axis=0)))


def _step_of_keras(self: Any, grad: Any, var: Any, apply_state: Any = None) -> None:
    """The step of the optimizer of Keras that a class is derived from, for one variable."""
    state = (apply_state or {}).get((var.device, var.dtype.base_dtype)) or {}
    self.update_step(grad, var, state.get('lr_t', self._decayed_lr(var.dtype)))


def _call_if_callable(self: Any, value: Any) -> Any:
    return value() if callable(value) else value


OF_ALL: Dict[str, Any] = {
    '_resource_apply_dense': _step_of_keras,
    '_create_slots': _nothing,
    '_prepare': _prepare,
    '_prepare_local': _prepare_local,
    '_fallback_apply_state': _fallback_apply_state,
    '_decayed_lr': _decayed_lr,
    '_use_locking': False,
}
METHODS: Dict[str, Any] = {
    '_set_hyper': _set_hyper,
    '_get_hyper': _get_hyper,
    '__getattr__': _hyper_by_name,
    '_serialize_hyperparameter': _serialize_hyperparameter,
    '_create_hypers': _create_hypers,
    '_create_all_weights': _nothing,
    '_call_if_callable': _call_if_callable,
    'add_slot': add_slot,
    'get_slot': get_slot,
    'get_slot_names': get_slot_names,
    'add_weight': _own_weight,
    '_resource_scatter_add': _resource_scatter_add,
}
