"""The training configuration of a file in the spelling of Keras 2."""

import inspect
from typing import Any, Dict, Mapping

from ..building.spellings import snake_case
from ..building.training import NotKnown, Training
from .library import keras

# Entries of the optimizers of tf.keras and Keras 3, with the values that change nothing.
_WITHOUT_EFFECT: Dict[str, Any] = {
    'weight_decay': (0, False), 'use_ema': (False,), 'ema_momentum': (0.99,), 'centered': (False,),
    'momentum': (0, False), 'amsgrad': (False,), 'decay': (0, False), 'nesterov': (False,),
    'initial_accumulator_value': (0.1,),
}  # fmt: skip


class TrainingOfKeras2(Training):
    """Compiles a model of Keras 2 as its file says."""

    LOSSES = {'kl_divergence': 'kullback_leibler_divergence', 'log_cosh': 'logcosh'}

    def __init__(self, custom_objects: Mapping[str, Any]) -> None:
        """Keep the names of the user."""
        super().__init__(keras, 'Keras 2', custom_objects)

    def scope(self) -> Any:
        """A context in which Keras 2 knows the names of the user."""
        return keras.utils.CustomObjectScope(dict(self._custom_objects))

    def optimizer(self, kind: Any, config: Dict[str, Any]) -> Any:
        """An optimizer. Its rate is `lr` before Keras 2.3."""
        accepted = [*inspect.signature(kind.__init__).parameters, 'clipnorm', 'clipvalue']
        if isinstance(config.get('learning_rate'), dict):
            raise NotKnown('a schedule of the learning rate, which Keras 2 has as a callback.')
        if 'learning_rate' not in accepted and 'learning_rate' in config:
            config['lr'] = config.pop('learning_rate')
        for name, value in list(config.items()):
            if name not in accepted:
                if value not in _WITHOUT_EFFECT.get(name, ()):
                    raise NotKnown(f'{name}={value!r} of the optimizer {kind.__name__}.')
                del config[name]
        return kind(**config)

    def loss(self, kind: str, config: Dict[str, Any]) -> Any:
        """A loss that the file has by its class; a function before Keras 2.3."""
        if hasattr(keras.losses, kind) or kind in self._custom_objects:
            return super().loss(kind, config)
        if any([value for key, value in config.items() if key not in ('name', 'fn', 'reduction', 'axis')]):
            raise NotKnown(f'the loss {kind} with {config}.')
        name = snake_case(kind)
        return self.LOSSES.get(name, name)
