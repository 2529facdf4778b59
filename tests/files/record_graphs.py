"""Writes graphs.npz: frozen graphs with their inputs and outputs, by TensorFlow.

    python tests/files/record_graphs.py keras         models, with Keras 2.3.1 on TensorFlow 1.15
    python tests/files/record_graphs.py operations    operations one by one, with TensorFlow 2.10
    python tests/files/record_graphs.py classes       SavedModels of classes, with TensorFlow 2.4, 2.10 and 2.15

Each run replaces the cases of its own kind, and of the same TensorFlow for classes. The entries of a case are
`KIND/NAME/graph`, its bytes, or `KIND/NAME/file/PATH` for each file of a folder, and `KIND/NAME/in/NAME` and
`KIND/NAME/out/NAME`, arrays by the names of nodes or of arguments.
"""

import os
import sys

import numpy as np

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
sys.dont_write_bytecode = True

from graph_cases import DRAW, normal, operations  # noqa: E402

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'graphs.npz')


def record(kind, cases):
    """Write cases, (name, graph or files by path, inputs, outputs), in the place of those of their kind."""
    kept = {}
    if os.path.exists(PATH):
        with np.load(PATH) as old:
            kept = {name: old[name] for name in old.files if not name.startswith(f'{kind}/')}
    for name, graph, inputs, outputs in cases:
        files = {'graph': graph} if isinstance(graph, bytes) else {f'file/{path}': graph[path] for path in graph}
        kept.update({f'{kind}/{name}/{path}': np.frombuffer(content, 'uint8') for path, content in files.items()})
        kept.update({f'{kind}/{name}/in/{key}': value for key, value in inputs.items()})
        kept.update({f'{kind}/{name}/out/{key}': value for key, value in outputs.items()})
    np.savez_compressed(PATH, **kept)


# -- models of Keras ---------------------------------------------------------------------------------------------------
def models(keras):
    """Models by name, and an input of each."""
    L, Sequential = keras.layers, keras.models.Sequential
    yield (
        'images',
        Sequential(
            [
                L.Conv2D(4, 3, padding='same', activation='relu', input_shape=(8, 8, 3)),
                L.BatchNormalization(),
                L.MaxPooling2D(),
                L.DepthwiseConv2D(3),
                L.Flatten(),
                L.Dropout(0.5),
                L.Dense(5, activation='softmax'),
            ]
        ),
        normal(3, 8, 8, 3),
    )
    yield (
        'larger_images',
        Sequential(
            [
                L.Conv2D(4, 3, dilation_rate=2, input_shape=(9, 9, 3)),
                L.Conv2DTranspose(3, 3, strides=2, padding='same'),
                L.UpSampling2D(2, interpolation='bilinear'),
                L.UpSampling2D(2),
                L.ZeroPadding2D(1),
                L.Cropping2D(1),
                L.SeparableConv2D(2, 3),
                L.AveragePooling2D(3, padding='same'),
                L.LeakyReLU(),
                L.GlobalAveragePooling2D(),
                L.Reshape((2, 1)),
                L.Conv1D(2, 2, padding='causal'),
                L.PReLU(),
                L.GlobalMaxPooling1D(),
            ]
        ),
        normal(2, 9, 9, 3),
    )
    yield 'recurrent', Sequential([L.LSTM(4, return_sequences=True, input_shape=(6, 3)), L.GRU(3)]), normal(3, 6, 3)
    yield (
        'masked',
        Sequential(
            [
                L.Embedding(10, 4, mask_zero=True, input_length=5),
                L.Bidirectional(L.LSTM(4)),
                L.Dense(2, activation='tanh'),
            ]
        ),
        DRAW.randint(0, 10, (3, 5)).astype('float32'),
    )
    yield (
        'any_length',
        Sequential([L.Embedding(10, 4), L.SimpleRNN(4), L.Dense(2, activation='elu')]),
        DRAW.randint(0, 10, (3, 5)).astype('float32'),
    )
    yield (
        'sequences',
        Sequential(
            [
                L.TimeDistributed(L.Dense(4, activation='selu'), input_shape=(6, 3)),
                L.Conv1D(3, 3, padding='same'),
                L.MaxPooling1D(2),
                L.Permute((2, 1)),
                L.Lambda(lambda x: keras.backend.l2_normalize(x, -1)),
                L.Softmax(),
                L.Flatten(),
                L.RepeatVector(2),
                L.GaussianNoise(0.1),
            ]
        ),
        normal(2, 6, 3),
    )
    yield (
        'volumes',
        Sequential(
            [
                L.Conv3D(2, 2, input_shape=(5, 5, 5, 2)),
                L.MaxPooling3D(2),
                L.BatchNormalization(),
                L.ThresholdedReLU(0.1),
                L.Conv3DTranspose(2, 2, strides=2),
                L.AveragePooling3D(2),
                L.Activation('hard_sigmoid'),
            ]
        ),
        normal(2, 5, 5, 5, 2),
    )


def of_keras():
    """Frozen graphs of models of Keras."""
    import keras
    import tensorflow as tf

    K = keras.backend
    for name, model, x in models(keras):
        for weight in model.weights:
            value = normal(*K.int_shape(weight)) / 2
            K.set_value(weight, np.abs(value) + 0.5 if 'variance' in weight.name else value)
        y, session = model.predict(x), K.get_session()
        ends = [output.op.name for output in model.outputs]
        graph = tf.graph_util.convert_variables_to_constants(session, session.graph.as_graph_def(), ends)
        yield name, graph.SerializeToString(), {model.inputs[0].op.name: x}, {ends[0]: y}
        K.clear_session()


# -- operations --------------------------------------------------------------------------------------------------------
def of_operations():
    """Graphs of one operation or few."""
    import tensorflow as tf

    v1 = tf.compat.v1
    for name, arrays, function in operations(tf):
        graph = tf.Graph()
        with graph.as_default():
            inputs = [v1.placeholder(x.dtype, (None, *x.shape[1:]), name=f'x{i}') for i, x in enumerate(arrays)]
            result = function(*inputs)
            outputs = result if isinstance(result, list) else [result]
            ends = [tf.identity(output, name=f'y{i}').op.name for i, output in enumerate(outputs)]
            with v1.Session() as session:
                fed = dict(zip(inputs, arrays))
                values = session.run([f'{end}:0' for end in ends], fed)
        definition = v1.graph_util.extract_sub_graph(graph.as_graph_def(), ends)
        yield (
            name,
            definition.SerializeToString(),
            {t.op.name: x for t, x in zip(inputs, arrays)},
            dict(zip(ends, values)),
        )


# -- SavedModels of classes --------------------------------------------------------------------------------------------
def classes(tf):
    """Models that are classes of a program, and their inputs."""
    L, keras = tf.keras.layers, tf.keras

    class Images(keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.normal = L.Conv2D(4, 3, activation='relu'), L.BatchNormalization()
            self.drop, self.last = L.Dropout(0.5), L.Dense(3, activation='softmax')

        def call(self, x, training=False):
            x = self.drop(self.normal(self.first(x), training=training), training=training)
            return self.last(tf.reduce_mean(x, [1, 2]))

    class Words(keras.Model):
        def __init__(self):
            super().__init__()
            self.table = L.Embedding(10, 4, mask_zero=True)
            self.both, self.last = L.Bidirectional(L.LSTM(3, return_sequences=True)), L.GRU(3)

        def call(self, words):
            return self.last(self.both(self.table(words)))

    class CausalAttention(L.Layer):
        def build(self, shape):
            self.kernel = self.add_weight('kernel', (shape[-1], 2, 3))

        def call(self, x):
            heads = tf.einsum('btc,chd->bhtd', x, self.kernel)
            scores = tf.matmul(heads, heads, transpose_b=True) / tf.sqrt(3.0)
            scores = tf.where(tf.linalg.band_part(tf.ones_like(scores), -1, 0) > 0.0, scores, -1e9)
            context = tf.transpose(tf.matmul(tf.nn.softmax(scores), heads), [0, 2, 1, 3])
            return tf.reshape(context, [tf.shape(x)[0], tf.shape(x)[1], 6])

    class Pair(keras.Model):
        def __init__(self):
            super().__init__()
            self.attention, self.norm, self.dense = CausalAttention(), L.LayerNormalization(), L.Dense(2)

        def call(self, inputs):
            left, right = inputs['left'], inputs['right']
            context = self.norm(self.attention(left))
            gate = tf.sigmoid(self.dense(right))[:, tf.newaxis]
            return {'context': context, 'gated': tf.concat([context[..., :2] * gate, gate * 0.0 + 1.0], 1)}

    class Loop(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(normal(3))

        @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([], tf.int32)])
        def __call__(self, x, steps):
            total = tf.zeros_like(x)
            for _ in tf.range(4):
                total = tf.tanh(total + x * self.scale)
            return tf.cond(tf.reduce_sum(x) > 0.0, lambda: total, lambda: -total) * tf.cast(steps, tf.float32)

    yield 'images', Images(), [normal(2, 8, 8, 3)]
    yield 'words', Words(), [np.int32([[1, 2, 3, 0, 0], [4, 5, 6, 7, 8]])]
    yield 'pair', Pair(), [{'left': normal(2, 4, 3), 'right': normal(2, 5)}]
    yield 'layer', keras.Sequential([L.InputLayer((4, 3)), CausalAttention(), L.Dense(2)]), [normal(2, 4, 3)]
    yield 'loop', Loop(), [normal(2, 3), np.array(3, 'int32')]


def needed(content):
    """A SavedModel without the functions that its signature does not call."""
    from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

    saved = SavedModel.FromString(content)
    graph = saved.meta_graphs[0]
    functions = {function.signature.name: function for function in graph.graph_def.library.function}
    kept, ways = set(), [name for name in functions if 'signature_wrapper' in name]
    while ways:
        name = ways.pop()
        if name in kept:
            continue
        kept.add(name)
        for node in functions[name].node_def:
            ways += [value.func.name for value in node.attr.values() if value.HasField('func')]
    del graph.graph_def.library.function[:]
    graph.graph_def.library.function.extend([functions[name] for name in functions if name in kept])
    for name in list(graph.object_graph_def.concrete_functions):
        if name not in kept:
            del graph.object_graph_def.concrete_functions[name]
    return saved.SerializeToString(deterministic=True)


def of_classes():
    """Folders of SavedModels."""
    import shutil
    import tempfile

    import tensorflow as tf

    for name, model, inputs in classes(tf):
        folder = tempfile.mkdtemp()
        model(*inputs)
        for variable in model.variables:
            value = normal(*variable.shape) / 2
            variable.assign(np.abs(value) + 0.5 if 'variance' in variable.name else value)
        if isinstance(model, tf.keras.Model):
            model.predict(*inputs)
            model.save(folder, save_format='tf')
        else:
            tf.saved_model.save(model, folder, signatures=model.__call__.get_concrete_function())
        loaded = tf.saved_model.load(folder)  # it holds the variables
        served = loaded.signatures['serving_default']
        names = list(served.structured_input_signature[1])
        given = dict(inputs[0]) if isinstance(inputs[0], dict) else dict(zip(sorted(names), inputs))
        if name == 'loop':
            given = {'x': inputs[0], 'steps': inputs[1]}
        specs = served.structured_input_signature[1]
        results = served(**{key: tf.constant(given[key], specs[key].dtype) for key in names})
        contents = {}
        for top, _, files in os.walk(folder):
            for file in files:
                path = os.path.join(top, file)
                with open(path, 'rb') as stream:
                    contents[os.path.relpath(path, folder)] = stream.read()
        shutil.rmtree(folder)
        contents.pop('fingerprint.pb', None)
        contents['saved_model.pb'] = needed(contents['saved_model.pb'])
        yield name, contents, given, {key: value.numpy() for key, value in results.items()}


if __name__ == '__main__':
    (KIND,) = sys.argv[1:]
    if KIND == 'classes':
        from tensorflow import __version__

        record(f'classes_{".".join(__version__.split(".")[:2])}', of_classes())
    else:
        record(KIND, of_keras() if KIND == 'keras' else of_operations())
