"""Values of configurations in the spelling of Keras 3: activations, names, dtypes."""

from typing import Any, Callable, Dict, Mapping, Optional, Set

from ...basics.printable import printable
from ...errors import UnknownLayerError
from ..objects.entry import class_and_config
from ..objects.kinds import WrongValue, shown
from ..structure import Layer
from .own_activations import ACTIVATIONS

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
        plain = found = printable(name).replace('/', '_') or 'layer'
        while found in self._taken:
            number = self._numbers[plain] = self._numbers.get(plain, 0) + 1
            found = f'{plain}_{number}'
        self._taken.add(found)
        return found


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
