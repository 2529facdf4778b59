"""The rules about Keras 3 and its backends. Only `--check` tells them."""

import ast
from importlib import import_module
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Set

from ....contract import CONTRACT
from ...launcher.check import accuracy, rules
from ...launcher.check.files import Read
from ...launcher.check.rules import DIFFERS, KERAS, MODELS, NOTE, STOPS, TENSORFLOW, Finding, Place, Rule, Use
from ...launcher.check.uses import Uses

_PAGE = '(coming-from-tf-keras.md#what-differs)'
RULES = (
    Rule('gone-from-keras', KERAS, STOPS, '', 'Keras 3 does not have it, and no cure gives it back', 'write it anew'),
    Rule(
        'of-tf-keras', KERAS, STOPS, '', 'Keras 3 has the name under tf.keras alone', 'import it from tensorflow.keras'
    ),
    Rule('no-name-of-k', KERAS, STOPS, '', 'K has no such name', f'write it with the functions of [K]{_PAGE}'),
    Rule(
        'accuracy-key',
        KERAS,
        STOPS,
        '',
        'Keras 3 calls the metric accuracy, in histories, logs and names of files',
        "write 'accuracy' for 'acc', or metrics=['acc'] where the model is compiled",
    ),
    Rule(
        'removed-idiom',
        KERAS,
        STOPS,
        '',
        'models of Keras 3 do not have it',
        'write to_json, or the results of train_on_batch(return_dict=True)',
    ),
    Rule(
        'function-of-variables',
        KERAS,
        STOPS,
        '',
        'K.function has no input, and what is computed from variables alone is computed when the line runs',
        'write K.get_value of it, or make an input part of it',
    ),
    Rule(
        'in-place',
        KERAS,
        DIFFERS,
        '',
        'outside of layers, losses and metrics, PyTorch changes the tensor in place',
        'write x = x * y for x *= y',
    ),
    Rule(
        'lambda-in-file',
        MODELS,
        NOTE,
        '',
        'Keras 3 loads a Lambda with Python code from a .keras file on request alone',
        'write load_model(path, safe_mode=False) for files that you trust',
    ),
    Rule(
        'tf-of-graphs',
        TENSORFLOW,
        STOPS,
        '',
        'graphs and sessions of TensorFlow 1 do not go with Keras 3, which needs eager mode',
        'write K.placeholder and K.function, or call the model',
    ),
    Rule('tf-moved', TENSORFLOW, STOPS, '', 'TensorFlow 2 does not have the name', 'write the name of TensorFlow 2'),
    Rule(
        'session',
        TENSORFLOW,
        NOTE,
        '',
        'a session has nothing to run in eager mode',
        'leave it out; K.get_value gives the value of a variable',
    ),
    Rule(
        'tape',
        TENSORFLOW,
        STOPS,
        '',
        'tf.GradientTape sees no tensors of this backend',
        'write K.gradients or let fit train, or take KERAS_BACKEND=tensorflow',
    ),
    Rule(
        'tf-function',
        TENSORFLOW,
        STOPS,
        '',
        'the function takes tensors of TensorFlow, and Keras has others on this backend',
        'write it with K functions, or take KERAS_BACKEND=tensorflow',
    ),
    Rule(
        'tensorflow-addons',
        TENSORFLOW,
        STOPS,
        '',
        'TensorFlow Addons ended in 2024, and does not go with Keras 3',
        'write its layers and losses with K functions (keras has AdamW, Lion, GroupNormalization and F1Score), or take '
        'Python 3.11 and `pip install tensorflow==2.15.1 tensorflow-addons==0.23.0`',
    ),
)
rules.RULES.update((rule.name, rule) for rule in RULES)
finding = rules.finding


# -- names that are gone -----------------------------------------------------------------------------------------------
# Names of tf.keras and TensorFlow in 2019 to 2023 that are gone, and that no cure gives back.


# A name of Keras -> what to do instead. The names below it are gone, too.
GONE: Dict[str, str] = {
    'layers.experimental.SyncBatchNormalization': 'write BatchNormalization(synchronized=True)',
    'layers.experimental.RandomFourierFeatures': 'write a layer with K.cos of a K.dot',
    **{
        f'layers.{place}{name}': 'write RandomZoom, which keeps the size of the images'
        for place in ('', 'experimental.preprocessing.')
        for name in ('RandomHeight', 'RandomWidth')
    },
    'layers.experimental.preprocessing.CategoryCrossing': 'write HashedCrossing',
    'layers.DenseFeatures': 'write keras.utils.FeatureSpace, or an Embedding for each column',
    'layers.AbstractRNNCell': 'write keras.layers.Layer with state_size and output_size',
    'layers.Merge': 'write keras.layers.concatenate, add or another function',
    'layers.Highway': 'write it with two Dense layers',
    'layers.MaxoutDense': 'write a layer with K.max',
    'utils.test_utils': 'write the test with NumPy',
    'utils.losses_utils': 'write keras.losses.Loss(reduction=...)',
    'utils.HDF5Matrix': 'write h5py.File(path)[name]',
    'utils.GeneratorEnqueuer': 'give the generator to fit',
    'utils.OrderedEnqueuer': 'give the Sequence to fit',
    'utils.experimental.DatasetCreator': 'give the dataset to fit',
    'experimental.SequenceFeatures': 'write an Embedding for each column',
    'experimental.SidecarEvaluator': 'write a loop with model.load_weights and model.evaluate',
    'estimator': 'call fit of the model',
    'models.model_from_yaml': 'write model_from_json; `python -m keras_backend model` reads files with YAML',
    'models.experimental': 'write the step in train_step',
    'premade': 'write the model with Dense layers',
    'backend.tensorflow_backend': 'write keras.backend',
    'legacy.interfaces': 'write the layer for one Keras',
    'optimizers.TFOptimizer': 'write an optimizer of Keras',
    'backend.get_session': 'write K.function, K.get_value and K.set_value',
    'backend.set_session': 'leave it out; Keras 3 has no sessions',
}
# Keras 3 has these under tf.keras alone.
OF_TF_KERAS: FrozenSet[str] = frozenset(
    'layers.ThresholdedReLU losses.Reduction preprocessing.text.Tokenizer preprocessing.text.one_hot '
    'preprocessing.text.text_to_word_sequence preprocessing.sequence.TimeseriesGenerator '
    'preprocessing.sequence.skipgrams preprocessing.image.ImageDataGenerator'.split()
)
# What keras.backend has beside the functions of K.
OF_K: FrozenSet[str] = frozenset(CONTRACT) | frozenset(
    'backend cast_to_floatx clear_session epsilon floatx get_uid image_data_format is_float_dtype is_int_dtype '
    'is_keras_tensor name_scope result_type set_epsilon set_floatx set_image_data_format standardize_dtype '
    'binary_focal_crossentropy categorical_focal_crossentropy conv2d_transpose random_bernoulli reset_uids '
    'image_dim_ordering set_image_dim_ordering manual_variable_initialization get_session set_session '
    'tensorflow_backend experimental common learning_phase set_learning_phase'.split()
)


def _below(module: str, names: str) -> Dict[str, str]:
    return {name: f'tf.{module}.{name}' for name in names.split()}


# A name of TensorFlow 1 -> where TensorFlow 2 has it. Without a place, it is of graphs and sessions.
OF_TENSORFLOW_1: Dict[str, str] = {
    **dict.fromkeys(
        'Session InteractiveSession placeholder sparse_placeholder ConfigProto GPUOptions get_default_graph '
        'reset_default_graph global_variables_initializer local_variables_initializer initialize_all_variables '
        'contrib layers app flags get_variable variable_scope get_collection add_to_collection GraphKeys AUTO_REUSE '
        'trainable_variables global_variables estimator nn.rnn_cell nn.dynamic_rnn nn.static_rnn '
        'nn.bidirectional_dynamic_rnn train.Saver summary.merge_all summary.merge summary.FileWriter '
        'train.AdamOptimizer train.GradientDescentOptimizer train.RMSPropOptimizer train.MomentumOptimizer '
        'train.exponential_decay train.get_global_step train.get_or_create_global_step train.write_graph '
        'assign assign_add assign_sub scatter_update scatter_add Print'.split(),
        '',
    ),
    **_below(
        'math',
        'log log1p ceil rint erf lgamma digamma floordiv is_nan is_inf real imag angle squared_difference segment_sum '
        'unsorted_segment_sum count_nonzero confusion_matrix bincount',
    ),
    **_below('linalg', 'matrix_transpose cholesky svd qr cross global_norm'),
    **_below('io', 'gfile decode_raw decode_csv decode_png read_file FixedLenFeature parse_single_example'),
    **_below('signal', 'fft ifft'),
    **_below('nn', 'space_to_depth depth_to_space'),
    **dict.fromkeys('to_float to_int32 to_int64 to_double'.split(), 'tf.cast'),
    **{f'random_{name}': f'tf.random.{name}' for name in ('normal', 'uniform', 'shuffle')},
    **{f'image.resize_{way}': 'tf.image.resize' for way in 'images bilinear nearest_neighbor bicubic area'.split()},
    'truncated_normal': 'tf.random.truncated_normal',
    'set_random_seed': 'tf.random.set_seed',
    'multinomial': 'tf.random.categorical',
    'div': 'tf.divide',
    'mod': 'tf.math.floormod',
    'arg_max': 'tf.argmax',
    'arg_min': 'tf.argmin',
    'py_func': 'tf.py_function',
    'lin_space': 'tf.linspace',
    'diag': 'tf.linalg.tensor_diag',
    'matrix_band_part': 'tf.linalg.band_part',
    'matrix_diag': 'tf.linalg.diag',
    'matrix_diag_part': 'tf.linalg.diag_part',
    'matrix_inverse': 'tf.linalg.inv',
    'matrix_solve': 'tf.linalg.solve',
    'matrix_determinant': 'tf.linalg.det',
    'self_adjoint_eig': 'tf.linalg.eigh',
    'extract_image_patches': 'tf.image.extract_patches',
    'sparse_tensor_to_dense': 'tf.sparse.to_dense',
    'sparse_tensor_dense_matmul': 'tf.sparse.sparse_dense_matmul',
    'string_split': 'tf.strings.split',
    'python_io': 'tf.io',
    'nn.softmax_cross_entropy_with_logits_v2': 'tf.nn.softmax_cross_entropy_with_logits',
}
# What tf.compat.v1 has, and what fails in eager mode or beside Keras 3.
OF_GRAPHS = ('placeholder', 'sparse_placeholder', 'placeholder_with_default', 'layers')


# -- lines -------------------------------------------------------------------------------------------------------------
# Lines that differ or stop on Keras 3: calls by their values, operators in place, Lambda layers in files.


At = Callable[[int], Place]


def of_lines(one: Read, place: At, backend: str) -> Iterator[Finding]:
    """What the lines of a file say."""
    tree = one.tree.tree
    if tree is None:
        return
    functions = {use.line for use in one.uses.names if use.name == 'keras.backend.function' and not use.guarded}
    of_k = {use.line for use in one.uses.names if use.name.startswith('keras.backend.')}
    lambdas = {use.line for use in one.uses.names if use.name == 'keras.layers.Lambda'}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _call(node, functions, place)
    if backend == 'torch':
        yield from _in_place(tree, of_k, place)
    yield from _lambdas(tree, lambdas, one, place)


def _call(node: ast.Call, functions: Set[int], place: At) -> Iterator[Finding]:
    name = getattr(node.func, 'attr', getattr(node.func, 'id', ''))
    if name == 'function' and node.lineno in functions and len(node.args) > 1:
        inputs, outputs = node.args[:2]
        computed = isinstance(outputs, ast.List) and any(isinstance(x, (ast.Call, ast.BinOp)) for x in outputs.elts)
        if isinstance(inputs, ast.List) and not inputs.elts and computed:
            yield finding('function-of-variables', place(node.lineno))


def _in_place(tree: ast.Module, of_k: Set[int], place: At) -> Iterator[Finding]:
    """`x *= K.sum(y)` in lines of the program itself. The launcher makes a new tensor in layers, losses and metrics."""
    todo = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) or type(node).__name__ == 'AsyncFunctionDef':
            continue
        if isinstance(node, ast.AugAssign) and node.lineno in of_k:
            yield finding('in-place', place(node.lineno))
        todo += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]


def _lambdas(tree: ast.Module, lambdas: Set[int], one: Read, place: At) -> Iterator[Finding]:
    loads = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) == 'load_model']
    plain = [node for node in loads if not any(keyword.arg == 'safe_mode' for keyword in node.keywords)]
    if not plain or not any(text.endswith('.keras') for text, _ in one.uses.strings):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) == 'Lambda' and node.lineno in lambdas:
            if node.args and isinstance(node.args[0], ast.Lambda):
                yield finding('lambda-in-file', place(node.lineno))
                return


def _called(node: ast.Call) -> Any:
    return getattr(node.func, 'attr', getattr(node.func, 'id', ''))


# -- names of Keras ----------------------------------------------------------------------------------------------------
# Keras in a program: names, methods and classes that Keras 3 lacks.


_OF_V1 = 'tensorflow.compat.v1.keras.'
_METHODS = {'to_yaml': 'removed-idiom'}
_ATTRIBUTES = {'metrics_tensors': 'removed-idiom'}


def of_keras(found: Uses, place: At) -> Iterator[Finding]:
    """What a program uses of Keras that is not there."""
    seen: Set[str] = set()
    for use in found.names:
        name = _name_below_keras(use)
        if name and not use.guarded and name not in seen:
            seen.add(name)
            yield from _of_name(use, name, place)
    if uses_keras(found):
        yield from _methods(found, place)


def of_accuracy(found: Uses, place: At, metrics: FrozenSet[str]) -> Iterator[Finding]:
    """The old name of 'accuracy' where a file reads it. metrics: `accuracy.metrics_of` the program."""
    old, new = accuracy.keys(found, metrics)
    if not new:
        for read in old:
            yield finding('accuracy-key', place(read.line), f'{read.text}: Keras 3 calls it accuracy')


def uses_keras(found: Uses) -> bool:
    """Whether a program imports Keras, or K for it."""
    return any(_name_below_keras(use) is not None or use.name.startswith('keras_backend.keras3') for use in found.names)


def _name_below_keras(use: Use) -> Optional[str]:
    """The name below `keras`, '' for Keras itself, None for names of others."""
    if use.name.startswith(_OF_V1):
        return use.name[len(_OF_V1) :]
    first, _, rest = use.name.partition('.')
    return rest if first == 'keras' else None


def _of_name(use: Use, name: str, place: At) -> Iterator[Finding]:
    where, written = place(use.line), use.origin or use.name
    words = name.split('.')
    gone = next((start for start in _starts(words) if start in GONE), '')
    if gone:
        yield finding('gone-from-keras', where, f'{written}: Keras 3 does not have it', GONE[gone])
    elif not use.origin and any(start in OF_TF_KERAS for start in _starts(words)):
        yield finding('of-tf-keras', where, f'{written}: Keras 3 has it under tf.keras alone')
    elif words[0] == 'backend' and len(words) > 1 and words[1] not in OF_K and not words[1].startswith('__'):
        yield finding('no-name-of-k', where, f'K has no {words[1]}')


def _starts(parts: List[str]) -> List[str]:
    return ['.'.join(parts[:count]) for count in range(1, len(parts) + 1)]


def _methods(found: Uses, place: At) -> Iterator[Finding]:
    for call in found.calls:
        if call.method in _METHODS and not call.guarded:
            yield finding(_METHODS[call.method], place(call.line))
    for name, line, guarded in found.attributes:
        if name in _ATTRIBUTES and not guarded:
            yield finding(_ATTRIBUTES[name], place(line), f'models of Keras 3 have no {name}')


# -- names of TensorFlow -----------------------------------------------------------------------------------------------
# TensorFlow in a program: names of TensorFlow 1, and functions whose tensors the backend does not have.


# Functions of these modules compute with tensors.
_COMPUTING = ('math', 'nn', 'linalg')
# Functions that take no tensor of Keras.
_MAKING = frozenset(
    'constant convert_to_tensor Variable zeros ones eye fill range linspace TensorShape TensorSpec Graph device '
    'name_scope function py_function numpy_function print executing_eagerly is_tensor init_scope no_op '
    'GradientTape Module'.split()
)


def of_tensorflow(found: Uses, place: At, backend: str) -> Iterator[Finding]:
    """The names that are gone, and those that do not go with the backend."""
    seen: Set[str] = set()
    pipeline = any(use.name.startswith('tensorflow.data.') for use in found.names)
    for use in found.names:
        if use.guarded or use.name in seen:
            continue
        judged = _judged(use, found, place(use.line), backend, pipeline)
        if judged is not None:
            seen.add(use.name)
            yield judged


def _judged(use: Use, found: Uses, where: Place, backend: str, pipeline: bool) -> Optional[Finding]:
    first, _, rest = use.name.partition('.')
    if first == 'tensorflow_addons':
        return finding('tensorflow-addons', where)
    if first != 'tensorflow' or not rest:
        return None
    if rest.startswith('compat.v1.'):
        return _of_graphs(use, rest[len('compat.v1.') :], found, where)
    old = next((name for name in OF_TENSORFLOW_1 if rest == name or rest.startswith(name + '.')), None)
    if old is not None:
        return _of_tensorflow_1(old, rest, where)
    return None if backend == 'tensorflow' else _of_others(use, rest, where, backend, pipeline)


def _of_graphs(use: Use, part: str, found: Uses, where: Place) -> Optional[Finding]:
    """tf.compat.v1 is there. What it has of graphs fails in eager mode."""
    if part.split('.')[0] in OF_GRAPHS and (part != 'layers'):
        return finding('tf-of-graphs', where, f'tf.compat.v1.{part} fails in eager mode, which Keras 3 needs')
    if part == 'train.Saver' and use.call and not use.positional and 'var_list' not in use.keywords:
        return finding('tf-of-graphs', where, 'tf.compat.v1.train.Saver() looks for variables of a graph')
    if part in ('Session', 'InteractiveSession') and use.call:
        runs = any(call.method == 'run' for call in found.calls)
        return finding('session', where, severity=STOPS if runs else NOTE)
    return None


def _of_tensorflow_1(old: str, part: str, where: Place) -> Finding:
    today = OF_TENSORFLOW_1[old]
    if today:
        return finding('tf-moved', where, f'tf.{part}: TensorFlow 2 does not have it', f'write {today}')
    return finding('tf-of-graphs', where, f'tf.{part} is of the graphs and sessions of TensorFlow 1')


def _of_others(use: Use, part: str, where: Place, backend: str, pipeline: bool) -> Optional[Finding]:
    """Names that are there, and compute with tensors of TensorFlow."""
    if part == 'GradientTape':
        # PyTorch records what it computes, and JAX does not.
        message = f'tf.GradientTape sees no tensors of Keras on {backend}'
        return finding('tape', where, message) if backend == 'jax' else None
    if part in _given():
        return None
    module, _, function = part.rpartition('.')
    computes = module in _COMPUTING or (not module and function.islower())
    if not use.call or not computes or function in _MAKING:
        return None
    message = f'tf.{part} takes tensors of TensorFlow, and Keras has others on {backend}'
    # A function for the map of a dataset is given tensors of TensorFlow.
    return finding('tf-function', where, message, severity=NOTE if pipeline else STOPS)


def _given() -> FrozenSet[str]:
    """The names of TensorFlow that take tensors of every backend under the launcher, without `tf.`."""
    try:
        names: Any = getattr(import_module('keras_backend.programs.on_keras3.tf_on_keras.dispatch'), 'NAMES')  # noqa: B009
    except ImportError:
        return frozenset()
    return frozenset(names)
