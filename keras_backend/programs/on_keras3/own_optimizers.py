"""Optimizers that programs write: classes with `get_updates` of Keras 2, or with the slots of tf.keras.

Keras 3 calls neither. A class of a program is looked at when it is made. It gets the methods of its style here, so that
`fit` trains by the program's own step.
"""

import functools
from contextlib import ExitStack
from typing import Any, Callable, Dict, List, Sequence

from . import slots_of_optimizers, updates_of_optimizers
from .classes_of_programs import is_of_a_program, prepare_classes
from .names_of_variables import paths_as_names

# The methods of tf.keras with slots; a class with one of them is of that style.
_OF_SLOTS = ('_resource_apply_dense', '_create_slots', '_resource_apply')
_OF_UPDATES = ('get_updates', 'get_gradients')
# What says that __init__ of an optimizer of a program is running.
_MAKING = '_keras_backend_making'


def own_optimizers(keras: Any) -> str:
    """Let `fit` train by optimizers of a program with `get_updates`, `_resource_apply_dense` or `apply_gradients`."""
    base = keras.optimizers.Optimizer

    _OF_KERAS.update((name, getattr(base, name)) for name in ('apply', 'build', 'iterations', '__setattr__'))
    prepare_classes(base, _prepare)
    base.__init__ = _with_older_arguments(base.__init__)
    base.apply_gradients = _stepping(base.apply_gradients)
    for name, method in {**slots_of_optimizers.OF_ALL, **updates_of_optimizers.OF_ALL}.items():
        setattr(base, name, method)
    return 'Optimizer.__init_subclass__, __init__, apply_gradients, get_updates, get_gradients'


# The methods of Keras that are replaced in classes of programs.
_OF_KERAS: Dict[str, Any] = {}


def _own(made: Any, name: str) -> bool:
    """Whether a program defines the method of this name."""
    for each in made.__mro__:
        if name in vars(each):
            value = vars(each)[name]
            if not is_of_a_program(each) or value in _METHODS.values():
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


def _prepare(made: Any) -> None:
    if not style(made):
        return
    if '__init__' in vars(made):
        made.__init__ = _noted(vars(made)['__init__'])
    for name, method in _METHODS.items():
        if not _own(made, name):
            setattr(made, name, method)
    if style(made) == 'slots':
        for name, method in slots_of_optimizers.METHODS.items():
            if not _own(made, name):
                setattr(made, name, method)


def _noted(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        vars(self)[_MAKING] = vars(self).get(_MAKING, 0) + 1
        try:
            original(self, *args, **kwargs)
        finally:
            vars(self)[_MAKING] -= 1

    return __init__


def _with_older_arguments(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
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

    return __init__


def _is_bare(optimizer: Any) -> bool:
    """Whether an optimizer is derived from no optimizer of Keras with a step of its own."""
    import keras

    of_keras = [each for each in type(optimizer).__mro__ if each.__module__.partition('.')[0] == 'keras']
    return of_keras[0] is keras.optimizers.Optimizer


def _stepping(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def apply_gradients(self: Any, grads_and_vars: Any, name: Any = None, **kwargs: Any) -> Any:
        if not style(type(self)):
            return original(self, grads_and_vars)
        pairs = list(grads_and_vars)
        return _step(self, [g for g, _ in pairs], [v for _, v in pairs])

    return apply_gradients


def _apply(self: Any, grads: Sequence[Any], trainable_variables: Any = None) -> Any:
    """What Keras calls in a step of training."""
    variables = self._trainable_variables if trainable_variables is None else trainable_variables
    return self.apply_gradients(list(zip(grads, variables)))


def _step(self: Any, grads: List[Any], variables: List[Any]) -> Any:
    kind = style(type(self))
    if kind == 'gradients':
        return _OF_KERAS['apply'](self, grads, variables)
    given = [(dense(g), v) for g, v in zip(grads, variables) if g is not None]
    with ExitStack() as stack:
        for context in _contexts():
            stack.enter_context(context)
        if not self.built:
            with _outside_of_graphs():
                self.build(variables)
        steps = slots_of_optimizers if kind == 'slots' else updates_of_optimizers
        steps.step(self, [g for g, _ in given], [v for _, v in given])
    return _OF_KERAS['iterations'].fget(self)


def dense(gradient: Any) -> Any:
    """A gradient as a tensor: that of an embedding has its rows alone on TensorFlow."""
    import keras

    return keras.ops.convert_to_tensor(gradient)


def _contexts() -> List[Any]:
    """What a step runs in: variables are named by their paths, and PyTorch keeps no gradients."""
    import keras

    found: List[Any] = [paths_as_names()]
    if keras.backend.backend() == 'torch':
        import torch

        found.append(torch.no_grad())
    return found


def _outside_of_graphs() -> Any:
    import keras

    if keras.backend.backend() != 'tensorflow':
        return ExitStack()
    import tensorflow

    return tensorflow.init_scope()


def _build(self: Any, variables: Any) -> None:
    """Make what a step keeps from one batch to the next."""
    if self.built:
        return
    with ExitStack() as stack:
        for context in _contexts():
            stack.enter_context(context)
        _OF_KERAS['build'](self, variables) if _is_bare(self) else _of_the_class(self).build(self, variables)
        if style(type(self)) == 'slots':
            slots_of_optimizers.make(self, list(variables))
        if style(type(self)) == 'updates':
            updates_of_optimizers.first_run(self, list(variables))


def _of_the_class(optimizer: Any) -> Any:
    """The optimizer of Keras that the class is derived from."""
    return next(each for each in type(optimizer).__mro__ if each.__module__.partition('.')[0] == 'keras')


def _iterations(self: Any) -> Any:
    found = _OF_KERAS['iterations'].fget(self)
    return updates_of_optimizers.later(self) if vars(self).get(_MAKING) and not self.built else found


def _set(self: Any, name: str, value: Any) -> None:
    """Set an attribute. Keras copies lists for its own use, which lists of updates do not stand."""
    if name == 'iterations':
        # The program sets it to a new variable that is 0. Keras counts.
        return
    if isinstance(getattr(type(self), name, None), property):
        # Keras would count the variable among those of the optimizer, beside its own.
        setter = getattr(type(self), name).fset
        setter(self, value + 0 if hasattr(value, 'assign') else value)
    elif name in ('updates', 'weights') or updates_of_optimizers.is_running():
        vars(self)[name] = value
    elif not slots_of_optimizers.set_known(self, name, value):
        _OF_KERAS['__setattr__'](self, name, value)


_METHODS: Dict[str, Any] = {'__setattr__': _set, 'apply': _apply, 'build': _build, 'iterations': property(_iterations)}
