"""The names of TensorFlow 1 that are given back, each with the function or class that it stands for.

This module imports no TensorFlow, so that a program can be checked without it.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, List, Optional

from ....basics import installed

# How a place is written: `MODULE:NAME` is a name in a module of this folder. `tf:NAME` is a name of tf.compat.v1. A
# module of TensorFlow has its full path, and no name behind it.


def _in(part: str, module: str, names: str) -> Dict[str, str]:
    return {f'{part}.{name}': f'{module}:{name}' for name in names.split()}


def _from_tensorflow(part: str, place: str, names: Iterable[str]) -> Dict[str, str]:
    return {f'{part}.{name}': f'tf:{place}{name}' for name in names}


_LAYERS = {
    **_in('layers', 'base', 'Layer'),
    **_in('layers', 'core', 'Dense Dropout Flatten dense dropout flatten'),
    **_in('layers', 'convolutions', 'Conv1D Conv2D Conv3D Conv2DTranspose SeparableConv2D'),
    **_in('layers', 'convolutions', 'conv1d conv2d conv3d conv2d_transpose separable_conv2d'),
    **_in('layers', 'convolutions', 'MaxPooling1D MaxPooling2D MaxPooling3D'),
    **_in('layers', 'convolutions', 'AveragePooling1D AveragePooling2D AveragePooling3D'),
    **_in('layers', 'convolutions', 'max_pooling1d max_pooling2d max_pooling3d'),
    **_in('layers', 'convolutions', 'average_pooling1d average_pooling2d average_pooling3d'),
    **_in('layers', 'core', 'BatchNormalization batch_normalization'),
}

_CELLS = {
    **_in('nn.rnn_cell', 'cells', 'RNNCell BasicRNNCell GRUCell LSTMCell BasicLSTMCell MultiRNNCell LSTMStateTuple'),
    **_in('nn.rnn_cell', 'recurrent', 'DropoutWrapper ResidualWrapper DeviceWrapper'),
}

_RECURRENT = _in('nn', 'recurrent', 'dynamic_rnn bidirectional_dynamic_rnn raw_rnn static_rnn static_bidirectional_rnn')

_CONTRIB_LAYERS = {
    **_in('contrib.layers', 'contrib_functions', 'xavier_initializer variance_scaling_initializer'),
    'contrib.layers.xavier_initializer_conv2d': 'contrib_functions:xavier_initializer',
    **_in('contrib.layers', 'contrib_functions', 'l1_regularizer l2_regularizer l1_l2_regularizer sum_regularizer'),
    **_in('contrib.layers', 'contrib_functions', 'apply_regularization'),
    **_in('contrib.layers', 'contrib_layers', 'fully_connected linear relu relu6 elu convolution convolution1d'),
    **_in('contrib.layers', 'contrib_layers', 'convolution2d convolution3d convolution2d_transpose'),
    **_in('contrib.layers', 'contrib_layers', 'separable_convolution2d embed_sequence repeat stack'),
    'contrib.layers.conv1d': 'contrib_layers:convolution1d',
    'contrib.layers.conv2d': 'contrib_layers:convolution2d',
    'contrib.layers.conv3d': 'contrib_layers:convolution3d',
    'contrib.layers.conv2d_transpose': 'contrib_layers:convolution2d_transpose',
    'contrib.layers.separable_conv2d': 'contrib_layers:separable_convolution2d',
    **_in('contrib.layers', 'contrib_norms', 'batch_norm layer_norm instance_norm bias_add'),
    **_in('contrib.layers', 'contrib_norms', 'max_pool2d avg_pool2d dropout flatten one_hot_encoding'),
    **_in('contrib.layers', 'contrib_norms', 'dense_to_sparse softmax unit_norm'),
    **_in('contrib.layers', 'training', 'optimize_loss OPTIMIZER_CLS_NAMES'),
    'contrib.layers.safe_embedding_lookup_sparse': 'tf:nn.safe_embedding_lookup_sparse',
}

_ARG_SCOPE = 'arg_scope add_arg_scope has_arg_scope current_arg_scope arg_scope_func_key'
_FRAMEWORK = {
    'contrib.framework.nest': 'tensorflow.python.util.nest',
    **_in('contrib.framework', 'framework', _ARG_SCOPE),
    **_in('contrib.framework', 'framework', 'get_variables get_trainable_variables get_model_variables'),
    **_in('contrib.framework', 'framework', 'get_local_variables get_variables_by_name get_variables_by_suffix'),
    **_in('contrib.framework', 'framework', 'get_unique_variable get_variables_to_restore filter_variables'),
    **_in('contrib.framework', 'framework', 'variable model_variable add_model_variable get_name_scope'),
    **_in('contrib.framework', 'framework', 'assign_from_checkpoint_fn'),
    **_from_tensorflow('contrib.framework', '', ('argsort', 'sort', 'is_tensor', 'py_func', 'TensorSpec')),
    **_from_tensorflow('contrib.framework', 'train.', ('create_global_step', 'get_global_step', 'load_variable')),
    **_from_tensorflow('contrib.framework', 'train.', ('get_or_create_global_step', 'assert_global_step')),
    **_from_tensorflow('contrib.framework', 'train.', ('list_variables', 'load_checkpoint', 'init_from_checkpoint')),
    'contrib.framework.zero_initializer': 'tf:zeros_initializer',
}

# tf.contrib.slim gives the names of two other parts.
_SLIM = {
    path.replace('layers' if '.layers.' in path else 'framework', 'slim', 1): place
    for path, place in {**_CONTRIB_LAYERS, **_FRAMEWORK}.items()
}

_DISTRIBUTIONS = {
    **_in('contrib.distributions', 'distributions', 'MultivariateNormalDiag NormalWithSoftplusScale percentile'),
    **_in('contrib.distributions', 'distributions', 'MultivariateNormalDiagWithSoftplusScale softplus_inverse'),
    **_in('contrib.distributions', 'distributions', 'kl_divergence'),
    **_from_tensorflow('contrib.distributions', 'distributions.', 'Bernoulli Beta Categorical Dirichlet'.split()),
    **_from_tensorflow('contrib.distributions', 'distributions.', 'DirichletMultinomial Distribution Gamma'.split()),
    **_from_tensorflow('contrib.distributions', 'distributions.', 'Exponential Laplace Multinomial Normal'.split()),
    **_from_tensorflow('contrib.distributions', 'distributions.', 'StudentT Uniform RegisterKL'.split()),
    **_from_tensorflow('contrib.distributions', 'distributions.', ['ReparameterizationType', 'FULLY_REPARAMETERIZED']),
    **_from_tensorflow('contrib.distributions', 'distributions.', ['NOT_REPARAMETERIZED']),
}

STREAMING_METRICS = (
    'accuracy auc false_negatives false_positives mean_absolute_error mean_cosine_distance mean_iou '
    'mean_relative_error mean_squared_error precision recall root_mean_squared_error sensitivity_at_specificity '
    'specificity_at_sensitivity true_negatives true_positives'
).split()

_OTHERS = {
    **_in(
        'contrib.crf', 'distributions', 'crf_log_likelihood crf_sequence_score crf_log_norm crf_decode viterbi_decode'
    ),
    **_in('contrib.crf', 'distributions', 'crf_unary_score crf_binary_score'),
    **_in('contrib.losses.metric_learning', 'contrib_functions', 'triplet_semihard_loss contrastive_loss'),
    **_in('contrib.seq2seq', 'contrib_functions', 'sequence_loss'),
    **_in('contrib.opt', 'training', 'AdamWOptimizer MomentumWOptimizer DecoupledWeightDecayExtension'),
    **_in('contrib.opt', 'training', 'extend_with_decoupled_weight_decay'),
    **_in('contrib.image', 'images', 'rotate translate transform angles_to_projective_transforms compose_transforms'),
    **_in('contrib.image', 'images', 'translations_to_projective_transforms flat_transforms_to_matrices'),
    **_in('contrib.image', 'images', 'matrices_to_flat_transforms'),
    **{path.replace('nn.rnn_cell', 'contrib.rnn'): place for path, place in _CELLS.items()},
    **_in('contrib.rnn', 'cells', 'LayerRNNCell'),
    **_in('contrib.rnn', 'recurrent', 'static_rnn static_bidirectional_rnn stack_bidirectional_dynamic_rnn'),
    **_in('contrib.metrics', 'contrib_functions', ' '.join(f'streaming_{name}' for name in STREAMING_METRICS)),
    **_in('contrib.metrics', 'contrib_functions', 'accuracy'),
    'contrib.metrics.streaming_mean': 'tf:metrics.mean',
    'contrib.metrics.streaming_mean_tensor': 'tf:metrics.mean_tensor',
    'contrib.metrics.streaming_percentage_less': 'tf:metrics.percentage_below',
    'contrib.metrics.confusion_matrix': 'tf:confusion_matrix',
    **_in('contrib.training', 'training', 'HParams'),
    **_from_tensorflow('contrib.util', '', ('make_tensor_proto', 'make_ndarray')),
    'contrib.util.constant_value': 'tf:get_static_value',
    **_from_tensorflow('contrib.data', 'data.experimental.', 'AUTOTUNE Counter CsvDataset SqlDataset unique'.split()),
    **_from_tensorflow('contrib.data', 'data.experimental.', 'choose_from_datasets copy_to_device scan'.split()),
    **_from_tensorflow('contrib.data', 'data.experimental.', 'bucket_by_sequence_length group_by_window'.split()),
    **_from_tensorflow('contrib.data', 'data.experimental.', 'get_single_element ignore_errors unbatch'.split()),
    **_from_tensorflow('contrib.data', 'data.experimental.', 'make_batched_features_dataset'.split()),
    **_from_tensorflow('contrib.data', 'data.experimental.', 'make_csv_dataset map_and_batch'.split()),
    **_from_tensorflow('contrib.data', 'data.experimental.', 'parallel_interleave prefetch_to_device'.split()),
    **_from_tensorflow('contrib.data', 'data.experimental.', 'rejection_resample sample_from_datasets'.split()),
    **_from_tensorflow('contrib.data', 'data.experimental.', ('shuffle_and_repeat', 'TFRecordWriter')),
    **_in('contrib.graph_editor', 'framework', 'graph_replace'),
}

# A name of TensorFlow 1 (without `tf.`) -> the place of what it stands for.
GIVEN: Dict[str, str] = {
    **_LAYERS,
    **_CELLS,
    **_RECURRENT,
    **_CONTRIB_LAYERS,
    **_FRAMEWORK,
    **_SLIM,
    **_DISTRIBUTIONS,
    **_OTHERS,
    'contrib.keras': 'keras',
}

# A part of TensorFlow 1 -> the package that has its other names, if it is installed, and the place in it.
SUCCESSORS = {
    'contrib.distributions.bijectors': ('tensorflow_probability', 'bijectors'),
    'contrib.distributions': ('tensorflow_probability', 'distributions'),
}

# A module of TensorFlow that programs import by its path -> the part whose names it has.
PRIVATE_MODULES = {
    'tensorflow.python.ops.rnn_cell': 'nn.rnn_cell',
    'tensorflow.python.ops.rnn_cell_impl': 'nn.rnn_cell',
    'tensorflow.python.layers.base': 'layers',
    'tensorflow.python.layers.core': 'layers',
    'tensorflow.python.layers.convolutional': 'layers',
    'tensorflow.python.layers.normalization': 'layers',
    'tensorflow.python.layers.pooling': 'layers',
    'tensorflow.python.layers.layers': 'layers',
}


# -- parts -------------------------------------------------------------------------------------------------------------
# Modules that stand for parts of TensorFlow 1, such as `tf.contrib.layers`.
#
# A name that is given back is imported when it is asked for. Any other name is an error that says what to write
# instead.


TENSORFLOW = 'tensorflow.'
PARENTS = ('contrib', 'layers', 'nn', 'examples', 'examples.tutorials')


def known_path(path: str) -> str:
    """The path of a part without the folders of its sources: `contrib.rnn` for `contrib.rnn.python.ops`."""
    return path.partition('.python')[0]


def is_part(path: str) -> bool:
    """Whether some name of this part of TensorFlow 1 is given back."""
    short, last = known_path(path), path.rpartition('.')[2]
    if short != path and (last.startswith('_') or last != last.lower()):
        return False  # a function or a class, rather than a module of the sources
    restored = short in PARENTS or any(known.startswith(short + '.') for known in GIVEN)
    return restored or (short in SUCCESSORS and _successor(short) is not None)


def value(place: str) -> Any:
    """The object at a place of the table: see `table`."""
    module, _, name = place.partition(':')
    if module == 'tf':
        target: Any = import_module(f'{__package__}.itself').tf
        for word in name.split('.'):
            target = getattr(target, word)
        return target
    if not name:
        return import_module(module)
    return getattr(import_module(f'{__package__}.{module}'), name)


def _successor(path: str) -> Optional[ModuleType]:
    """The module of another package that has the other names of a part, if the package is installed."""
    package, name = SUCCESSORS.get(path, ('', ''))
    if not package or (package not in sys.modules and installed.spec(package) is None):
        return None
    successor: ModuleType = getattr(import_module(package), name)
    return successor


class Part(ModuleType):
    """A part of TensorFlow 1.

    Args:
        path: Its name without `tf.`.
        gone: A function of a path that gives the sentence for a name that is not given back.
        rest: A module with all other names.
    """

    def __init__(self, path: str, gone: Callable[[str], str], rest: Optional[ModuleType] = None) -> None:
        super().__init__(TENSORFLOW + path, f'What is given back of tf.{path}.')
        self._path, self._gone, self._rest = path, gone, rest
        self.__path__: List[str] = []
        self.__all__ = _names(known_path(path))

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__'):
            raise AttributeError(name)
        short = known_path(self._path)
        if f'{short}.{name}' in GIVEN:
            attribute = value(GIVEN[f'{short}.{name}'])
        elif is_part(f'{self._path}.{name}') or (name == 'python' and short.startswith('contrib.')):
            attribute = import_module(f'{TENSORFLOW}{self._path}.{name}')
        else:
            attribute = self._other(short, name)
        setattr(self, name, attribute)
        return attribute

    def _other(self, short: str, name: str) -> Any:
        """A name that is not in the table."""
        successor = _successor(short)
        for module in (self._rest, successor):
            if module is not None and hasattr(module, name):
                return getattr(module, name)
        raise AttributeError(self._gone(f'{short}.{name}'))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise AttributeError(self._gone(self._path))

    def __dir__(self) -> List[str]:
        return sorted({*vars(self), *self.__all__, *(dir(self._rest) if self._rest else [])})


def _names(path: str) -> List[str]:
    return sorted({known[len(path) + 1 :].split('.')[0] for known in GIVEN if known.startswith(path + '.')})
