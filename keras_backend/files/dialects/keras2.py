"""Layers of Keras 2 and tf.keras, in the words of Keras 2.3.1."""

from typing import Any, Dict, List, Optional, Tuple

from ...errors import UnreadableFileError
from . import values

# Classes under the names that TensorFlow gave them at times.
SAME = {
    'BatchNormalizationV1': 'BatchNormalization', 'BatchNormalizationV2': 'BatchNormalization',
    'SyncBatchNormalization': 'BatchNormalization', 'UnifiedLSTM': 'LSTM', 'UnifiedGRU': 'GRU', 'LSTMV2': 'LSTM',
    'GRUV2': 'GRU', 'LSTMCellV2': 'LSTMCell', 'GRUCellV2': 'GRUCell', 'DropoutV2': 'Dropout',
    'Convolution1D': 'Conv1D', 'Convolution2D': 'Conv2D', 'Convolution3D': 'Conv3D',
    'SeparableConvolution1D': 'SeparableConv1D', 'SeparableConvolution2D': 'SeparableConv2D',
    'Convolution2DTranspose': 'Conv2DTranspose', 'Convolution3DTranspose': 'Conv3DTranspose',
    'Deconvolution2D': 'Conv2DTranspose', 'Deconvolution3D': 'Conv3DTranspose',
    'GlobalMaxPool1D': 'GlobalMaxPooling1D', 'GlobalMaxPool2D': 'GlobalMaxPooling2D',
    'GlobalAvgPool1D': 'GlobalAveragePooling1D', 'GlobalAvgPool2D': 'GlobalAveragePooling2D',
    'MaxPool1D': 'MaxPooling1D', 'MaxPool2D': 'MaxPooling2D', 'MaxPool3D': 'MaxPooling3D',
    'AvgPool1D': 'AveragePooling1D', 'AvgPool2D': 'AveragePooling2D', 'AvgPool3D': 'AveragePooling3D',
}  # fmt: skip


def spelling(kind: str, config: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
    """The class and the configuration of a layer of Keras 2 or tf.keras."""
    kind = SAME.get(kind, kind)
    if kind == 'Lambda':
        return kind, function_layer(config)
    options = {
        key: values.plain(value) for key, value in config.items() if key not in ('layer', 'cell', 'backward_layer')
    }
    options.update({key: config[key] for key in ('layer', 'cell', 'backward_layer') if key in config})
    if 'batch_shape' in options:
        options['batch_input_shape'] = options.pop('batch_shape')
    if kind == 'BatchNormalization' and isinstance(options.get('axis'), list) and len(options['axis']) == 1:
        options['axis'] = options['axis'][0]
    return kind, options


def spelling_of_tf_keras(kind: str, config: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
    """The class and the configuration of a layer of tf.keras.

    tf.keras reads images from the centres of pixels since TensorFlow 1.15. Up to 1.14 it did not, and did not write the
    interpolation either (measured with 1.13.2, 1.14.0, 1.15.5, 2.0.4, 2.1.4, 2.2.3, 2.10.1 and 2.15.0).
    """
    kind, options = spelling(kind, config)
    if kind == 'UpSampling2D' and options.get('interpolation') == 'bilinear':
        options['interpolation'] = 'bilinear_at_centres'
    return kind, options


def function_layer(config: Dict[str, Any]) -> Dict[str, Any]:
    """The configuration of a Lambda, in which each function is {'code', 'defaults', 'closure'} or {'name'}."""
    options = {
        key: values.plain(value) for key, value in config.items() if key not in ('function', 'mask', 'output_shape')
    }
    options['function'] = stored_function(config.get('function'))
    options['mask'] = stored_function(config['mask']) if config.get('mask') is not None else None
    shape = config.get('output_shape')
    if config.get('output_shape_type') in ('lambda', 'function') or (
        isinstance(shape, dict) and values.is_entry(shape)
    ):
        options['output_shape'] = stored_function(shape)
    else:
        options['output_shape'] = values.plain(shape)
    options['arguments'] = options.get('arguments') or {}
    return options


def stored_function(value: Any) -> Dict[str, Any]:
    """A function of a configuration: [code, defaults, closure] or a name, and since Keras 3 a dict of either."""
    if isinstance(value, dict) and value.get('class_name') == '__tuple__':
        value = value.get('items')
    if isinstance(value, dict) and value.get('class_name') == '__lambda__':
        inside = value.get('config') or {}
        return _code(inside.get('code', inside.get('value')), inside.get('defaults'), inside.get('closure'))
    if isinstance(value, dict) and isinstance(value.get('config'), str):
        return {'name': value['config'], 'module': value.get('module') or ''}
    if isinstance(value, (list, tuple)) and value:
        return _code(*[*value, None, None][:3])
    if isinstance(value, str):
        return {'name': value, 'module': ''}
    raise UnreadableFileError(f'A Lambda layer has {str(value)[:60]!r} in the place of its function.')


def _code(code: Any, defaults: Optional[List[Any]], closure: Optional[List[Any]]) -> Dict[str, Any]:
    if not isinstance(code, str):
        raise UnreadableFileError(f'A Lambda layer has {str(code)[:60]!r} in the place of its code.')
    plain = {'defaults': values.plain(defaults), 'closure': values.plain(closure)}
    for name, value in plain.items():
        if value is not None and not isinstance(value, list):
            raise UnreadableFileError(f'A Lambda layer has {str(value)[:60]!r} in the place of its {name}.')
    return {'code': code, **plain}
