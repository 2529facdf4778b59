"""The training configuration of a file: optimizer, loss and metrics in the spelling of Keras 3."""

import warnings
from typing import Any, Dict, Mapping, Optional

from ..structure import File
from .library import keras

# Names of losses and metrics that Keras 3 has under another one.
_LOSSES = {
    'kullback_leibler_divergence': 'kl_divergence', 'logcosh': 'log_cosh', 'mean_squared_error': 'mean_squared_error',
}  # fmt: skip
_DROPPED = ('schedule_decay', 'name', 'jit_compile', 'is_legacy_optimizer', 'centered_', 'amsgrad_')


class NotKnown(Exception):
    """A part of a training configuration that Keras 3 does not have."""


def compile_as_in_file(model: Any, file: File, names: Mapping[str, str], custom_objects: Mapping[str, Any]) -> None:
    """Compile the model if the file says how and Keras 3 knows all of it; else leave it and warn.

    names: of the outputs in the file -> in the model. The state of the optimizer begins anew.
    """
    said = file.training
    if not said:
        return
    try:
        with keras.saving.custom_object_scope(dict(custom_objects)):
            optimizer = _optimizer(said.get('optimizer_config'), custom_objects)
            loss = _each(said.get('loss'), names, _loss)
            metrics = _each(said.get('metrics') or None, names, _metric)
            weights = _each(said.get('loss_weights'), names, lambda one: one)
            model.compile(optimizer=optimizer, loss=loss, metrics=metrics, loss_weights=weights)
            for one in _flat(loss):
                keras.losses.get(one)
            for one in _flat(metrics):
                if one not in ('accuracy', 'acc', 'crossentropy', 'ce'):
                    keras.metrics.get(one)
    except (NotKnown, TypeError, ValueError, KeyError, AttributeError) as error:
        model.compiled = False
        warnings.warn(
            f'The model in {file.path} is not compiled, because Keras 3 does not know a part of its training '
            f'configuration: {error} To predict, nothing is missing. To train, call model.compile with an optimizer '
            'and a loss of today.',
            stacklevel=4,
        )


def _flat(value: Any) -> Any:
    if isinstance(value, dict) and 'class_name' not in value:
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [one for item in value for one in _flat(item)]
    return [] if value is None else [value]


def _optimizer(said: Any, custom_objects: Mapping[str, Any]) -> Any:
    if not isinstance(said, dict) or not isinstance(said.get('class_name'), str):
        raise NotKnown('it names no optimizer.')
    name = said['class_name'].split('>')[-1]
    config = {key: value for key, value in dict(said.get('config') or {}).items() if key not in _DROPPED}
    found = custom_objects.get(name) or _class(name)
    if found is None:
        raise NotKnown(f'the optimizer {name[:60]}.')
    rate = config.pop('lr', None)
    if rate is not None:
        config['learning_rate'] = rate
    decay = config.pop('decay', None)
    if isinstance(config.get('learning_rate'), dict):
        config['learning_rate'] = keras.optimizers.schedules.deserialize(config['learning_rate'])
    elif decay:
        config['learning_rate'] = keras.optimizers.schedules.InverseTimeDecay(config['learning_rate'], 1, decay)
    return found(**{key: value for key, value in config.items() if value is not None})


def _class(name: str) -> Optional[Any]:
    for found in vars(keras.optimizers).values():
        if isinstance(found, type) and found.__name__.lower() == name.lower():
            return found
    return None


def _each(value: Any, names: Mapping[str, str], convert: Any) -> Any:
    if isinstance(value, dict) and 'class_name' not in value:
        return {names.get(key, key): _each(one, names, convert) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_each(one, names, convert) for one in value]
    return None if value is None else convert(value)


def _loss(value: Any) -> Any:
    if isinstance(value, dict):
        config: Dict[str, Any] = {
            key: one for key, one in (value.get('config') or {}).items()
            if not (key == 'reduction' and one in ('auto', 'sum_over_batch_size'))
        }  # fmt: skip
        if isinstance(value.get('config'), str):
            return _loss(value['config'])
        return keras.losses.deserialize({'class_name': value['class_name'], 'config': config})
    if value == 'cosine_proximity':
        raise NotKnown('the loss cosine_proximity, whose sign differs between versions.')
    return _LOSSES.get(value, value)


def _metric(value: Any) -> Any:
    if not isinstance(value, dict):
        return _LOSSES.get(value, value)
    config = {key: one for key, one in (value.get('config') or {}).items() if key != 'fn'}
    fn = (value.get('config') or {}).get('fn') if isinstance(value.get('config'), dict) else value.get('config')
    if value.get('class_name') == 'MeanMetricWrapper' and isinstance(fn, str):
        return _LOSSES.get(fn, fn)
    return keras.metrics.deserialize({'class_name': value['class_name'], 'config': config})
