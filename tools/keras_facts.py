"""The names of the Keras in a folder, as JSON in the last line.

tools/record_keras_versions.py runs it for each version.
"""

import importlib
import inspect
import json
import pkgutil
import sys

import tensorflow  # noqa: F401

# ruff: noqa: E402
# TensorFlow has read its own keras-applications by now. Keras gets those of its time.
sys.path.insert(0, sys.argv[1])
for name in [name for name in sys.modules if name.startswith(('keras_applications', 'keras_preprocessing'))]:
    del sys.modules[name]

import keras
import keras.backend
import keras.callbacks
import keras.layers
import keras.models
import keras.optimizers
import numpy as np

OF_CLASSES = ['layers', 'optimizers', 'callbacks', 'preprocessing.image', 'preprocessing.text', 'regularizers']
OF_CLASSES += ['constraints', 'initializers']
# Values for the arguments that have to be given. Every other one is 3.
NEEDED = {'activation': 'relu', 'layer': keras.layers.Dense(2), 'function': lambda x: x, 'pool_size': 2, 'rate': 0.5}
NEEDED.update(target_shape=(2, 3), dims=(2, 1), p=0.5, padding=1, output_shape=(2,))


def modules():
    """{module: its names}, None for a module that cannot be imported here."""
    found = {'keras': names(keras)}
    for _, name, _ in pkgutil.walk_packages(keras.__path__, 'keras.', onerror=lambda name: None):
        try:
            found[name] = names(importlib.import_module(name))
        except Exception:
            found[name] = None
    return found


def names(module):
    return [name for name in dir(module) if not name.startswith('__')]


def classes():
    """{name: class} of the public classes."""
    found = {}
    for part in OF_CLASSES:
        try:
            module = importlib.import_module('keras.' + part)
        except ImportError:
            continue
        for name in names(module):
            value = getattr(module, name)
            if inspect.isclass(value) and value.__module__.startswith('keras') and not name.startswith('_'):
                found.setdefault(name, value)
    return found


def parameters(cls):
    """The parameters of a constructor, and whether it takes others."""
    found = dict(inspect.signature(cls.__init__).parameters)
    found.pop('self', None)
    rest = [name for name, one in found.items() if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]
    for name in rest:
        del found[name]
    return found, bool(rest)


def takes(cls, argument, value):
    """Whether a constructor takes an argument that is not in its signature: the arguments of Keras 1, and of Layer."""
    own, rest = parameters(cls)
    if not rest and not hasattr(cls.__init__, '__wrapped__'):
        return False
    for less in [()] + [(name,) for name in own]:
        for size in 3, (3, 3), (3, 3, 3):
            needed = {
                name: size if name == 'kernel_size' else NEEDED.get(name, 3)
                for name, one in own.items()
                if one.default is one.empty and name not in less
            }
            try:
                cls(**dict(needed, **{argument: value}))
                return True
            except Exception:
                continue
    return False


# Arguments of Keras 1, with a value. All are tried on all classes that other versions give them to.
OF_KERAS_1 = dict(output_dim=3, nb_filter=3, nb_row=3, nb_col=3, filter_length=3, border_mode='same', subsample=(1, 1))
OF_KERAS_1.update(dim_ordering='tf', init='uniform', inner_init='orthogonal', bias=True, W_regularizer=None, p=0.5)
OF_KERAS_1.update(b_regularizer=None, W_constraint=None, b_constraint=None, input_dim=3, input_length=3, weights=None)
OF_KERAS_1.update(consume_less='cpu', dropout_W=0.1, dropout_U=0.1, U_regularizer=None, forget_bias_init='one')
OF_KERAS_1.update(inner_activation='hard_sigmoid', subsample_length=1, pool_length=2, stride=None, sigma=0.1, mode=0)
OF_KERAS_1.update(
    beta_init='zero', gamma_init='one', gamma_regularizer=None, beta_regularizer=None, length=2, cropping=1
)
OF_KERAS_1.update(nb_feature=2, lr=0.1, learning_rate=0.1, nb_epoch=1, atrous_rate=(1, 1), kernel_dim1=3, kernel_dim2=3)
OF_KERAS_1.update(kernel_dim3=3, dropout=0.1, mask_zero=True, depth_multiplier=1, noise_shape=None, l1=0.1, l2=0.1)
OF_KERAS_1.update(decay=0.1, epsilon=0.1, schedule_decay=0.1, clipnorm=1.0, clipvalue=1.0, name='a', trainable=True)
OF_KERAS_1.update(input_shape=(3, 3), batch_input_shape=(2, 3), dtype='float32')


def arguments():
    """{class: the arguments that it takes}."""
    found = {}
    for name, cls in sorted(classes().items()):
        try:
            own, rest = parameters(cls)
        except (TypeError, ValueError):
            continue
        if rest and not own:
            continue
        keras.backend.clear_session()
        others = dict(inherited(cls), **OF_KERAS_1)
        found[name] = sorted(own) + [
            argument
            for argument, value in sorted(others.items())
            if argument not in own and takes(cls, argument, value)
        ]
    return found


def inherited(cls):
    """The arguments that the classes above one take, with their defaults: `LSTM` of Keras 1 passes them on."""
    found = {}
    for above in cls.__mro__[1:-1]:
        for name, one in parameters(above)[0].items():
            if one.default is not one.empty:
                found.setdefault(name, one.default)
    return found


# -- idioms ------------------------------------------------------------------------------------------------------------

X, Y = np.ones((8, 4), 'float32'), np.ones((8, 1), 'float32')


def model(**options):
    made = keras.models.Sequential([keras.layers.Dense(1, input_shape=(4,))])
    made.compile('sgd', 'mse', **options)
    return made


def dense_output_dim():
    keras.layers.Dense(output_dim=3, input_dim=2)


def convolution_with_rows_and_columns():
    made = keras.models.Sequential()
    made.add(keras.layers.Convolution2D(4, 3, 3, border_mode='same', input_shape=(8, 8, 1), dim_ordering='tf'))
    assert made.output_shape == (None, 8, 8, 4)


def conv2d_with_rows_and_columns():
    made = keras.models.Sequential([keras.layers.Conv2D(4, 3, 5, input_shape=(8, 8, 1))])
    assert made.output_shape == (None, 6, 4, 4)


def fit_nb_epoch():
    model().fit(X, Y, nb_epoch=1, verbose=0)


def generator_of_samples():
    """An epoch of samples_per_epoch=8 is two batches of 4."""
    drawn = []

    def batches():
        while True:
            drawn.append(1)
            yield X[:4], Y[:4]

    model().fit_generator(batches(), samples_per_epoch=8, nb_epoch=1, verbose=0, max_q_size=1, nb_worker=1)
    assert len(drawn) < 6


def generator_of_samples_is_taken():
    def batches():
        while True:
            yield X[:4], Y[:4]

    model().fit_generator(batches(), samples_per_epoch=8, nb_epoch=1, verbose=0)


def generator_nb_val_samples():
    def batches():
        while True:
            yield X[:4], Y[:4]

    model().fit_generator(batches(), 2, 1, verbose=0, validation_data=batches(), nb_val_samples=2)


def evaluate_val_samples():
    def batches():
        while True:
            yield X[:4], Y[:4]

    model().evaluate_generator(batches(), val_samples=2)


def model_input_output():
    x = keras.layers.Input((4,))
    keras.models.Model(input=x, output=keras.layers.Dense(2)(x))


def model_inputs_outputs():
    x = keras.layers.Input((4,))
    keras.models.Model(inputs=x, outputs=keras.layers.Dense(2)(x))


def history_acc():
    found = model(metrics=['accuracy']).fit(X, Y, verbose=0, batch_size=4)
    assert 'acc' in found.history


def history_accuracy():
    found = model(metrics=['accuracy']).fit(X, Y, verbose=0, batch_size=4)
    assert 'accuracy' in found.history


def metric_fmeasure():
    model(metrics=['fmeasure'])


def batch_dot_of_four_axes():
    """Two axes in common are both batch axes."""
    a, b = keras.backend.ones((2, 3, 4, 5)), keras.backend.ones((2, 3, 5, 6))
    assert keras.backend.eval(keras.backend.batch_dot(a, b)).shape == (2, 3, 4, 6)


def gates_drawn_one_by_one():
    """The first weights of a recurrent layer are drawn for each gate, and not for all of them together."""
    shapes = []

    def ones(shape, **options):
        shapes.append(tuple(shape))
        return keras.backend.ones(shape)

    keras.models.Sequential([keras.layers.LSTM(3, input_shape=(5, 2), init=ones, inner_init=ones)])
    assert (2, 3) in shapes


def weights_of_inner_layer():
    """A layer that takes the weights of a layer that it holds for its own has them once."""

    class Own(keras.layers.Layer):
        def build(self, input_shape):
            self.inner = keras.layers.Dense(2)
            self.inner.build(input_shape)
            self.trainable_weights = self.inner.trainable_weights
            super().build(input_shape)

        def call(self, x, mask=None):
            return self.inner.call(x)

    layer = Own()
    layer(keras.layers.Input((4,)))
    assert len(layer.trainable_weights) == 2


class Weighted(keras.layers.Layer):
    way = None

    def build(self, shape):
        self.kernel = self.way()
        assert keras.backend.int_shape(self.kernel) == (4, 2)
        self.built = True

    def call(self, x, mask=None):
        return keras.backend.dot(x, self.kernel)

    def compute_output_shape(self, shape):
        return (shape[0], 2)

    get_output_shape_for = compute_output_shape


def weighted(way):
    layer = type('Own', (Weighted,), {'way': way})()
    layer(keras.layers.Input((4,)))


def add_weight_shape_first():
    weighted(lambda self: self.add_weight((4, 2), initializer='uniform', name='w'))


def add_weight_name_first():
    weighted(lambda self: self.add_weight('w', (4, 2), initializer='uniform'))


def add_weight_name_and_shape():
    weighted(lambda self: self.add_weight(name='w', shape=(4, 2), initializer='uniform', trainable=True))


def add_weight_without_name():
    weighted(lambda self: self.add_weight(shape=(4, 2), initializer='uniform'))


def get_output_shape_for():
    class Own(keras.layers.Layer):
        def call(self, x, mask=None):
            return keras.backend.sum(x, axis=1, keepdims=True)

        def get_output_shape_for(self, shape):
            return (shape[0], 1)

    assert Own()(keras.layers.Input((4,)))._keras_shape == (None, 1)


def compute_output_shape():
    class Own(keras.layers.Layer):
        def call(self, x, mask=None):
            return keras.backend.sum(x, axis=1, keepdims=True)

        def compute_output_shape(self, shape):
            return (shape[0], 1)

    assert Own()(keras.layers.Input((4,)))._keras_shape == (None, 1)


def layer_inbound_nodes():
    layer = keras.layers.Dense(2)
    layer(keras.layers.Input((4,)))
    assert len(layer.inbound_nodes) == 1


def sequential_model():
    assert model().model is not None


def model_metrics_tensors():
    assert len(model(metrics=['mae']).metrics_tensors) == 1


def model_targets():
    assert len(model().targets) == 1


def model_sample_weights():
    assert len(model().sample_weights) == 1


def model_total_loss():
    assert model().total_loss is not None


def callback_validation_data():
    seen = []

    class Watch(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            seen.append(self.validation_data)

    model().fit(X, Y, verbose=0, validation_data=(X, Y), callbacks=[Watch()])
    assert seen[0][0].shape == (8, 4)


def callback_params_metrics():
    seen = []

    class Watch(keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            seen.append((self.params['metrics'], self.params['samples']))

    model().fit(X, Y, verbose=0, callbacks=[Watch()])
    assert seen == [(['loss'], 8)]


def loss_cosine_proximity():
    model(metrics=['cosine_proximity'])


def optimizer_lr():
    assert keras.backend.get_value(keras.optimizers.SGD(lr=0.5).lr) == 0.5


def own_optimizer_get_updates_of_three():
    class Own(keras.optimizers.Optimizer):
        def get_updates(self, params, constraints, loss):
            return [keras.backend.update(p, p) for p in params]

        def get_config(self):
            return {}

    made = keras.models.Sequential([keras.layers.Dense(1, input_shape=(4,))])
    made.compile(Own(), 'mse')
    made.train_on_batch(X, Y)


def own_optimizer_get_updates_of_two():
    class Own(keras.optimizers.Optimizer):
        def get_updates(self, loss, params):
            return [keras.backend.update(p, p) for p in params]

        def get_config(self):
            return {}

    made = keras.models.Sequential([keras.layers.Dense(1, input_shape=(4,))])
    made.compile(Own(), 'mse')
    made.train_on_batch(X, Y)


def merge_mode():
    a, b = keras.layers.Input((4,)), keras.layers.Input((4,))
    assert keras.layers.merge([a, b], mode='concat', concat_axis=1)._keras_shape == (None, 8)


def merge_layer():
    parts = [keras.models.Sequential([keras.layers.Dense(2, input_shape=(4,))]) for _ in range(2)]
    made = keras.models.Sequential([keras.layers.Merge(parts, mode='concat'), keras.layers.Dense(1)])
    made.compile('sgd', 'mse')
    made.train_on_batch([X, X], Y)


def concatenate_function():
    a, b = keras.layers.Input((4,)), keras.layers.Input((4,))
    assert keras.layers.concatenate([a, b])._keras_shape == (None, 8)


def lstm_return_state():
    keras.layers.LSTM(2, return_state=True)(keras.layers.Input((3, 4)))


def model_loss_in_list():
    x = keras.layers.Input((4,))
    made = keras.models.Model(x, keras.layers.Dense(1)(x))
    made.add_loss(keras.backend.mean(made.outputs[0]))
    made.compile('sgd')
    made.train_on_batch(X, None)


def compile_without_loss():
    x = keras.layers.Input((4,))
    made = keras.models.Model(x, keras.layers.Dense(1)(x))
    made.add_loss(keras.backend.mean(made.outputs[0]))
    made.compile('sgd', loss=None)
    made.train_on_batch(X, None)


def fit_of_generators():
    def batches():
        while True:
            yield X[:4], Y[:4]

    model().fit(batches(), steps_per_epoch=2, verbose=0)


def string_initializers():
    keras.layers.Dense(2, init='he_normal')(keras.layers.Input((4,)))


def shape_in_keras_shape():
    assert keras.layers.Dense(2)(keras.layers.Input((4,)))._keras_shape == (None, 2)


IDIOMS = [
    value
    for value in list(globals().values())
    if inspect.isfunction(value) and value.__module__ == __name__ and not inspect.signature(value).parameters
]
IDIOMS = [one for one in IDIOMS if one not in (modules, classes, arguments)]


def works(idiom):
    keras.backend.clear_session()
    try:
        idiom()
    except Exception:
        return False
    return True


if __name__ == '__main__':
    told = dict(version=keras.__version__, modules=modules(), arguments=arguments())
    told['idioms'] = [one.__name__ for one in IDIOMS if works(one)]
    print()
    print(json.dumps(told))
