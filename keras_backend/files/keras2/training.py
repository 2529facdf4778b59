"""The training configuration of a file in the spelling of Keras 2."""

import inspect
from typing import Any, Dict, Mapping

from ..building.training import NotKnown, Training
from ..objects import losses, optimizers
from ..objects.kinds import shown
from ..objects.objects import takes, values
from ..objects.of_programs import checked_config
from .library import keras

_BY_KEYWORD = {'SGD': ['decay'], 'Nadam': ['epsilon']}


class TrainingOfKeras2(Training):
    """Compiles a model of Keras 2 as its file says."""

    LOSSES = {'kl_divergence': 'kullback_leibler_divergence', 'log_cosh': 'logcosh'}

    def __init__(self, custom_objects: Mapping[str, Any]) -> None:
        """Keep the names of the user."""
        super().__init__(keras, 'Keras 2', custom_objects)

    def scope(self) -> Any:
        """A context in which Keras 2 knows the names of the user."""
        return keras.utils.CustomObjectScope(dict(self._custom_objects))

    def optimizer(self, kind: Any, name: str, config: Dict[str, Any]) -> Any:
        """An optimizer. Its rate is `lr` before Keras 2.3."""
        accepted = [*takes(kind), 'clipnorm', 'clipvalue']
        if isinstance(config.get('learning_rate'), dict):
            raise NotKnown('a schedule of the learning rate, which Keras 2 has as a callback.')
        if 'lr' in accepted:
            accepted.append('learning_rate')
        else:
            # Keras 2.3 has no name for them in the signature.
            accepted += _BY_KEYWORD.get(name, ['epsilon', 'decay'])
        if name:
            given = values(optimizers.TABLE[name], config, accepted, f'the optimizer {name}')
        else:
            given = checked_config(config, f'optimizer {kind.__name__}', self._custom_objects)
        if 'lr' in accepted and 'learning_rate' in given:
            given['lr'] = given.pop('learning_rate')
        return kind(**given)

    def loss(self, kind: str, config: Dict[str, Any]) -> Any:
        """A loss that the file has by its class; a function before Keras 2.3."""
        if inspect.isclass(getattr(keras.losses, kind, None)):
            return super().loss(kind, config)
        is_usual = config.get('reduction') in (None, *losses.USUAL_REDUCTIONS)
        more = [value for key, value in config.items() if key not in ('name', 'fn', 'reduction', 'axis')]
        if not is_usual or any(more):
            raise NotKnown(f'the loss {kind} with {shown(config)}.')
        name = losses.function_of(kind)
        return self.LOSSES.get(name, name)
