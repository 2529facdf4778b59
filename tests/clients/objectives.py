"""Every loss, metric and optimizer of Keras, found in its public namespaces."""

import functools
import inspect

import numpy as np
from keras import losses as keras_losses
from keras import metrics as keras_metrics
from keras import optimizers as keras_optimizers

# Keras itself refuses it unless its own engine for TensorFlow 2 runs.
REFUSED_BY_KERAS = {'MeanIoU'}
HELPERS = {'deserialize', 'get', 'serialize', 'clone_metric', 'clone_metrics', 'is_categorical_crossentropy'}
ABSTRACT = {
    'Loss',
    'LossFunctionWrapper',
    'Layer',
    'Metric',
    'MeanMetricWrapper',
    'Reduce',
    'Optimizer',
    'SensitivitySpecificityBase',
    'Mean',
    'Sum',
}


def _public(module, test):
    return {
        name: value
        for name, value in vars(module).items()
        if name[0] != '_'
        and test(value)
        and value.__module__ == module.__name__
        and name not in HELPERS | ABSTRACT | REFUSED_BY_KERAS
    }


def losses():
    """Functions (targets, outputs) by name, each once."""
    found = _public(keras_losses, inspect.isfunction)
    return {
        name: function
        for name, function in found.items()
        if name == min((n for n, f in found.items() if f is function), key=lambda n: (-len(n), n))
    }


def loss_classes():
    """Classes of losses; there are none before Keras 2.3."""
    return _public(keras_losses, inspect.isclass)


def metrics():
    """Makers of metrics by name: functions, and classes where there are some."""
    found = {
        name: lambda f=function: f
        for name, function in _public(keras_metrics, inspect.isfunction).items()
        if name != 'accuracy'
    }  # compares classes, not probabilities
    options = {
        'SensitivityAtSpecificity': dict(specificity=0.5),
        'SpecificityAtSensitivity': dict(sensitivity=0.5),
        'SparseTopKCategoricalAccuracy': dict(k=2),
        'TopKCategoricalAccuracy': dict(k=2),
    }
    for name, made in _public(keras_metrics, inspect.isclass).items():
        found[name] = functools.partial(made, **options.get(name, {}))
    return found


def optimizers():
    """Makers of optimizers by name, with their options."""
    classes = {
        name: value
        for name, value in _public(keras_optimizers, inspect.isclass).items()
        if name[0].isupper() and name != 'TFOptimizer'
    }  # wraps one of TensorFlow 1
    found = {name: (lambda c=c: c()) for name, c in classes.items()}
    o = keras_optimizers
    found.update(
        {
            'SGD with momentum': lambda: o.SGD(0.1, momentum=0.9, decay=0.1),
            'SGD with Nesterov momentum': lambda: o.SGD(0.1, momentum=0.9, nesterov=True),
            'RMSprop with decay': lambda: o.RMSprop(0.01, decay=0.1),
            'Adam, AMSGrad': lambda: o.Adam(0.1, amsgrad=True),
            'SGD, clipped by norm': lambda: o.SGD(0.1, clipnorm=0.1),
            'SGD, clipped': lambda: o.SGD(0.1, clipvalue=0.01),
        }
    )
    return found


def kind(name):
    """Which targets and outputs a loss or metric takes."""
    low = name.lower().replace('_', '')
    if 'sparse' in low:
        return 'sparse'
    if 'categorical' in low:
        return 'categorical'
    if low == 'accuracy':
        return 'classes'
    if 'hinge' in low:
        return 'signs'
    return 'real' if low.startswith(('m', 'root', 'cosine', 'logcosh')) else 'binary'


def batches():
    """(targets, outputs) for every kind."""
    rng = np.random.RandomState(3)
    binary = rng.uniform(0.05, 0.95, (6, 4)).astype('float32')
    probabilities = rng.dirichlet(np.ones(4), 6).astype('float32')
    classes = np.array([0, 3, 2, 1, 1, 0])
    labels = (rng.uniform(size=(6, 4)) > 0.5).astype('float32')
    return {
        'binary': (labels, binary),
        'categorical': (np.eye(4, dtype='float32')[classes], probabilities),
        'sparse': (classes[:, None].astype('float32'), probabilities),
        'signs': (2 * labels - 1, 2 * binary - 1),
        'real': (rng.uniform(0.5, 2, (6, 4)).astype('float32'), binary),
        'classes': (labels, (binary > 0.4).astype('float32')),
    }
