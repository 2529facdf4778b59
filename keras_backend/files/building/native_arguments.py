"""The arguments of a layer class of a Keras that is installed, for a layer of a file.

Source: the documentation of Keras 2 and 3.
"""

from typing import Any, Callable, Dict, FrozenSet, List, NamedTuple

import numpy as np

from ...errors import LayerConfigError
from ..layers.entries import HARMLESS, says_nothing
from ..objects.kinds import shown
from ..structure import Layer


class Native(NamedTuple):
    """A class of layers.

    renamed: names of Keras 2 -> names of its arguments. fixed: arguments that no file says. defaults: those of Keras 2
    that differ from those of the class, for older files, which do not say them.
    """

    kind: str
    renamed: Dict[str, str] = {}
    fixed: Dict[str, Any] = {}
    defaults: Dict[str, Any] = {}


# Entries that a kind inherits and does not use.
UNUSED: Dict[str, FrozenSet[str]] = {
    'DepthwiseConv1D': frozenset('filters kernel_initializer kernel_regularizer kernel_constraint groups'.split()),
    'SeparableConv1D': frozenset('kernel_initializer kernel_regularizer kernel_constraint groups'.split()),
    'BatchNormalization': frozenset(['mode']),
    'Conv1DTranspose': frozenset(['groups', 'output_shape']),
    'Embedding': frozenset(['activity_regularizer', 'dropout']),
    'LayerNormalization': frozenset(['activity_regularizer']),
    'Dot': frozenset(['axis']),
    'Flatten': frozenset(),
}
UNUSED['DepthwiseConv2D'] = UNUSED['DepthwiseConv1D']
UNUSED['SeparableConv2D'] = UNUSED['SeparableConv1D']
UNUSED['Conv2DTranspose'] = UNUSED['Conv3DTranspose'] = UNUSED['Conv1DTranspose']

# (what the file says, the words for its key and its layer) -> the value
Convert = Callable[[Any, str], Any]


class Converters(NamedTuple):
    """Functions that make values of configurations those of the class."""

    activation: Convert
    initializer: Convert
    regularizer: Convert
    constraint: Convert


def arguments(layer: Layer, native: Native, accepted: List[str], convert: Converters, library: str) -> Dict[str, Any]:
    """The arguments of a class for a layer of a file.

    accepted: the names of its arguments. library: the Keras, in words.
    Error: LayerConfigError, if the file says something that the class cannot do.
    """
    found: Dict[str, Any] = {}
    unused = UNUSED.get(layer.kind, frozenset())
    for key, value in {**native.defaults, **layer.config}.items():
        name = native.renamed.get(key, key)
        if name in native.fixed or key in unused:
            continue
        if name in accepted and name not in ('name', 'trainable', 'dtype', 'weights'):
            found[name] = _converted(layer, key, name, value, convert)
        elif key not in HARMLESS and not key.endswith('_initializer') and not says_nothing(value):
            raise LayerConfigError(
                f'The layer {layer.name} ({layer.kind}) has {key}={shown(value)}, which {native.kind} of '
                f'{library} does not have. Give a class of yours: custom_objects={{{layer.kind!r}: YourLayer}}.',
                layer.name,
            )
    found.update(native.fixed)
    for key in ('activation', 'recurrent_activation'):
        # None means the activation 'linear', and not the default of the class.
        if key in found and found[key] is None:
            found[key] = 'linear'
    return {key: value for key, value in found.items() if not (value is None and _has_default(key))}


def _has_default(key: str) -> bool:
    """Whether None leaves the default of the class: an initializer that the library does not have, a data format."""
    return key.endswith('_initializer') or key == 'data_format'


def _converted(layer: Layer, key: str, name: str, value: Any, convert: Converters) -> Any:
    where = f'{key} of the layer {layer.name} ({layer.kind})'
    if name in ('activation', 'recurrent_activation'):
        return convert.activation(value, where)
    if name.endswith('_initializer'):
        return convert.initializer(value, where)
    if name.endswith('_regularizer'):
        return convert.regularizer(value, where)
    if name.endswith('_constraint'):
        return convert.constraint(value, where)
    if not is_plain(value):
        raise LayerConfigError(
            f'The layer {layer.name} ({layer.kind}) has {key}={shown(value)}. A number, a text, True, False, None, or '
            'a list of them is possible there.',
            layer.name,
        )
    if value == 'bilinear_at_centres':
        return 'bilinear'
    if isinstance(value, list) and name not in ('axes',):
        return tuple([tuple(item) if isinstance(item, list) else item for item in value])
    return value


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a text, a flag, None, an array of numbers, or a list of such values."""
    if isinstance(value, (list, tuple)):
        return all([is_plain(one) for one in value])
    if isinstance(value, np.ndarray):
        return value.dtype.kind in 'biuf'
    return value is None or isinstance(value, (bool, int, float, str, np.generic))
