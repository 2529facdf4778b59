"""The training configuration of a file in the spelling of Keras 3."""

from typing import Any, Dict, Mapping

from ..building.training import Training
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

    def optimizer(self, kind: Any, config: Dict[str, Any]) -> Any:
        """An optimizer. Keras 3 has schedules in the place of `decay`, and the launcher gives it `decay`."""
        decay, takes_decay = config.pop('decay', None), hasattr(kind, 'keras_backend_takes_decay')
        if isinstance(config.get('learning_rate'), dict):
            config['learning_rate'] = keras.optimizers.schedules.deserialize(config['learning_rate'])
        elif decay and not takes_decay:
            config['learning_rate'] = keras.optimizers.schedules.InverseTimeDecay(config['learning_rate'], 1, decay)
        if decay and takes_decay:
            config['decay'] = decay
        return kind(**config)

    def not_compiled(self, model: Any) -> None:
        """Undo a `compile` whose parts turned out not to be known."""
        model.compiled = False
