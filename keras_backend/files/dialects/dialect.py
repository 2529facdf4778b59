"""Which Keras wrote a configuration, and the model in it."""

import json
import re
from typing import Any, Dict, Tuple

from ...errors import UnreadableFileError
from ..layers.parameters import all_layers
from ..structure import File, Layer, Model
from . import keras1, keras2, keras3
from .calls import repeated_calls
from .networks import Reader

# Words that only configurations of Keras 1 have.
_OF_KERAS_1 = re.compile('"(nb_filter|nb_row|border_mode|dim_ordering|output_dim|W_regularizer|input_dtype|nb_epoch)"')
# Words that configurations of tf.keras have, and those of the package keras before version 3 do not.
_OF_TF_KERAS = re.compile(r'"(Functional|TFOpLambda|SlicingOpLambda|TensorFlowOpLayer)"|"(ragged|time_major)"\s*:')


def numbers(version: str) -> Tuple[int, ...]:
    """The numbers of a version: (2, 2, 4) of '2.2.4-tf', () of ''."""
    return tuple([int(number) for number in re.findall(r'\d+', version.split('-')[0])[:3]])


def writer(version: str, config: Any) -> Tuple[str, str]:
    """The library, 'keras', 'tf.keras' or 'keras 3', and the version of Keras that wrote a configuration.

    Where the file does not say the version, it is '1', '2' or '3', as the words of the configuration tell.
    """
    of_tensorflow = False
    if not version and config is not None:
        text = config if isinstance(config, str) else json.dumps(config, default=str)
        version = '3' if '"registered_name"' in text else '1' if _OF_KERAS_1.search(text) else '2'
        of_tensorflow = version == '2' and bool(_OF_TF_KERAS.search(text))
    # The package keras ended with 2.3.1 before it became a part of TensorFlow.
    if numbers(version) >= (3,):
        return 'keras 3', version
    of_tensorflow = of_tensorflow or '-tf' in version or (2, 4) <= numbers(version)
    return 'tf.keras' if of_tensorflow else 'keras', version


def model(file: File, config: Any, budget: Any) -> Model:
    """The model of a configuration, as JSON has it: {'class_name': ..., 'config': ...}.

    budget: what the reading of the file may take.
    """
    if not (isinstance(config, dict) and isinstance(config.get('class_name'), str) and 'config' in config):
        raise UnreadableFileError(f'The configuration in {file.path} is of no model: it has no class_name and config.')
    major = (numbers(file.version) or (2,))[0]
    of_keras_2 = keras2.spelling_of_tf_keras if file.library == 'tf.keras' else keras2.spelling
    spellings: Dict[int, Any] = {1: keras1.spelling, 2: of_keras_2, 3: keras3.spelling}
    if major not in spellings:
        raise UnreadableFileError(f'{file.path} was written by Keras {file.version}. Files of Keras 1 to 3 are read.')
    reader = Reader(spellings[major], file.path, budget)
    network = reader.model(str(config['class_name']).split('>')[-1], config['config'])
    budget.spend('calls', repeated_calls(network), f'the model {network.name}')
    for layer in all_layers(network):
        _check_shape(layer, file.path)
    return network


def _check_shape(layer: Layer, path: str) -> None:
    shape = layer.config.get('batch_input_shape')
    # A model with several inputs may note a list of shapes.
    if shape is None or (layer.kind != 'InputLayer' and _is_list_of_lists(shape)):
        return
    if not isinstance(shape, (list, tuple)) or not all([size is None or _is_size(size) for size in shape]):
        raise UnreadableFileError(
            f'The layer {layer.name} ({layer.kind}) in {path} has batch_input_shape={str(shape)[:60]!r}, and a shape '
            'is a list of sizes: [null, 28, 28, 1].'
        )


def _is_list_of_lists(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any([isinstance(entry, (list, tuple)) for entry in value])


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
