"""The training configuration of a file in the spelling of Keras 2, and Keras 2 itself."""

import inspect
import sys
from typing import Any, Dict, Mapping

from ...errors import WrongKeras
from ..building.training import NotKnown, Training
from ..dialects.dialect import numbers
from ..objects import classes
from ..objects.kinds import shown
from ..objects.objects import takes, values
from ..objects.of_programs import checked_config

# -- Keras 2 -----------------------------------------------------------------------------------------------------------
# Keras 2, as the launcher has imported it, and its K.


def _imported() -> Any:
    module: Any = sys.modules.get('keras')
    version = getattr(module, '__version__', '')
    if numbers(version)[:1] != (2,) or numbers(version) >= (2, 4):
        raise WrongKeras(
            f'keras_backend.files.keras2 makes models of Keras 2.0 to 2.3 under the launcher, and '
            f'{"no Keras" if module is None else "Keras " + version} is imported. Type: '
            'python -m keras_backend.keras2 PROGRAM. keras_backend.files.function needs no Keras.'
        )
    return module


keras: Any = _imported()


def k_of_keras() -> Any:
    """K of Keras 2."""
    return keras.backend


def has_argument(function: Any, name: str) -> bool:
    """Whether a method of a layer has an argument of this name."""
    return bool(keras.utils.generic_utils.has_arg(function, name))


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
            arguments = values(classes.OPTIMIZERS[name], config, accepted, f'the optimizer {name}')
        else:
            arguments = checked_config(config, f'optimizer {kind.__name__}', self._custom_objects)
        if 'lr' in accepted and 'learning_rate' in arguments:
            arguments['lr'] = arguments.pop('learning_rate')
        return kind(**arguments)

    def loss(self, kind: str, config: Dict[str, Any]) -> Any:
        """A loss that the file has by its class; a function before Keras 2.3."""
        if inspect.isclass(getattr(keras.losses, kind, None)):
            return super().loss(kind, config)
        is_usual = config.get('reduction') in (None, *classes.USUAL_REDUCTIONS)
        more = [value for key, value in config.items() if key not in ('name', 'fn', 'reduction', 'axis')]
        if not is_usual or any(more):
            raise NotKnown(f'the loss {kind} with {shown(config)}.')
        name = classes.function_of(kind)
        return self.LOSSES.get(name, name)
