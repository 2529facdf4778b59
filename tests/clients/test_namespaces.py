"""No layer, loss, metric or optimizer of Keras is forgotten by the tests."""

import inspect

import keras

from . import layer_lists, objectives

# Bases that do nothing alone; layers that want a GPU and TensorFlow 1; the cell inside of ConvLSTM2D.
NOT_LISTED = {'Layer', 'Wrapper', 'Recurrent', 'ConvRecurrent2D', 'ConvRNN2D', 'CuDNNGRU', 'CuDNNLSTM'}
# Models are layers, too. Keras 2.2.4 puts them into keras.layers when it first loads a model.
NOT_LISTED |= {'Model', 'Sequential'}


def test_every_layer_is_used():
    """Every class of keras.layers is in one of the lists, or its reason is known."""
    used = layer_lists.used()
    layers = {
        name: c
        for name, c in vars(keras.layers).items()
        if inspect.isclass(c) and issubclass(c, keras.layers.Layer) and name not in NOT_LISTED
    }
    assert len(layers) > 80
    assert [] == [name for name, c in sorted(layers.items()) if c not in used]


def test_every_loss_is_found():
    """The losses that the documentation of Keras lists are among those that are found."""
    assert {
        'mean_squared_error',
        'mean_absolute_error',
        'mean_absolute_percentage_error',
        'mean_squared_logarithmic_error',
        'squared_hinge',
        'hinge',
        'categorical_hinge',
        'logcosh',
        'categorical_crossentropy',
        'sparse_categorical_crossentropy',
        'binary_crossentropy',
        'kullback_leibler_divergence',
        'poisson',
    } <= set(objectives.losses())
    if keras.__version__ >= '2.3':
        assert 13 <= len(objectives.loss_classes())


def test_every_metric_is_found():
    """The metrics that the documentation of Keras lists are among those that are found."""
    assert {
        'binary_accuracy',
        'categorical_accuracy',
        'sparse_categorical_accuracy',
        'top_k_categorical_accuracy',
        'sparse_top_k_categorical_accuracy',
    } <= set(objectives.metrics())
    if keras.__version__ >= '2.3':
        assert {
            'AUC',
            'Precision',
            'Recall',
            'TruePositives',
            'RootMeanSquaredError',
            'SensitivityAtSpecificity',
            'CosineSimilarity',
            'LogCoshError',
        } <= set(objectives.metrics())


def test_every_optimizer_is_found():
    """The optimizers that the documentation of Keras lists are among those that are found."""
    assert {'SGD', 'RMSprop', 'Adagrad', 'Adadelta', 'Adam', 'Adamax', 'Nadam'} <= set(objectives.optimizers())
