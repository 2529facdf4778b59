"""The training configuration of a file, for a Keras that is installed: optimizer, loss and metrics."""

import inspect
import warnings
from typing import Any, Callable, Dict, Iterator, List, Mapping

from ...basics.terminal import printable
from ..dialects.keras2 import plain
from ..objects import classes, objects
from ..objects.of_programs import checked_config
from ..structure import File

# Entries of optimizers that change nothing, or that this module gives in another way.
_DROPPED = ('schedule_decay', 'name', 'jit_compile', 'is_legacy_optimizer', 'centered_', 'amsgrad_')
# Losses and metrics that stand for a function, which they name.
_WRAPPERS = ('LossFunctionWrapper', 'MeanMetricWrapper', 'SumOverBatchSizeMetricWrapper')


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

    def optimizer(self, kind: Any, name: str, config: Dict[str, Any]) -> Any:
        """An optimizer. name: that in the table. config: its configuration, whose rate is `learning_rate`."""
        raise NotImplementedError

    def spelled_schedule(self, config: Dict[str, Any]) -> Dict[str, Any]:
        """The configuration of a schedule as this Keras takes it."""
        return config

    def not_compiled(self, model: Any) -> None:
        """Undo a `compile` whose parts turned out not to be known."""

    def arguments(self, kind: Any, name: str, config: Dict[str, Any], accepted: List[str]) -> Dict[str, Any]:
        """The arguments of an optimizer. accepted: the names that it takes, where it is one of Keras."""
        if name:
            return objects.values(classes.OPTIMIZERS[name], config, accepted, f'the optimizer {name}')
        return checked_config(config, f'optimizer {kind.__name__}', self._custom_objects)

    # -- the same in all ---------------------------------------------------------------------------------------------
    def compile(self, model: Any, file: File, names: Mapping[str, str]) -> None:
        """Compile the model if the file says how and this Keras knows all of it; else leave it and warn.

        names: of the outputs in the file -> in the model. The state of the optimizer begins anew.
        """
        if not file.training:
            return
        try:
            config = plain(file.training)
            if not isinstance(config, dict):
                raise NotKnown(f'it is {objects.shown(config)}.')
            with self.scope():
                # The archive of a model calls it `optimizer`.
                optimizer = self._optimizer(config.get('optimizer_config') or config.get('optimizer'))
                loss = _each(config.get('loss'), names, self._loss)
                measured = _each(config.get('metrics') or None, names, self._metric)
                weights = _each(
                    config.get('loss_weights'), names, lambda one: objects.checked(objects.NUMBER, one, 'loss_weights')
                )
                weighted = _each(config.get('weighted_metrics') or None, names, self._metric)
                model.compile(
                    optimizer=optimizer, loss=loss, metrics=measured, loss_weights=weights, weighted_metrics=weighted
                )
                for identifier in _flat(loss):
                    self._keras.losses.get(identifier)
                for identifier in _flat([measured, weighted]):
                    if identifier not in ('accuracy', 'acc', 'crossentropy', 'ce'):
                        self._keras.metrics.get(identifier)
        except (NotKnown, TypeError, ValueError, KeyError, AttributeError) as error:
            # What Keras raises for what it lacks; a warning says it.
            self.not_compiled(model)
            text = f'{error}.' if isinstance(error, objects.WrongValue) else str(error)
            warnings.warn(
                printable(
                    f'The model in {file.path} is not compiled, because {self._library} does not know a part of its '
                    f'training configuration: {text} To predict, nothing is missing. To train, call model.compile '
                    f'with an optimizer and a loss of {self._library}.'
                ),
                stacklevel=4,
            )

    def of_the_program(self, name: str, config: Mapping[str, Any], what: str) -> Any:
        """An object of the user. what: the object in words, for errors."""
        custom = self._custom_objects[name]
        if not inspect.isclass(custom):
            return custom
        plain = checked_config(config, f'{what} {name}', self._custom_objects)
        return custom.from_config(plain) if hasattr(custom, 'from_config') else custom(**plain)

    # -- optimizers --------------------------------------------------------------------------------------------------
    def _optimizer(self, said: Any) -> Any:
        if not isinstance(said, dict) or not isinstance(said.get('class_name'), str):
            raise NotKnown('it names no optimizer.')
        name, config = objects.class_and_config(said)
        config = {key: value for key, value in config.items() if key not in _DROPPED}
        rate = config.pop('lr', None)
        if rate is not None:
            config['learning_rate'] = rate
        config = {key: value for key, value in config.items() if value is not None}
        if name in self._custom_objects:
            return self.optimizer(self._custom_objects[name], '', config)
        if name == 'Nadam':
            # tf.keras writes one, which changes none of its steps.
            config.pop('decay', None)
        known = next((optimizer for optimizer in classes.OPTIMIZERS if optimizer.lower() == name.lower()), '')
        kind = objects.found(self._keras.optimizers, [known]) if known else None
        if kind is None:
            raise NotKnown(f'the optimizer {objects.shown(name)}.')
        return self.optimizer(kind, known, config)

    def schedule(self, said: Any) -> Any:
        """A schedule of the learning rate."""
        name, config = objects.class_and_config(said)
        if name in self._custom_objects:
            return self.of_the_program(name, config, 'schedule')
        schedules = self._keras.optimizers.schedules
        kind = getattr(schedules, name, None) if name in classes.SCHEDULES else None
        if kind is None:
            raise NotKnown(f'the schedule {objects.shown(name)} of the learning rate.')
        config = self.spelled_schedule(config)
        return kind(**objects.values(classes.SCHEDULES[name], config, objects.takes(kind), f'the schedule {name}'))

    # -- losses ------------------------------------------------------------------------------------------------------
    def _loss(self, said: Any) -> Any:
        name, config = objects.class_and_config(said)
        if name is None:
            raise NotKnown('a loss without a name.')
        if name in _WRAPPERS:
            return self._wrapped_loss(config)
        if name in self._custom_objects:
            return self.of_the_program(name, config, 'loss')
        if name == 'cosine_proximity':
            raise NotKnown('the loss cosine_proximity, whose sign differs between versions.')
        if name not in classes.NAMES_OF_LOSSES:
            raise NotKnown(f'the loss {objects.shown(name)}.')
        return self.loss(name, config) if _is_object(said) else self.LOSSES.get(name, name)

    def _wrapped_loss(self, config: Dict[str, Any]) -> Any:
        """The loss of a function, which a class of losses wraps around it."""
        function, _ = objects.class_and_config(config.get('fn'))
        rest = {key: value for key, value in config.items() if key != 'fn'}
        known = next((loss for loss in classes.LOSSES if classes.function_of(loss) == function), None)
        if known is not None and function not in self._custom_objects:
            return self.loss(known, rest)
        if rest.get('reduction') not in (None, *classes.USUAL_REDUCTIONS):
            raise NotKnown(f'the loss {objects.shown(function)} with the reduction {objects.shown(rest["reduction"])}.')
        more = {key: value for key, value in rest.items() if key not in ('name', 'reduction', 'dtype')}
        if more:
            raise NotKnown(f'the loss {objects.shown(function)} with {objects.shown(more)}.')
        return self._loss(function)

    def loss(self, kind: str, config: Dict[str, Any]) -> Any:
        """A loss that the file has by its class."""
        config = {key: value for key, value in config.items() if key != 'fn'}
        if config.get('reduction') in classes.USUAL_REDUCTIONS:
            del config['reduction']
        return self._of_table(self._keras.losses, classes.LOSSES, kind, config, 'loss')

    # -- metrics -----------------------------------------------------------------------------------------------------
    def _metric(self, said: Any) -> Any:
        name, config = objects.class_and_config(said)
        if name in _WRAPPERS:
            name, _ = objects.class_and_config(config.get('fn'))
            return self._metric(name)
        if name is None:
            raise NotKnown('a metric without a name.')
        if name in self._custom_objects:
            return self.of_the_program(name, config, 'metric')
        if name not in classes.NAMES_OF_METRICS:
            raise NotKnown(f'the metric {objects.shown(name)}.')
        if not _is_object(said):
            return self.LOSSES.get(name, name)
        config = {key: value for key, value in config.items() if key != 'fn'}
        return self._of_table(self._keras.metrics, classes.METRICS, name, config, 'metric')

    @staticmethod
    def _of_table(space: Any, table: objects.Table, name: str, config: Dict[str, Any], what: str) -> Any:
        known = objects.name_in_table(name, table)
        kind = objects.found(space, [known]) if known else None
        if known is None or kind is None or not inspect.isclass(kind):
            raise NotKnown(f'the {what} {objects.shown(name)}.')
        keywords = objects.values(table[known], config, objects.takes(kind), f'the {what} {known}')
        try:
            return kind(**keywords)
        except RuntimeError as error:
            # MeanIoU of Keras 2 needs TensorFlow.
            raise NotKnown(f'the {what} {known} ({error}).') from error


def _is_object(said: Any) -> bool:
    """Whether an entry is an object with a configuration, rather than the name of a function."""
    return isinstance(said, dict) and not isinstance(said.get('config'), str)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for entry in value:
            yield from _flat(entry)
    elif value is not None:
        yield value


def _each(value: Any, names: Mapping[str, str], convert: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict) and 'class_name' not in value:
        return {names.get(key, key): _each(entry, names, convert) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_each(entry, names, convert) for entry in value]
    return None if value is None else convert(value)
