"""Writes layers.npz: configurations, names of weights and predictions of the cases in layer_cases.py, by Keras.

    python tests/files/record_layers.py            with Keras 2.3.1 on TensorFlow 1.15
    python tests/files/record_layers.py tf.keras   with TensorFlow 2.15: layers_of_tf_keras.npz
    python tests/files/record_layers.py keras3     with Keras 3.15: layers_of_keras3.npz

The arrays of a case are named by its number and the number of the output; `cases` is JSON.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), 'tools')]
sys.dont_write_bytecode = True

import layer_models  # noqa: E402
import numpy as np  # noqa: E402

(OF,) = sys.argv[1:] or ['keras']
OF_TENSORFLOW = OF == 'tf.keras'
if OF_TENSORFLOW:
    import layer_cases_of_tf_keras as cases_of_version
    import tensorflow

    keras = tensorflow.keras
elif OF == 'keras3':
    import keras
    import layer_cases_of_keras3 as cases_of_version
else:
    import keras
    import layer_cases as cases_of_version
NAMES = {'tf.keras': 'layers_of_tf_keras.npz', 'keras3': 'layers_of_keras3.npz', 'keras': 'layers.npz'}


def set_values(pairs):
    """Give variables their values."""
    if OF == 'keras3':
        for variable, value in pairs:
            variable.assign(value)
    else:
        keras.backend.batch_set_value(pairs)


def path_of(variable):
    """The name of a weight behind that of its layer."""
    return variable.path if OF == 'keras3' else variable.name


class Kit:
    """What the functions of cases make models of."""

    L, Model, Sequential, Input = (
        keras.layers,
        keras.models.Model,
        keras.models.Sequential,
        staticmethod(keras.layers.Input),
    )
    keras = keras

    def __init__(self):
        self.specs = []
        if OF_TENSORFLOW:
            self.tf = tensorflow

    def input(self, spec, batch=None):
        """An input of a model, whose values are given by the specification."""
        self.specs.append(spec)
        shape = layer_models.shape_of(spec)
        kind = {'dtype': 'int32'} if spec[0] == 'i' else {}
        return self.Input(batch_shape=(batch, *shape), **kind) if batch else self.Input(shape, **kind)

    def chain(self, layers, *specs, batch=None):
        """A model of inputs and layers, one after the other. A sequence with a mask has its mean beside it."""
        inputs = [self.input(spec, batch) for spec in specs]
        x = [self.L.Masking()(one) if spec[0] == 'm' else one for one, spec in zip(inputs, specs)]
        x = x if len(x) > 1 else x[0]
        for layer in layers:
            x = layer(x)
        outputs = list(x) if isinstance(x, (list, tuple)) else [x]
        masked = any([spec[0] == 'm' for spec in specs])
        if masked and len(outputs[0].shape) == 3:
            outputs.append(self.L.GlobalAveragePooling1D()(outputs[0]))
        return self.Model(inputs, outputs)


def made(name, build):
    """The model of a case, its record and its predictions."""
    keras.backend.clear_session()
    kit, numbers = Kit(), layer_models.random(name)
    model = build(kit)
    specs = kit.specs or ['f ' + ' '.join([str(size) for size in one.shape[1:]]) for one in model.inputs]
    arrays = [layer_models.array(spec, numbers) for spec in specs]
    weights = []
    for layer in model.layers:
        values = [
            layer_models.weight(one.name, tuple([int(size) for size in one.shape]), numbers) for one in layer.weights
        ]
        set_values(list(zip(layer.weights, values)))
        if hasattr(layer, 'finalize_state'):
            layer.finalize_state()
        weights.append([[path_of(one), list(value.shape)] for one, value in zip(layer.weights, values)])
    times = 2 if 'stateful' in name else 1
    found = [model.predict(arrays, batch_size=layer_models.BATCH, verbose=0) for _ in range(times)][-1]
    found = found if isinstance(found, list) else [found]
    config = json.loads(model.to_json())['config']
    return model, {'name': name, 'config': config, 'inputs': specs, 'weights': weights, 'times': times}, found


def builds_of(module):
    """The functions that make the models of a module of cases, by the names of these."""
    rows, builds = module.LAYERS, dict(module.MODELS)
    for name, (kind, arguments, inputs) in layer_models.single_cases(rows).items():
        builds[name] = lambda k, kind=kind, arguments=arguments, inputs=inputs: k.chain(
            [getattr(k.L, kind)(**arguments)], *inputs
        )
    return builds


def main():
    """Write the file."""
    cases, arrays = [], {}
    builds = builds_of(cases_of_version)
    for name in sorted(builds):
        try:
            _, case, found = made(name, builds[name])
        except Exception as error:
            print(name, type(error).__name__, str(error)[:300])
            continue
        arrays.update({f'{len(cases)}_{place}': value for place, value in enumerate(found)})
        cases.append(case)
    path = os.path.join(HERE, NAMES[OF])
    np.savez_compressed(path, cases=np.frombuffer(json.dumps(cases).encode(), 'uint8'), **arrays)
    print(len(cases), os.path.getsize(path))


if __name__ == '__main__':
    main()
