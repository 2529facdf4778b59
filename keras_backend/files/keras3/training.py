"""The training configuration of a file in the spelling of Keras 3."""

from typing import Any, Dict, Mapping

from ..building.training import NotKnown, Training
from ..objects import optimizers, schedules
from ..objects.entry import class_and_config
from ..objects.kinds import NUMBER, checked, shown
from ..objects.objects import takes, values
from ..objects.of_programs import checked_config
from .library import keras


class TrainingOfKeras3(Training):
    """Compiles a model of Keras 3 as its file says."""

    LOSSES = {'kullback_leibler_divergence': 'kl_divergence', 'logcosh': 'log_cosh'}

    def __init__(self, custom_objects: Mapping[str, Any]) -> None:
        """Keep the names of the user."""
        super().__init__(keras, 'Keras 3', custom_objects)

    def scope(self) -> Any:
        """A context in which Keras 3 knows the names of the user."""
        return keras.saving.custom_object_scope(dict(self._custom_objects))

    def optimizer(self, kind: Any, name: str, config: Dict[str, Any]) -> Any:
        """An optimizer. Keras 3 has schedules in the place of `decay`, and the launcher gives it `decay`."""
        decay, takes_decay = config.pop('decay', None), hasattr(kind, 'keras_backend_takes_decay')
        decay = checked(NUMBER, decay, 'decay') if decay else None
        rate: Any = config.pop('learning_rate', None)
        scheduled = isinstance(rate, dict)
        if rate is not None:
            rate = self._schedule(rate) if scheduled else checked(NUMBER, rate, 'learning_rate')
        if name:
            given = values(optimizers.TABLE[name], config, takes(kind), f'the optimizer {name}')
        else:
            given = checked_config(config, f'optimizer {kind.__name__}', self._custom_objects)
        if rate is not None:
            given['learning_rate'] = rate
        if decay and not takes_decay and not scheduled:
            given['learning_rate'] = keras.optimizers.schedules.InverseTimeDecay(given['learning_rate'], 1, decay)
        if decay and takes_decay:
            given['decay'] = decay
        return kind(**given)

    def _schedule(self, said: Any) -> Any:
        name, config = class_and_config(said)
        if name in self._custom_objects:
            return self.of_the_program(name, config, 'schedule')
        kind = getattr(keras.optimizers.schedules, name, None) if name in schedules.TABLE else None
        if kind is None:
            raise NotKnown(f'the schedule {shown(name)} of the learning rate.')
        # tf.keras writes None and any text, which Keras 3 takes for no name.
        if '/' in str(config.get('name') or '/'):
            config.pop('name', None)
        return kind(**values(schedules.TABLE[name], config, takes(kind), f'the schedule {name}'))

    def not_compiled(self, model: Any) -> None:
        """Undo a `compile` whose parts turned out not to be known."""
        model.compiled = False
