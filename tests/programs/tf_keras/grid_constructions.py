"""Every public class of tf.keras, constructed with its defaults and with one argument each."""

import inspect

import numpy as np
import tensorflow as tf
from grid_names import arguments_of, at, defaults_of, kind_of, paths

FOLDER = '.'
LEFT_OUT = ('experimental.SidecarEvaluator', 'SidecarEvaluatorModelExport', 'BackupAndRestore', 'DatasetCreator')
# Arguments of optimizers that their signatures have as **kwargs.
MORE = {
    'optimizers': ('clipnorm', 'clipvalue', 'global_clipnorm', 'decay', 'lr'),
    'layers': ('name', 'dtype', 'trainable', 'input_shape', 'batch_input_shape', 'input_dim', 'batch_size', 'weights'),
}


def dense():
    """A layer to wrap."""
    return tf.keras.layers.Dense(2)


def model():
    """A model."""
    return tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])


# Values of arguments that must be given; a function is called for each construction.
REQUIRED = {
    'units': 3,
    'filters': 2,
    'kernel_size': 2,
    'rate': 0.3,
    'stddev': 0.3,
    'activation': 'relu',
    'axes': 1,
    'dims': (2, 1),
    'n': 3,
    'target_shape': (3, 2),
    'output_dim': 2,
    'num_heads': 2,
    'key_dim': 3,
    'layer': dense,
    'height': 3,
    'width': 4,
    'factor': 0.2,
    'scale': 0.5,
    'num_tokens': 3,
    'num_bins': 4,
    'equation': 'ab,bc->ac',
    'output_shape': 3,
    'cropping': 1,
    'padding': 1,
    'height_factor': 0.2,
    'width_factor': 0.3,
    'shape': (3,),
    'fn': lambda: lambda y, p: y - p,
    'normalizer': lambda: np.ones(3, 'float32'),
    'num_classes': 3,
    'target_class_ids': lambda: [0, 1],
    'recall': 0.5,
    'precision': 0.5,
    'sensitivity': 0.5,
    'specificity': 0.5,
    'filepath': FOLDER + '/it',
    'filename': FOLDER + '/it.csv',
    'root': 'http://localhost:1',
    'schedule': lambda: lambda epoch: 0.1,
    'callbacks': lambda: [],
    'initial_learning_rate': 0.1,
    'decay_steps': 5,
    'decay_rate': 0.5,
    'boundaries': lambda: [1, 2],
    'values': lambda: [0.1, 0.2, 0.3],
    'first_decay_steps': 5,
    'name': 'it',
    'function': lambda: lambda x: x,
    'inner_optimizer': lambda: tf.keras.optimizers.SGD(),
    'optimizer': lambda: tf.keras.optimizers.SGD(),
    'cells': lambda: [tf.keras.layers.LSTMCell(2)],
    'cell': lambda: tf.keras.layers.LSTMCell(2),
    'linear_model': lambda: tf.keras.experimental.LinearModel(),
    'dnn_model': model,
    'data': lambda: np.zeros((4, 2), 'float32'),
    'targets': lambda: np.zeros(4, 'float32'),
    'length': 2,
    'x': lambda: np.zeros((4, 2, 2, 1), 'float32'),
    'y': None,
    'image_data_generator': lambda: tf.keras.preprocessing.image.ImageDataGenerator(),
    'directory': FOLDER,
    'model': model,
    'checkpoint_dir': FOLDER,
    'backup_dir': FOLDER,
    'pool_size': 2,
    'input_shape': (3,),
    'target': 5,
    'feature_columns': lambda: [],
    'build_fn': lambda: model,
    'minimum': 0.1,
    'mean': 0.1,
    'dataset_fn': lambda: lambda context: None,
    'lambd': 0.1,
    'bin_boundaries': lambda: [0.0, 1.0],
    'initializer': 'zeros',
    'func': lambda: lambda y_true, y_pred: y_true,
    'initial_scale': 2.0,
    'loss_scale': 2.0,
    'crosses': None,
    'feature_space': None,
    'batch_size': 2,
    'input_dim': 4,
    'on_epoch_begin': lambda: lambda epoch, logs: None,
}
# Values to try for one argument; those of REQUIRED come next, then something other than the default.
VALUES = {
    'activation': 'tanh',
    'recurrent_activation': 'tanh',
    'axis': 1,
    'data_format': 'channels_first',
    'padding': 'same',
    'dtype': 'float64',
    'trainable': False,
    'weights': None,
    'batch_input_shape': (2, 3),
    'seed': 3,
    'noise_shape': (2, 3),
    'input_length': 3,
    'bias_axes': 'c',
    'mask_value': 1.0,
    'interpolation': 'nearest',
    'reduction': 'sum',
    'thresholds': 0.3,
    'top_k': 2,
    'class_id': 1,
    'vocabulary': lambda: ['a', 'b'],
    'output_mode': 'multi_hot',
    'mode': 'max',
    'monitor': 'loss',
    'distribution': 'uniform',
    'summation_method': 'minoring',
    'curve': 'PR',
    'cropping': (1, 1),
    'merge_mode': 'sum',
    'backward_layer': lambda: tf.keras.layers.Dense(2, go_backwards=True),
    'fill_mode': 'constant',
    'color_mode': 'grayscale',
    'class_mode': 'sparse',
    'save_freq': 'epoch',
    'update_freq': 'epoch',
    'profile_batch': 0,
    'log_dir': FOLDER,
    'split': 'character',
    'standardize': 'lower',
    'classes': 3,
    'input_tensor': None,
    'include_top': False,
    'strides': 1,
    'interpolation_order': 0,
    'score_mode': 'concat',
    'value_dim': 2,
    'attention_axes': 1,
    'shared_axes': lambda: [1],
    'clipvalue': 0.5,
    'clipnorm': 0.5,
    'global_clipnorm': 0.5,
    'decay': 0.1,
    'lr': 0.2,
    'weight_decay': 0.1,
    'ema_overwrite_frequency': 5,
    'num_labels': 3,
    'label_weights': lambda: [1.0, 2.0, 1.0],
    'oov_token': 'x',
    'num_words': 5,
    'filters': 2,
    'count_mode': 'steps',
    'separator': ';',
    'headers': lambda: {'a': 'b'},
    'options': None,
    'embeddings_freq': 1,
    'write_steps_per_second': True,
    'ngrams': 2,
    'output_sequence_length': 3,
    'max_tokens': 5,
    'pad_to_max_tokens': True,
    'sparse': True,
    'ragged': True,
    'encoding': 'utf-8',
    'loss': 'mse',
    'metrics': None,
    'run_eagerly': True,
    'pooling': 'max',
    'alpha': 0.25,
    'cast_as': 'int64',
    'max_value': 2.0,
    'minval': 0.1,
    'maxval': 0.2,
    'target_size': (3, 3),
    'zoom_range': 0.1,
    'preprocessing_function': None,
    'brightness_range': (0.5, 1.0),
    'validation_split': 0.2,
    'sampling_rate': 2,
    'end_index': 3,
    'initial_value_threshold': 0.5,
    'baseline': 0.5,
    'stateful_metrics': lambda: ['a'],
    'invert': True,
    'variance': 2.0,
    'mean': 0.5,
    'idf_weights': None,
    'experimental_run_tf_function': True,
    'synchronized': True,
    'groups': 2,
    'method': None,
    'keepdims': True,
    'kernel_constraint': 'non_neg',
    'distribute_strategy': None,
    'batch_size': 2,
    'jit_compile': True,
    'input_dim': 4,
}
SUFFIXES = {
    '_initializer': 'ones',
    '_regularizer': 'l2',
    '_constraint': 'non_neg',
    'initializer': 'ones',
    'activity_regularizer': 'l1',
}


def value_of(given):
    """A value of a table."""
    return given() if inspect.isfunction(given) else given


def tried(name, default):
    """A value for one argument, other than its default."""
    for table in (VALUES, REQUIRED):
        if name in table:
            return value_of(table[name])
    for suffix, value in SUFFIXES.items():
        if name.endswith(suffix):
            return value
    if isinstance(default, bool):
        return not default
    if isinstance(default, int):
        return default + 1
    if isinstance(default, float):
        return default * 0.5 + 0.01
    if isinstance(default, tuple) and all(isinstance(item, int) for item in default):
        return tuple(item + 1 for item in default)
    return default


def needed(path, record):
    """What a class must be given, from its signature here; of a class that is gone, nothing."""
    parameters = list(inspect.signature(at(path)).parameters.values())
    row = record.get(f'names name {path}')
    if row and all(parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) for parameter in parameters):
        # A decorator of an older TensorFlow hides the arguments of most classes.
        names = [name for name in row['arguments'] or () if not name.startswith('*') and name not in row['defaults']]
    else:
        plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        names = [item.name for item in parameters if item.kind in plain and item.default is item.empty]
    return {name: value_of(REQUIRED.get(name)) for name in names}


def written(path, options):
    """What is recorded of an object: its configuration, or its simple attributes."""
    made = at(path)(**options)
    if hasattr(made, 'get_config'):
        try:
            return {'config': made.get_config()}
        except NotImplementedError:
            pass
    simple = (bool, int, float, str, type(None))
    return {
        'attributes': {
            name: value for name, value in vars(made).items() if not name.startswith('_') and isinstance(value, simple)
        }
    }


def construct(path, argument, default, record):
    """A class with its needed arguments and another one."""
    options = needed(path, record)
    if argument:
        options[argument] = tried(argument, default)
    return written(path, options)


def arguments_to_try(path, record):
    """The arguments that rows are written of, with their defaults: of the record, or of the class as it is here."""
    row = record.get(f'names name {path}')
    if row is None:
        names, defaults = arguments_of(at(path)) or [], defaults_of(at(path))
    else:
        names, defaults = row['arguments'] or [], row['defaults']
    several = [name for name in names if not name.startswith('*')]
    if any(name.startswith('**') for name in names):
        module = path.split('.')[2]
        several += [name for name in MORE.get(module, ()) if name not in several]
    return [
        (name, tuple(value) if isinstance(value, list) else value)
        for name, value in ((name, defaults.get(name)) for name in several)
    ]


def classes(record):
    """The paths of classes."""
    if record:
        return sorted(
            name.split(' ')[2]
            for name, row in record.items()
            if name.startswith('names name ') and row.get('kind') == 'class'
        )
    return [path for path in paths(record, 'name') if kind_of(at(path)) == 'class']


def rows(rows, record):
    """Writes the rows of constructions."""
    for path in classes(record):
        if any(path.endswith(name) for name in LEFT_OUT):
            continue
        rows.add(f'{path}()', construct, path, None, None, record)
        for name, default in arguments_to_try(path, record):
            rows.add(f'{path}({name}=)', construct, path, name, default, record)
