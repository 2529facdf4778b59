"""The training configuration of a file, for a Keras that is installed: optimizer, loss and metrics."""

import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional

from ..structure import File

# Entries of optimizers that change nothing, or that this module gives in another way.
_DROPPED = ('schedule_decay', 'name', 'jit_compile', 'is_legacy_optimizer', 'centered_', 'amsgrad_')


class NotKnown(Exception):
    """A part of a training configuration that the installed Keras does not have."""


class Training:
    """Compiles a model as its file says. A Keras has a class of its own, derived from this one.

    keras: its module. library: its name, for warnings. custom_objects: classes and functions of the user, by name.
    """

    # Names of losses and metrics that this Keras has under another one.
    LOSSES: Mapping[str, str] = {}

    def __init__(self, keras: Any, library: str, custom_objects: Mapping[str, Any]) -> None:
        """Keep the parts."""
        self._keras, self._library, self._custom_objects = keras, library, custom_objects

    # -- of a Keras --------------------------------------------------------------------------------------------------
    def scope(self) -> Any:
        """A context in which this Keras knows the names of the user."""
        raise NotImplementedError

    def optimizer(self, kind: Any, config: Dict[str, Any]) -> Any:
        """An optimizer. config: its configuration, whose rate is `learning_rate`."""
        raise NotImplementedError

    def not_compiled(self, model: Any) -> None:
        """Undo a `compile` whose parts turned out not to be known."""

    # -- the same in all ---------------------------------------------------------------------------------------------
    def compile(self, model: Any, file: File, names: Mapping[str, str]) -> None:
        """Compile the model if the file says how and this Keras knows all of it; else leave it and warn.

        names: of the outputs in the file -> in the model. The state of the optimizer begins anew.
        """
        said = file.training
        if not said:
            return
        try:
            with self.scope():
                optimizer = self._optimizer(said.get('optimizer_config'))
                loss = _each(said.get('loss'), names, self._loss)
                metrics = _each(said.get('metrics') or None, names, self._metric)
                weights = _each(said.get('loss_weights'), names, lambda one: one)
                model.compile(optimizer=optimizer, loss=loss, metrics=metrics, loss_weights=weights)
                for one in _flat(loss):
                    self._keras.losses.get(one)
                for one in _flat(metrics):
                    if one not in ('accuracy', 'acc', 'crossentropy', 'ce'):
                        self._keras.metrics.get(one)
        except (NotKnown, TypeError, ValueError, KeyError, AttributeError) as error:
            self.not_compiled(model)
            warnings.warn(
                f'The model in {file.path} is not compiled, because {self._library} does not know a part of its '
                f'training configuration: {error} To predict, nothing is missing. To train, call model.compile with an '
                f'optimizer and a loss of {self._library}.',
                stacklevel=4,
            )

    def _optimizer(self, said: Any) -> Any:
        if not isinstance(said, dict) or not isinstance(said.get('class_name'), str):
            raise NotKnown('it names no optimizer.')
        name = said['class_name'].split('>')[-1]
        config = {key: value for key, value in dict(said.get('config') or {}).items() if key not in _DROPPED}
        found = self._custom_objects.get(name) or self._class(name)
        if found is None:
            raise NotKnown(f'the optimizer {name[:60]}.')
        rate = config.pop('lr', None)
        if rate is not None:
            config['learning_rate'] = rate
        return self.optimizer(found, {key: value for key, value in config.items() if value is not None})

    def _class(self, name: str) -> Optional[Any]:
        for found in vars(self._keras.optimizers).values():
            if isinstance(found, type) and found.__name__.lower() == name.lower():
                return found
        return None

    def _loss(self, value: Any) -> Any:
        if isinstance(value, dict):
            config: Dict[str, Any] = {
                key: one for key, one in (value.get('config') or {}).items()
                if not (key == 'reduction' and one in ('auto', 'sum_over_batch_size'))
            }  # fmt: skip
            if isinstance(value.get('config'), str):
                return self._loss(value['config'])
            return self.loss(value['class_name'], config)
        if value == 'cosine_proximity':
            raise NotKnown('the loss cosine_proximity, whose sign differs between versions.')
        return self.LOSSES.get(value, value)

    def loss(self, kind: str, config: Dict[str, Any]) -> Any:
        """A loss that the file has by its class."""
        return self._keras.losses.deserialize({'class_name': kind, 'config': config})

    def _metric(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return self.LOSSES.get(value, value)
        said = value.get('config')
        config = {key: one for key, one in (said or {}).items() if key != 'fn'} if not isinstance(said, str) else {}
        fn = said.get('fn') if isinstance(said, dict) else said
        if value.get('class_name') == 'MeanMetricWrapper' and isinstance(fn, str):
            return self.LOSSES.get(fn, fn)
        return self._keras.metrics.deserialize({'class_name': value['class_name'], 'config': config})


def _flat(value: Any) -> List[Any]:
    if isinstance(value, dict) and 'class_name' not in value:
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [one for item in value for one in _flat(item)]
    return [] if value is None else [value]


def _each(value: Any, names: Mapping[str, str], convert: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict) and 'class_name' not in value:
        return {names.get(key, key): _each(one, names, convert) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_each(one, names, convert) for one in value]
    return None if value is None else convert(value)
