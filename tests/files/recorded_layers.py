"""The cases that `record_layers.py` recorded, as models of `files.structure`."""

import json
import os

import layer_models
import numpy as np

from keras_backend.files.structure import Call, Layer, Model, Reference, Weight

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = {'keras': 'layers.npz', 'tf.keras': 'layers_of_tf_keras.npz'}


def _recorded():
    found = {}
    for library, name in FILES.items():
        if not os.path.exists(os.path.join(HERE, name)):
            continue
        with np.load(os.path.join(HERE, name)) as data:
            for number, case in enumerate(json.loads(data['cases'].tobytes().decode())):
                count = len([key for key in data.files if key.startswith(f'{number}_')])
                # Both libraries have some of the cases.
                name_of_case = case['name'] + (' of tf.keras' if case['name'] in found else '')
                found[name_of_case] = (library, case, [data[f'{number}_{place}'] for place in range(count)])
    return found


RECORDED = _recorded()


# -- configurations of Keras 2.3.1 and tf.keras as models ----------------------------------------------------------
def layer_of(entry):
    """A layer without its calls."""
    kind, config = entry['class_name'], entry['config']
    name = entry.get('name', config.get('name') if isinstance(config, dict) else None)
    if kind in ('Model', 'Functional'):
        return Layer(name, 'Model', {}, model=model_of(config))
    if kind == 'Sequential':
        return Layer(name, kind, {}, model=chained(config))
    inner = []
    if kind in ('TimeDistributed', 'Bidirectional'):
        inner = [layer_of(config['layer']) for _ in range(1 if kind == 'TimeDistributed' else 2)]
        if config.get('backward_layer'):
            inner[1] = layer_of(config['backward_layer'])
    if config.get('interpolation') == 'bilinear' and kind == 'UpSampling2D' and 'registered_name' in entry:
        config = dict(config, interpolation='bilinear_of_tensorflow_2')
    if 'cell' in config:
        inner = [layer_of(config['cell'])]
    if 'cells' in config:
        inner = [layer_of(one) for one in config['cells']]
    return Layer(name, kind, config, inner)


def chained(config):
    """The model that a Sequential is."""
    layers = [layer_of(entry) for entry in config['layers']]
    if layers[0].kind != 'InputLayer':
        shape = (layers[0].model.layers[0] if layers[0].model else layers[0]).config['batch_input_shape']
        layers.insert(0, Layer(layers[0].name + '_input', 'InputLayer', {'batch_input_shape': shape}))
    for before, layer in zip(layers, layers[1:]):
        layer.calls.append(Call([Reference(before.name, 0, 0)]))
    ends = [Reference(layer.name, 0, 0) for layer in (layers[0], layers[-1])]
    return Model(config['name'], layers, ends[:1], ends[1:])


def model_of(config):
    """The model that a configuration describes."""
    layers = [layer_of(entry) for entry in config['layers']]
    # The making of a model is the first of its calls in a file.
    models = {layer.name for layer in layers if layer.model}

    def reference(name, call, output, *_):
        return Reference(name, call - (name in models), output)

    def references(value):
        if isinstance(value, list) and len(value) >= 3 and isinstance(value[0], str) and isinstance(value[1], int):
            return value[2] if value[0] == '_CONSTANT_VALUE' else reference(*value)
        return [references(one) for one in value] if isinstance(value, list) else value

    for layer, entry in zip(layers, config['layers']):
        for node in entry['inbound_nodes']:
            node = [node] if node and isinstance(node[0], str) else node  # one input, in tf.keras
            arguments = node[0][3] if len(node[0]) > 3 else {}
            layer.calls.append(
                Call([references(one) for one in node], {key: references(value) for key, value in arguments.items()})
            )
    ends = [_listed(config[key]) for key in ('input_layers', 'output_layers')]
    return Model(config['name'], layers, *[[reference(*one) for one in listed] for listed in ends])


def _listed(ends):
    return [ends] if ends and isinstance(ends[0], str) else ends


def model_and_inputs(case):
    """The model of a case with its weights, and the arrays that it gets."""
    numbers, model = layer_models.random(case['name']), model_of(case['config'])
    arrays = [layer_models.array(spec, numbers) for spec in case['inputs']]
    assert len(case['weights']) == len(model.layers)
    for layer, named in zip(model.layers, case['weights']):
        layer.weights = [Weight(name, layer_models.weight(name, tuple(shape), numbers)) for name, shape in named]
    return model, arrays
