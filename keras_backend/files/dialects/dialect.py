"""Which Keras wrote a configuration, and the model in it. The layers of a Sequential follow each other."""

import json
import re
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from ...errors import UnreadableFileError
from ..layers.parameters import all_layers
from ..structure import Call, File, Layer, Model, Reference
from . import calls, keras1, keras2
from .calls import repeated_calls
from .keras2 import is_entry, plain

# The class and the configuration of a layer in the words of Keras 2.3.1.
Spelling = Callable[[str, Dict[str, Any]], Tuple[str, Dict[str, Any]]]

SEQUENTIAL = ('Sequential',)
# Of Keras 3: those that have an argument for the mask of each of their arguments.
_WITH_A_MASK_FOR_EACH = ('MultiHeadAttention', 'GroupedQueryAttention')
# Layers are nested some five deep. More comes from a file that is meant to do harm.
DEEPEST = 60


class Reader:
    """Reads the configurations of one dialect. spelling: puts a layer in the words of Keras 2.3.1."""

    def __init__(self, spelling: Spelling, path: str, budget: Any) -> None:
        """Keep the dialect. path: the file, for errors. budget: what its reading may take."""
        self._spelling = spelling
        self._path, self._budget = path, budget
        self._depth = 0
        # How many entries are being read a second time, each for the other direction of a Bidirectional.
        self._again = 0

    def model(self, kind: str, config: Any, name: str = '') -> Model:
        """The model of a class and a configuration. name: for one whose configuration has none, as in Keras 1."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._error(f'it has models in models, more than {DEEPEST} deep')
        try:
            if kind in SEQUENTIAL:
                return self._sequential(config, name)
            if isinstance(config, dict) and 'layers' in config and 'output_layers' in config:
                return self._functional(config, name)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            if isinstance(error, UnreadableFileError):
                raise
            raise self._error(f'{type(error).__name__}: {error}') from error
        finally:
            self._depth -= 1
        raise UnreadableFileError(
            f'The model in {self._path} is a {kind}, a class of the program that wrote it, and the file does not say '
            'how its layers are called. Sequential and functional models are read; this one needs its class.'
        )

    def _error(self, found: str) -> UnreadableFileError:
        return UnreadableFileError(
            f'The configuration of the model in {self._path} is not as Keras writes it: {found}.'
        )

    def layer(self, entry: Dict[str, Any], name: Optional[str] = None) -> Layer:
        """The layer of an entry {'class_name': ..., 'config': ...}."""
        if not is_entry(entry):
            raise self._error(f'a layer is {str(entry)[:60]!r}')
        if self._again:
            self._budget.spend('calls', 1)
        asked, config = str(entry['class_name']).split('>')[-1], entry['config']
        kind = asked if self.is_model(asked, config) else ''
        if kind:
            named = name or entry.get('name') or (config.get('name') if isinstance(config, dict) else '') or ''
            model = self.model(kind, config, str(named))
            trainable = config.get('trainable', True) if isinstance(config, dict) else True
            kind = 'Sequential' if kind in SEQUENTIAL else 'Model'
            layer = Layer(str(named) or model.name, kind, {'name': model.name, 'trainable': trainable}, model=model)
            layer.written_as = asked
            return layer
        if '.ops.' in str(entry.get('module')):
            asked = f'ops.{asked}'  # an operation of Keras 3: its Add is not the layer Add
        kind, config = self._spelling(asked, dict(config))
        named = name or str(config.get('name') or entry.get('name') or '')
        inner = list(self._inner(kind, config, named))
        layer = Layer(named, kind, {**config, 'name': named}, inner=inner)
        layer.written_as = asked
        return layer

    def _layer_again(self, entry: Dict[str, Any]) -> Layer:
        """The layer of an entry that has been read before. The file says it once, so its layers count as calls."""
        self._again += 1
        try:
            return self.layer(entry)
        finally:
            self._again -= 1

    @staticmethod
    def is_model(kind: str, config: Any) -> bool:
        """Whether an entry is a model."""
        return kind in SEQUENTIAL or (isinstance(config, dict) and 'layers' in config and 'output_layers' in config)

    def _inner(self, kind: str, config: Dict[str, Any], name: str) -> Iterator[Layer]:
        """The layers in a layer. They are no longer in its configuration."""
        if kind == 'Bidirectional':
            entry = config.pop('layer')
            other = config.pop('backward_layer', None)
            forward = self.layer(entry)
            backward = self._layer_again(entry) if other is None else self.layer(other)
            if other is None:
                forward.name, backward.name = f'forward_{forward.name}', f'backward_{backward.name}'
                backward.config['go_backwards'] = not forward.config.get('go_backwards', False)
            yield from (forward, backward)
        elif is_entry(config.get('layer')):
            yield self.layer(config.pop('layer'))
        elif is_entry(config.get('cell')):
            cell = config.pop('cell')
            cells = cell['config']['cells'] if cell['class_name'] == 'StackedRNNCells' else [cell]
            config['stacked'] = cell['class_name'] == 'StackedRNNCells'
            for number, item in enumerate(cells):
                yield self.layer(item, str(item['config'].get('name') or f'{name}_cell_{number}'))

    def _sequential(self, config: Any, name: str) -> Model:
        entries = config['layers'] if isinstance(config, dict) else config
        name = str(config.get('name') or name) if isinstance(config, dict) else name
        if not entries:
            raise self._error('a Sequential has no layers')
        if entries[0].get('class_name') == 'Merge' and entries[0]['config'].get('layers'):
            layers, inputs = self._branches(entries[0])
        else:
            layers, inputs = [self.layer(entries[0])], []
            if layers[0].kind != 'InputLayer':
                build = plain(config.get('build_input_shape')) if isinstance(config, dict) else None
                layers.insert(0, input_of(layers[0], build))
                layers[1].calls.append(Call([Reference(layers[0].name, 0, 0)]))
            layers[0].calls.append(Call([]))
            inputs.append(Reference(layers[0].name, 0, 0))
        for number, entry in enumerate(entries[1:]):
            layer = self.layer(entry)
            layer.name = layer.name or f'{layer.kind.lower()}_{number + 2}'
            layer.calls.append(Call([Reference(layers[-1].name, 0, 0)]))
            layers.append(layer)
        model = Model(name, layers, inputs, [Reference(layers[-1].name, 0, 0)])
        model.sequential = True
        return model

    def _branches(self, entry: Dict[str, Any]) -> Tuple[List[Layer], List[Reference]]:
        """The layers and inputs of the models that a Sequential of Keras 1 begins with, and the Merge of their outputs.

        Keras 1 counts the layers of these models among its own, and stores their weights one by one.
        """
        layers: List[Layer] = []
        inputs: List[Reference] = []
        outputs: List[Reference] = []
        for branch in entry['config']['layers']:
            if not self.is_model(branch['class_name'], branch['config']):
                branch = {'class_name': 'Sequential', 'config': [branch]}
            model = self.model(branch['class_name'], branch['config'])
            layers += model.layers
            inputs += model.inputs
            outputs += model.outputs
        config = {key: value for key, value in entry['config'].items() if key != 'layers'}
        merge = self.layer({**entry, 'config': config})
        merge.calls.append(Call(list(outputs)))
        return [*layers, merge], inputs

    def _functional(self, config: Dict[str, Any], name: str) -> Model:
        entries = config['layers']
        names = [str(entry.get('name') or entry['config'].get('name')) for entry in entries]
        known = set(names)
        layers = []
        for entry, named in zip(entries, names):
            layer = self.layer(entry, named)
            layer.calls = [calls.call(node, known) for node in plain(entry.get('inbound_nodes') or [])]
            if layer.kind == 'InputLayer':
                layer.calls = layer.calls or [Call([])]
            layers.append(layer)
        if len(known) < len(names):
            raise self._error('two layers have the same name')
        inputs, outputs = [
            list(calls.references(plain(config[key]), known)) for key in ('input_layers', 'output_layers')
        ]
        model = Model(str(config.get('name') or name), layers, inputs, outputs)
        if any(calls.is_of_keras_3(entry.get('inbound_nodes')) for entry in entries):
            calls.count_outputs_from_zero(model)
            for layer, entry in zip(layers, entries):
                several = any(map(calls.has_several_arguments, entry.get('inbound_nodes') or []))
                layer.gets_masks = not several or layer.kind in _WITH_A_MASK_FOR_EACH
        else:
            calls.count_from_zero(model)
        return model


def input_of(first: Layer, build: Any = None) -> Layer:
    """The input layer that a Sequential does not name. build: the shape that tf.keras noted when it was called."""
    if first.model is not None:
        start = first.model.layer(first.model.inputs[0].layer)
        config = {**start.config}
    else:
        shape = first.config.get('batch_input_shape') or build
        config = {'batch_input_shape': shape, 'dtype': first.config.get('dtype') or 'float32', 'sparse': False}
    name = f'{first.name}_input'
    return Layer(name, 'InputLayer', {**config, 'name': name})


# -- dialects ----------------------------------------------------------------------------------------------------------
# Which Keras wrote a configuration, and the model in it.

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


def _with_class(config: Any, path: str) -> Dict[str, Any]:
    """The configuration of a model with its class. That of `model.get_config()` is without it."""
    if isinstance(config, dict) and isinstance(config.get('class_name'), str) and 'config' in config:
        return config
    if isinstance(config, dict) and isinstance(config.get('layers'), list):
        return {'class_name': 'Functional' if 'output_layers' in config else SEQUENTIAL[0], 'config': config}
    if isinstance(config, list) and config and all(map(is_entry, config)):
        return {'class_name': SEQUENTIAL[0], 'config': config}
    of_others = _of_others(config, path) if isinstance(config, dict) else ''
    if of_others:
        raise UnreadableFileError(f'{path} is {of_others}')
    raise UnreadableFileError(f'The configuration in {path} is of no model: it has no class_name and config.')


def _of_others(config: Dict[str, Any], path: str) -> str:
    """What a file of another library is, as words behind its path, and what to do with it; '' where it is not known."""
    if config.get('format') == 'graph-model':
        return 'a graph of TensorFlow.js. It has operations and no layers of Keras, and is not read.'
    if 'modelTopology' in config:
        return (
            'a model of TensorFlow.js. Its weights are in files beside it, which are not read. Make a file of Keras of '
            f'it: pip install tensorflowjs, then tensorflowjs_converter --input_format tfjs_layers_model '
            f'--output_format keras {path} model.h5'
        )
    if 'model_type' in config or 'architectures' in config:
        return 'a configuration of Hugging Face Transformers, which says nothing about layers of Keras.'
    if 'optimizer_config' in config:
        return 'a configuration of training. That of the model is what model.to_json() gives.'
    if isinstance(config.get('loss'), list):
        return 'a history of training. The configuration of a model is what model.to_json() gives.'
    return ''


def model(file: File, config: Any, budget: Any) -> Model:
    """The model of a configuration, as JSON has it: {'class_name': ..., 'config': ...}.

    budget: what the reading of the file may take.
    """
    config = _with_class(config, file.path)
    major = (numbers(file.version) or (2,))[0]
    of_keras_2 = keras2.spelling_of_tf_keras if file.library == 'tf.keras' else keras2.spelling
    spellings: Dict[int, Any] = {1: keras1.spelling, 2: of_keras_2, 3: keras2.spelling_of_keras_3}
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
    if not isinstance(shape, (list, tuple)) or not all(
        [size is None or (type(size) is int and size >= 0) for size in shape]
    ):
        raise UnreadableFileError(
            f'The layer {layer.name} ({layer.kind}) in {path} has batch_input_shape={str(shape)[:60]!r}, and a shape '
            'is a list of sizes: [null, 28, 28, 1].'
        )


def _is_list_of_lists(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any([isinstance(entry, (list, tuple)) for entry in value])
