"""`LocallyConnected1D` and `LocallyConnected2D`, with the weights of Keras 2: a kernel of its own for each window."""

import functools
from importlib import import_module
from types import ModuleType
from typing import Any, Dict, Tuple

from .sizes_of_windows import conv_output_length, normalize_data_format, normalize_padding, normalize_tuple

_PARTS = ('initializer', 'regularizer', 'constraint')


def layers_without_sharing(module: ModuleType) -> str:
    """Give `layers` LocallyConnected1D and LocallyConnected2D, by K.local_conv1d and K.local_conv2d."""
    new = {name: made for name, made in _layers().items() if name not in vars(module)}
    vars(module).update(new)
    return ', '.join(sorted(new))


@functools.lru_cache(maxsize=None)
def _layers() -> Dict[str, Any]:
    keras: Any = import_module('keras')

    class _Local(keras.layers.Layer):
        rank = 0

        def __init__(
            self,
            filters: int,
            kernel_size: Any,
            strides: Any = 1,
            padding: str = 'valid',
            data_format: Any = None,
            activation: Any = None,
            use_bias: bool = True,
            implementation: int = 1,
            **kwargs: Any,
        ) -> None:
            parts = {
                f'{of}_{part}': kwargs.pop(f'{of}_{part}', default if part == 'initializer' else None)
                for of, default in (('kernel', 'glorot_uniform'), ('bias', 'zeros'))
                for part in _PARTS
            }
            of_activity = kwargs.pop('activity_regularizer', None)
            super().__init__(activity_regularizer=keras.regularizers.get(of_activity), **kwargs)
            if normalize_padding(padding) != 'valid' or implementation != 1:
                raise ValueError(
                    f'{type(self).__name__} has padding="valid" and implementation=1 here, and was given '
                    f'{padding!r} and {implementation!r}; pad the input with a ZeroPadding layer.'
                )
            self.filters, self.use_bias, self.data_format = filters, use_bias, normalize_data_format(data_format)
            self.kernel_size = normalize_tuple(kernel_size, self.rank, 'kernel_size')
            self.strides = normalize_tuple(strides, self.rank, 'strides')
            self.activation = keras.activations.get(activation)
            for name, value in parts.items():
                setattr(self, name, getattr(keras, f'{name.rpartition("_")[2]}s').get(value))

        def _places(self, shape: Any) -> Tuple[Any, ...]:
            sizes = shape[2:] if self.data_format == 'channels_first' else shape[1:-1]
            return tuple(
                conv_output_length(n, size, 'valid', step)
                for n, size, step in zip(sizes, self.kernel_size, self.strides)
            )

        def build(self, input_shape: Any) -> None:
            channels = input_shape[1 if self.data_format == 'channels_first' else -1]
            places = self._places(input_shape)
            if None in places or channels is None:
                raise ValueError(
                    f'{type(self).__name__} has a kernel for each window, so the sizes of its input have to be known; '
                    f'it was given {tuple(input_shape)}.'
                )
            count, entries = 1, channels
            for n, size in zip(places, self.kernel_size):
                count, entries = count * n, entries * size
            kernel, bias = [{part: getattr(self, f'{of}_{part}') for part in _PARTS} for of in ('kernel', 'bias')]
            self.kernel = self.add_weight(name='kernel', shape=(count, entries, self.filters), **kernel)
            self.bias = None
            if self.use_bias:
                self.bias = self.add_weight(name='bias', shape=(*places, self.filters), **bias)
            self.built = True

        def call(self, inputs: Any) -> Any:
            from ...engines import keras3_backend as K

            if self.rank == 1:
                x = K.local_conv1d(inputs, self.kernel, self.kernel_size, self.strides, data_format=self.data_format)
            else:
                places = self._places(inputs.shape)
                x = K.local_conv2d(inputs, self.kernel, self.kernel_size, self.strides, places, self.data_format)
            if self.bias is not None:
                x = K.bias_add(x, self.bias, data_format=self.data_format)
            return self.activation(x)

        def compute_output_shape(self, input_shape: Any) -> Tuple[Any, ...]:
            places = self._places(input_shape)
            if self.data_format == 'channels_first':
                return (input_shape[0], self.filters, *places)
            return (input_shape[0], *places, self.filters)

        def get_config(self) -> Dict[str, Any]:
            config: Dict[str, Any] = super().get_config()
            for name in ('filters', 'kernel_size', 'strides', 'data_format', 'use_bias'):
                config[name] = getattr(self, name)
            config.update(padding='valid', implementation=1, activation=keras.activations.serialize(self.activation))
            for of in ('kernel', 'bias'):
                for part in _PARTS:
                    config[f'{of}_{part}'] = getattr(keras, f'{part}s').serialize(getattr(self, f'{of}_{part}'))
            return config

    made = {}
    for rank in (1, 2):
        name = f'LocallyConnected{rank}D'
        layer = type(name, (_Local,), {'rank': rank, '__module__': __name__})
        made[name] = keras.saving.register_keras_serializable('keras_backend')(layer)
    return made
