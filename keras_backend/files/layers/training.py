"""Layers that do something else while a model is trained than when it predicts."""

from typing import Any, Mapping

from ..structure import Layer
from .parameters import with_inner

# Layers that draw at random, with the entry that says how much. None: always.
_DRAWING = {
    'Dropout': 'rate', 'SpatialDropout1D': 'rate', 'SpatialDropout2D': 'rate', 'SpatialDropout3D': 'rate',
    'AlphaDropout': 'rate', 'GaussianDropout': 'rate', 'GaussianNoise': 'stddev', 'RandomRotation': 'factor',
    'RandomFlip': None, 'RandomZoom': None, 'RandomTranslation': None, 'RandomContrast': 'factor',
    'RandomBrightness': 'factor', 'RandomCrop': None, 'BatchNormalization': None,
}  # fmt: skip
_RATES = ('dropout', 'recurrent_dropout', 'dropout_U', 'dropout_W')


def _differs(layer: Layer) -> bool:
    if layer.kind in _DRAWING:
        entry = _DRAWING[layer.kind]
        return entry is None or bool(layer.config.get(entry, True))
    return any([layer.config.get(name) for name in _RATES])


def acts_in_training(layer: Layer) -> bool:
    """Whether a layer, or one in it, draws at random or normalizes by the batch in training."""
    return any([_differs(one) for one in with_inner(layer)])


def is_called_in_training(layer: Layer, arguments: Mapping[str, Any]) -> bool:
    """Whether a call says `training=True`, or a tensor there, to a layer for which that makes a difference.

    The program that wrote such a call drops at random, or normalizes by the batch, also when it predicts.
    """
    said = arguments.get('training')
    if said is None or (isinstance(said, (bool, int)) and not said):
        return False
    return acts_in_training(layer)
