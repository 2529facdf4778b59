"""Configurations in the spelling of Keras 3: activations, names, dtypes, and the training configuration."""

from typing import Any, Callable, Dict, Mapping, Optional, Set

from ...basics.terminal import printable
from ...errors import UnknownLayerError
from ..building.training import Training
from ..objects.objects import NUMBER, WrongValue, checked, class_and_config, shown, takes
from ..structure import Layer
from .own_layers import ACTIVATIONS, keras

# -- values ------------------------------------------------------------------------------------------------------------
# Values of configurations in the spelling of Keras 3: activations, names, dtypes.


# Layers that may be the activation of another: of each element, or along an axis.
LAYERS = ('Activation', 'LeakyReLU', 'ELU', 'PReLU', 'ReLU', 'Softmax', 'ThresholdedReLU')
# Activations of the same name and the same meaning in Keras 2 and Keras 3.
_SAME = (
    'linear softmax elu selu softplus softsign relu tanh sigmoid exponential silu gelu mish relu6 log_softmax'.split()
)
_NAMES = {'swish': 'silu', 'hard_sigmoid_of_keras_3': 'hard_sigmoid', 'hard_swish': 'hard_silu'}
_NAMES.update({'hard_silu': 'hard_silu', **{name: name for name in _SAME}})


class Names:
    """Names that Keras 3 accepts: `/` becomes `_`, and a name that is taken gets a number."""

    def __init__(self) -> None:
        """No name is taken."""
        self._taken: Set[str] = set()
        self._numbers: Dict[str, int] = {}

    def of(self, name: str) -> str:
        """The name for a layer that the file calls `name`."""
        plain = unique = printable(name).replace('/', '_') or 'layer'
        while unique in self._taken:
            number = self._numbers[plain] = self._numbers.get(plain, 0) + 1
            unique = f'{plain}_{number}'
        self._taken.add(unique)
        return unique


def activation(
    said: Any, where: str, layer: Layer, custom_objects: Mapping[str, Any], make: Callable[[Layer], Any]
) -> Any:
    """An activation as Keras 3 takes it: a name of its own, a registered function, a layer.

    said: what the configuration says. where: its key and its layer in words. make: makes a layer that is used as an
    activation.
    """
    try:
        name, config = class_and_config(said)
    except WrongValue as error:
        raise UnknownLayerError(f'The {where} is {error}.', layer.name, shown(said)) from None
    if name is None:
        return None
    if isinstance(said, dict) and isinstance(said.get('config'), dict):
        if name in LAYERS or name in custom_objects:
            return make(Layer(str(config.get('name') or name.lower()), name, config))
    elif name in custom_objects:
        return custom_objects[name]
    elif name in ACTIVATIONS:
        return ACTIVATIONS[name]
    elif name in _NAMES:
        return _NAMES[name]
    key = where.partition(' ')[0]
    raise UnknownLayerError(
        f'The {key} {name[:60]!r} of the layer {layer.name} ({layer.kind}) is none of Keras. Give the function: '
        f'custom_objects={{{name[:60]!r}: function}}.',
        layer.name,
        name,
    )


def floating(said: Any) -> Optional[str]:
    """The dtype in which a layer computes; None for the default. Keras 1 and 2 have the dtype of inputs there, too."""
    return said if isinstance(said, str) and said in ('float16', 'bfloat16', 'float64') else None


# -- training ----------------------------------------------------------------------------------------------------------
# The training configuration of a file in the spelling of Keras 3.


class TrainingOfKeras3(Training):
    """Compiles a model of Keras 3 as its file says."""

    LOSSES = {'kullback_leibler_divergence': 'kl_divergence', 'logcosh': 'log_cosh'}

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
            rate = self.schedule(rate) if scheduled else checked(NUMBER, rate, 'learning_rate')
        keywords = self.arguments(kind, name, config, takes(kind) if name else [])
        if rate is not None:
            keywords['learning_rate'] = rate
        if decay and not takes_decay and not scheduled:
            keywords['learning_rate'] = keras.optimizers.schedules.InverseTimeDecay(keywords['learning_rate'], 1, decay)
        if decay and takes_decay:
            keywords['decay'] = decay
        return kind(**keywords)

    def spelled_schedule(self, config: Dict[str, Any]) -> Dict[str, Any]:
        """The configuration of a schedule. tf.keras writes None and any text, which Keras 3 takes for no name."""
        if '/' in str(config.get('name') or '/'):
            config.pop('name', None)
        return config

    def not_compiled(self, model: Any) -> None:
        """Undo a `compile` whose parts turned out not to be known."""
        model.compiled = False
