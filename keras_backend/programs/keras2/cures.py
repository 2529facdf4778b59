"""The list of all cures: what each gives back to programs of 2017, and which programs need it.

Those for Python and other libraries are in `launcher/libraries`, which the launcher of Keras 3 uses, too.
The cures of `keras` and `tensorflow` are applied after Keras was imported on the configured engine.
"""

import functools
import sys
from importlib import import_module
from typing import List, Tuple

from ...errors import WrongKeras
from ..launcher import imports, own_modules
from ..launcher.cures import Cure, action, explanation, import_to_explain
from ..launcher.libraries import cures as libraries
from . import (
    backend_meanings,
    keras03,
    keras_cures,
    layer_cures,
    model_files,
    tensorflow_backend_cures,
    tensorflow_cures,
    versions,
)

CURES: Tuple[Cure, ...] = (
    *libraries.CURES,
    *own_modules.CURES,
    Cure('keras', keras_cures.names_of_k, 'programs that call K.clear_session or K.set_session'),
    Cure('keras', keras_cures.order_of_channels, 'Convolution2D(32, 3, 3, input_shape=(1, 28, 28)) of 2015, under run'),
    Cure('keras', keras03.accuracy_on_request, 'model.fit(X, y, show_accuracy=True) of 2015'),
    Cure('keras', keras03.graph_model, 'from keras.models import Graph, of 2015'),
    Cure('keras', keras_cures.name_of_engine, "programs that ask K.backend() == 'tensorflow'"),
    Cure('keras', keras_cures.reloading, 'programs that set KERAS_BACKEND and reload keras.backend'),
    Cure('keras', keras_cures.module_of_engine, 'from keras.backend.tensorflow_backend import set_session'),
    Cure('keras', keras_cures.names_of_helpers, 'layers that use K.py_all, K.np, K._BACKEND'),
    Cure('keras', layer_cures.shapes_of_lambdas, 'Lambda layers without output_shape'),
    Cure('keras', layer_cures.variance_of_images, 'programs that train BatchNormalization on images, and predict'),
    Cure('keras', layer_cures.trainable_variables, 'layers with self.W = K.variable(...) on Keras 2.3'),
    Cure('keras', layer_cures.whole_sizes, 'programs that say Dense(np.amax(labels) + 1)'),
    Cure('keras', model_files.interpreted, 'models with Lambda layers that another Python saved'),
    Cure('keras', model_files.loaded, "load_model('model.h5') of tf.keras, Keras 1 or 3; model_from_json"),
    Cure('keras', keras_cures.test_decorator, 'tests that say @keras_test'),
    Cure('keras', keras_cures.old_batch_dot, 'capsule nets and attention written for Keras 2.2'),
    Cure('keras', backend_meanings.without_bias, 'BatchNormalization of Keras 2.1 and 2.2'),
    Cure('keras', backend_meanings.one_number, 'np.random.seed(7), a model with Flatten, then fit(shuffle=True)'),
    Cure(
        'keras', backend_meanings.values_of_tensors, 'model.fit(x, y, steps_per_epoch=2) of variables or of a pipeline'
    ),
    Cure('keras', keras_cures.kernels_of_theano, 'programs that load weights saved on Theano'),
    Cure('keras', keras_cures.losses_in_double, 'programs that write history.history as JSON'),
    Cure('keras', keras_cures.cudnn_layers, 'programs and files with CuDNNLSTM or CuDNNGRU'),
    Cure('keras.wrappers.scikit_learn', keras_cures.scikit_learn_wrappers, 'KerasClassifier in scikit-learn'),
    Cure('tensorflow', tensorflow_cures.view, 'programs that import tensorflow beside Keras: tf.Session, tf.log ...'),
    Cure(
        'tensorflow',
        tensorflow_backend_cures.made_by_default,
        'programs that say tf.scatter_update(tf.assign(v, 0.), ...)',
    ),
    Cure('tensorflow', tensorflow_backend_cures.first_values, 'tf.Variable(v.initialized_value())'),
    Cure('tensorflow', tensorflow_cures.dimensions, 'layers that say x.shape[1].value or x.get_shape()[-1].value'),
    Cure('tensorflow', tensorflow_cures.given_parts, 'programs with tf.contrib.layers, tf.layers, tf.nn.rnn_cell'),
    Cure('tensorflow', tensorflow_cures.private_parts, 'from tensorflow.python.ops import rnn_cell'),
    Cure('tensorflow', tensorflow_cures.aliases, 'from tensorflow.python.keras.layers import Dense'),
    Cure('tensorflow', tensorflow_cures.whole_shapes, 'layers whose compute_output_shape gives a TensorShape'),
    Cure('tensorflow', tensorflow_backend_cures.private_modules, 'layers that use K.tf, K.control_flow_ops, K.ctc'),
    Cure('tensorflow', tensorflow_cures.moved_names, 'detectors with control_flow_ops.while_loop; frozen graphs'),
    Cure(
        'tensorflow',
        tensorflow_backend_cures.private_functions,
        'programs that call K.tensorflow_backend._get_available_gpus or _to_tensor',
    ),
    Cure('tensorflow', tensorflow_backend_cures.names_in_keras, 'tf.train.AdamOptimizer in compile, TensorBoard'),
    Cure('tensorflow', tensorflow_cures.length_of_tensors, "code that tells lists by hasattr(x, '__len__')"),
    Cure('tensorflow', tensorflow_cures.projector, 'the callback TensorBoard'),
    Cure('keras', keras_cures.several_gpus, 'programs that call multi_gpu_model'),
)


def check_installed() -> None:
    """Raise WrongKeras if Keras 2 is not installed."""
    version = versions.of_keras()
    if version is None or not version.startswith(('1.2.', '2.')):
        raise WrongKeras(
            'keras_backend.keras2 needs Keras 1.2.2 or Keras 2, and '
            f'{"none" if version is None else "Keras " + version} is installed; type: '
            f'python -m keras_backend.keras2 --keras {versions.NEWEST} PROGRAM.py (pip makes a folder for it), or: '
            f'pip install --no-deps keras=={versions.NEWEST} keras-applications keras-preprocessing '
            '(TensorFlow depends on Keras 3, but runs without it).'
        )


def watch() -> None:
    """Apply each cure when its module is imported, or now if it is imported already."""
    libraries.watch(cure for cure in CURES if cure.module not in ('keras', 'tensorflow'))
    if 'keras' in sys.modules:
        _prepare()
    else:
        imports.before('keras', _prepare)
        imports.before('tensorflow', functools.partial(_prepare_for, 'tensorflow'))
        # Theano can be imported on the NumPy of today once its engine has made NumPy ready.
        imports.before('theano', functools.partial(_prepare_for, 'theano'))


_preparing: List[str] = []


def _prepare() -> None:
    """Import Keras on the configured engine, and apply the cures that belong to it."""
    if _preparing:  # the import below comes here again
        return
    _preparing.append('keras')
    try:
        with imports.kept():
            keras_cures.import_keras()
            keras = import_module('keras')
            mixed = keras_cures.short_name() == 'tensorflow'
            for cure in CURES:
                if cure.module == 'keras' or (cure.module == 'tensorflow' and mixed):
                    action(cure)(keras)
    finally:
        _preparing.clear()


def _prepare_for(library: str) -> None:
    """Import Keras before a library that the program imports first, where that is what the engine runs on."""
    # The default engine depends on what is installed, so that asking for it looks for TensorFlow, and comes here again.
    if _preparing:
        return
    _preparing.append(library)
    try:
        # On other engines the library stays as it is.
        with imports.kept():
            is_below = keras_cures.short_name() == library
    finally:
        _preparing.clear()
    if is_below:
        _prepare()


def explain() -> str:
    """The text of `--explain`: what each cure did in this process, and which programs need it."""
    modules = [cure.module for cure in CURES if cure.module not in ('keras', 'tensorflow')]
    keras = import_to_explain([*dict.fromkeys(modules), 'keras'])
    return explanation(f'Keras {keras.__version__} on the engine {keras_cures.short_name()}', CURES)
