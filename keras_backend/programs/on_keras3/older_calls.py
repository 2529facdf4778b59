"""Calls of 2019 to 2023 that Keras 3 refuses, though it can do what they ask for. They are no part of K."""

import functools
import inspect
from typing import Any, Callable

from .classes_of_keras import functional
from .decay_of_rates import set_decay
from .older_names import SHORT


def arguments_of_optimizers(keras: Any) -> str:
    """Let optimizers take `lr`, the older name of `learning_rate`, and `decay`, by which it falls with each step."""
    base = keras.optimizers.Optimizer
    changed = []
    for name in sorted(vars(keras.optimizers)):
        made = getattr(keras.optimizers, name)
        if isinstance(made, type) and issubclass(made, base) and made is not base and _has_a_rate(made):
            setattr(made, '__init__', _with_older_names(vars(made)['__init__']))  # noqa: B010
            changed.append(name)
    return ', '.join(changed)


def _has_a_rate(optimizer: type) -> bool:
    original = vars(optimizer).get('__init__')
    return original is not None and 'learning_rate' in inspect.signature(original).parameters


def _with_older_names(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if 'lr' in kwargs and not args and 'learning_rate' not in kwargs:
            kwargs['learning_rate'] = kwargs.pop('lr')
        decay = kwargs.pop('decay', None)
        original(self, *args, **kwargs)
        if decay:
            set_decay(self, decay)

    return __init__


def generators(keras: Any) -> str:
    """Give models `fit_generator`, `evaluate_generator`, `predict_generator`: `fit` and the others take generators."""
    changed = []
    for name in ('fit', 'evaluate', 'predict'):
        older = f'{name}_generator'
        if not hasattr(keras.Model, older):
            setattr(keras.Model, older, _of_generator(name))
            changed.append(f'Model.{older}')
    return ', '.join(changed)


def _of_generator(name: str) -> Callable[..., Any]:
    def call(model: Any, generator: Any, *args: Any, **kwargs: Any) -> Any:
        # The arguments after the generator are in another order than those of `fit`.
        for place, value in zip(_ORDER[name], args):
            kwargs[place] = value
        return getattr(model, name)(generator, **kwargs)

    call.__name__ = f'{name}_generator'
    return call


_ORDER = {
    'fit': ('steps_per_epoch', 'epochs', 'verbose', 'callbacks', 'validation_data', 'validation_steps'),
    'evaluate': ('steps', 'callbacks'),
    'predict': ('steps', 'callbacks'),
}


def operations_in_files(keras: Any) -> str:
    """Let `load_model` find the operations of Keras in files `.h5`, which hold their bare names."""
    found = {}
    waiting = [keras.Operation]
    while waiting:
        for each in waiting.pop().__subclasses__():
            if not issubclass(each, keras.layers.Layer):
                waiting.append(each)
                if each.__module__.partition('.')[0] == 'keras':
                    found[each.__name__] = each
    objects = keras.saving.get_custom_objects()
    new = {name: each for name, each in found.items() if name not in objects and not hasattr(keras.layers, name)}
    objects.update(new)
    return f'{len(new)} operations' if new else ''


def losses_in_files(keras: Any) -> str:
    """Let `load_model` find 'mse' and other short names of losses and metrics in files `.h5`."""
    objects = keras.saving.get_custom_objects()
    new = []
    for short, name in SHORT.items():
        for spelling in (short, short.upper()):
            if spelling not in objects:
                objects[spelling] = getattr(keras.losses, name)
                new.append(spelling)
    return ', '.join(new)


def losses_of_graphs(keras: Any) -> str:
    """Let `model.add_loss` take a tensor of the graph of the model, which Keras 3 takes in the call of a layer only."""
    graphs = functional(keras)
    original = graphs.add_loss

    @functools.wraps(original)
    def add_loss(model: Any, losses: Any, *others: Any, **named: Any) -> None:
        given = losses if isinstance(losses, (list, tuple)) else [losses]
        if not given or not all([isinstance(loss, keras.KerasTensor) for loss in given]):
            original(model, losses, *others, **named)
            return
        from ...engines.keras3_backend import added_loss

        for loss in given:
            added_loss.add_loss(model, graphs, loss)

    graphs.add_loss = add_loss
    return 'Model.add_loss'
