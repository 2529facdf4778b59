"""The rules about Keras 3 and its backends. Only `--check` tells them."""

import ast
from importlib import import_module
from typing import Any, Callable, Dict, FrozenSet, Iterator, Optional, Set

from ....basics.tables import beside
from ....contract import CONTRACT
from ...launcher.check import accuracy, libraries_of_tf_keras, rules
from ...launcher.check.files import Read
from ...launcher.check.rules import NOTE, STOPS, Finding, Place, Use
from ...launcher.check.tensorflow_versions import OF_1, known
from ...launcher.check.uses import Uses

_TABLE = beside(__file__, 'rules.json')
RULES = rules.in_table(__file__)
rules.RULES.update((rule.name, rule) for rule in RULES)
finding = rules.finding


# -- names that are gone -----------------------------------------------------------------------------------------------
# Names of tf.keras and TensorFlow in 2019 to 2023 that are gone, and that no cure gives back.


# A name of Keras -> what to do instead. The names below it are gone, too.
GONE: Dict[str, str] = _TABLE['gone']
# Of these, what tf_keras lacks, too.
GONE_FROM_TF_KERAS: FrozenSet[str] = frozenset(_TABLE['gone_from_tf_keras'])
# Keras 3 has these under tf.keras alone.
OF_TF_KERAS: FrozenSet[str] = frozenset(_TABLE['of_tf_keras'])
# What keras.backend has beside the functions of K.
OF_K: FrozenSet[str] = frozenset(CONTRACT) | frozenset(_TABLE['of_k'])


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


def of_tf_keras(found: Uses, place: At, is_of_1: bool) -> Iterator[Finding]:
    """What tf_keras and TensorFlow 2 lack, and the libraries that do not go with this Python.

    is_of_1: whether the program is of TensorFlow 1, whose names it is given.
    """
    seen: Set[str] = set()
    for use in found.names:
        name = _name_below_keras(use) or ''
        if use.guarded or use.name in seen:
            continue
        seen.add(use.name)
        gone = known(name, GONE_FROM_TF_KERAS)
        first, _, rest = use.name.partition('.')
        old = known(rest, OF_1) if first == 'tensorflow' and not is_of_1 else ''
        refused = libraries_of_tf_keras.refusal([first])
        if gone:
            written = use.origin or use.name
            yield finding('gone-from-keras', place(use.line), f'{written}: tf_keras does not have it', GONE[gone])
        elif old:
            yield _of_tensorflow_1(old, rest, place(use.line))
        elif refused and use.name == first:
            yield finding('library-removed', place(use.line), refused, 'take such a Python, as run --install does')


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
    gone = known(name, GONE)
    if gone:
        yield finding('gone-from-keras', where, f'{written}: Keras 3 does not have it', GONE[gone])
    elif not use.origin and known(name, OF_TF_KERAS):
        yield finding('of-tf-keras', where, f'{written}: Keras 3 has it under tf.keras alone')
    elif words[0] == 'backend' and len(words) > 1 and words[1] not in OF_K and not words[1].startswith('__'):
        yield finding('no-name-of-k', where, f'K has no {words[1]}')


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
    if use.name == libraries_of_tf_keras.ADDONS:
        return finding('tensorflow-addons', where)
    if first != 'tensorflow' or not rest:
        return None
    if rest.startswith('compat.v1.'):
        return _of_graphs(use, rest[len('compat.v1.') :], found, where)
    old = known(rest, OF_1)
    if old:
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
    today = OF_1[old]
    if today:
        return finding('tf-moved', where, f'tf.{part}: TensorFlow 2 does not have it', f'write {today}')
    return finding('tf-of-graphs', where, f'tf.{part} is a name of TensorFlow 1')


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
