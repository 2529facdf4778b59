"""`multi_gpu_model` of Keras 2 on a machine with too few GPUs: a model that computes the same on one device."""

import warnings
from importlib import import_module
from typing import Any, Set

_warned: Set[str] = set()


def warn_once(message: str) -> None:
    """Give a warning, once in a process."""
    if message not in _warned:
        _warned.add(message)
        warnings.warn(message, stacklevel=3)


def on_one_device(model: Any) -> Any:
    """A model with the inputs and outputs of `model`, whose names and layers are those of the original."""
    layers, models = import_module('keras.layers'), import_module('keras.models')
    outputs = model(model.inputs if len(model.inputs) > 1 else model.inputs[0])
    several = isinstance(outputs, (list, tuple))
    # As in the original: the last layers have the names of the outputs, and the layer before them is the model.
    named = [
        layers.Lambda(lambda x: x, name=name)(output)
        for name, output in zip(model.output_names, outputs if several else [outputs])
    ]
    return models.Model(model.inputs, named if several else named[0])
