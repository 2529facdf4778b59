"""Models as TensorFlow before 2.11 had them: methods that went away, what `fit` took, layers for GPUs."""

import functools
from importlib import import_module
from typing import Any

from ..launcher.cures import predict_classes


def methods_of_sequential(tf_keras: Any) -> str:
    """Give a Sequential `predict_classes` and `predict_proba`, which TensorFlow took away in 2.6."""
    tf_keras.Sequential.predict_classes = predict_classes
    tf_keras.Sequential.predict_proba = _predict_proba
    return 'Sequential.predict_classes, Sequential.predict_proba'


def _predict_proba(self: Any, x: Any, batch_size: Any = 32, verbose: int = 0) -> Any:
    return self.predict(x, batch_size=batch_size, verbose=verbose)


def methods_of_layers(tf_keras: Any) -> str:
    """Give a layer `apply`, `get_losses_for` and `get_updates_for`, which TensorFlow took away in 2.9."""
    layer: Any = tf_keras.layers.Layer
    layer.apply = lambda self, inputs, *args, **kwargs: self(inputs, *args, **kwargs)
    layer.get_losses_for = lambda self, inputs: self.losses
    layer.get_updates_for = lambda self, inputs: self.updates
    return 'Layer.apply, Layer.get_losses_for, Layer.get_updates_for'


def no_epochs(tf_keras: Any) -> str:
    """Let `fit` take `epochs=0`, which trains nothing."""
    adapter: Any = import_module('tf_keras.src.engine.data_adapter')
    original = adapter._check_positive

    @functools.wraps(original)
    def check_positive(*args: Any, **kwargs: Any) -> Any:
        names = [value for value in [*args, *kwargs.values()] if isinstance(value, str)]
        try:
            return original(*args, **kwargs)
        except ValueError:
            if 'epochs' not in names:
                raise
            return 0

    adapter._check_positive = check_positive
    return 'tf_keras.src.engine.data_adapter'


def names_of_keras_3(tf_keras: Any) -> str:
    """Give a model `compiled`, by which libraries of today, such as scikeras 0.13, ask whether it was compiled."""
    tf_keras.Model.compiled = property(lambda self: self._is_compiled)
    return 'Model.compiled'


def layers_of_gpus(layers: Any) -> str:
    """Let `CuDNNLSTM` and `CuDNNGRU` be LSTM and GRU, which compute the same on every device."""
    for_all: Any = import_module('tf_keras.layers')
    layers.CuDNNLSTM, layers.CuDNNGRU = for_all.LSTM, for_all.GRU
    return 'layers.CuDNNLSTM, layers.CuDNNGRU'
