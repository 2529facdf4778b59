"""Which Keras a program was written for, and the names that tell so."""

import ast
from typing import Any, List, NamedTuple, Set, Tuple

from ..keras2.check import keras_rules, program, versions
from ..launcher.check import accuracy
from ..launcher.check.files import Read
from ..launcher.check.rules import Need, Place
from ..launcher.check.tensorflow_versions import told_of_1

KERAS_1, KERAS_2, TF_KERAS, KERAS_3 = 'Keras 1', 'Keras 2', 'tf.keras', 'Keras 3'
# On TensorFlow it runs on tf_keras, with the names of TensorFlow 1; elsewhere on Keras 2, which has most of its layers.
TF_KERAS_1 = 'tf.keras of TensorFlow 1'
PLAIN_K, OURS, NO_KERAS = 'plain K code', 'K of keras_backend', 'no Keras'
# So many reasons are told.
MOST = 6
# The launcher for a program that uses more of Keras than K.
_LAUNCHERS = {KERAS_1: 'keras2', KERAS_2: 'keras2', TF_KERAS_1: 'keras3', TF_KERAS: 'keras3', KERAS_3: 'keras3'}
# What a file of layers uses of Keras beside K.
_OF_LAYERS = ('engine', 'initializers', 'regularizers', 'constraints', 'activations', 'utils', 'backend', 'legacy')


class Written(NamedTuple):
    """What a program was written for.

    Attributes
    ----------
    kind : str
        'Keras 1', 'Keras 2', 'tf.keras of TensorFlow 1', 'tf.keras', 'Keras 3', 'plain K code', 'K of keras_backend' or
        'no Keras'.
    reasons : tuple of (Place, str)
        The names that tell so.
    layers_only : bool
        Whether it only defines layers, losses and the like, and runs nothing.
    keras2 : program.Program
        What the check for Keras 2 says.
    files : tuple of Read
        Its files.
    local : set of str
        The names of its own modules.
    """

    kind: str
    reasons: Tuple[Tuple[Place, str], ...]
    layers_only: bool
    keras2: program.Program
    files: Tuple[Read, ...]
    local: Set[str]


def launcher_for(written: Written) -> str:
    """The launcher of a program as it is: 'keras2' or 'keras3', 'plain' for our own K alone, '' without any Keras."""
    names = [text for _, text in written.reasons]
    if written.kind == PLAIN_K:
        return 'keras3' if any(name.startswith('tensorflow') for name in names) else 'keras2'
    if written.kind == OURS:
        return 'keras3' if any(name.startswith('keras_backend.keras3') for name in names) else 'plain'
    return _LAUNCHERS.get(written.kind, '')


def written_for(path: str, files: List[Read], local: Set[str], of_keras_1: Tuple[Tuple[Place, str], ...]) -> Written:
    """Find what a program was written for.

    Parameters
    ----------
    path : str
        A file, a notebook or a folder.
    files : list of Read
        Its files.
    local : set of str
        The names of its own modules.
    of_keras_1 : tuple of (Place, str)
        Spellings of Keras 1 that the rules have found.
    """
    checked = program.of_files(path, files, local)
    named: List[Tuple[Place, str, str]] = []
    ours: List[Tuple[Place, str]] = []
    later: List[Tuple[Place, str]] = []
    needs: List[Need] = []
    metrics = accuracy.metrics_of(file.uses for file in files)
    for file in files:
        for use in file.uses.names:
            first = use.name.split('.')[0]
            if first == 'keras':
                named.append((file.source.place(use.line), use.name, use.origin or use.name))
            elif first == 'keras_backend':
                ours.append((file.source.place(use.line), use.name))
        if file.uses.stars:
            stars = [(module, line) for module, line in file.uses.stars if module.split('.')[0] == 'keras']
            named += [(file.source.place(line), module, module + '.*') for module, line in stars]
        judged = keras_rules.judge(file.uses, file.source.place, metrics)
        needs += judged.needs
        places = {str(place) for place in judged.later}
        later += [(place, text) for place, _, text in named if str(place) in places]
    first_version = versions.all_versions()[0]
    of_1 = [(need.place, need.what) for need in needs if need.versions == (first_version,)] + list(of_keras_1)
    of_2 = [(need.place, need.what) for need in needs if first_version not in need.versions]
    kind, reasons = _kind(named, ours, later, of_1, of_2)
    of_tensorflow_1 = told_of_1(files) if kind == TF_KERAS else []
    if of_tensorflow_1:
        kind, reasons = TF_KERAS_1, of_tensorflow_1
    seen = list(dict.fromkeys((place, text) for place, text in reasons))
    layers = kind != NO_KERAS and bool(files) and all(_defines(file) for file in files)
    return Written(kind, tuple(seen), layers, checked, tuple(files), local)


def _kind(named: Any, ours: Any, later: Any, of_1: Any, of_2: Any) -> Tuple[str, Any]:
    plain = [(place, text) for place, name, text in named]
    if not named:
        return (OURS, ours) if ours else (NO_KERAS, [])
    of_tensorflow = [(place, text) for place, text in plain if text.startswith('tensorflow')]
    beside_k = [name for _, name, _ in named if name not in ('keras', 'keras.backend') and 'keras.backend.' not in name]
    if not beside_k:
        return PLAIN_K, plain
    if of_tensorflow and len(of_tensorflow) * 2 >= len(plain):
        return TF_KERAS, of_tensorflow
    if later:
        return KERAS_3, later
    if of_1 and not of_2:
        return KERAS_1, of_1
    return KERAS_2, of_2 or plain


def _defines(one: Read) -> bool:
    """Whether a file only defines layers and functions."""
    if one.tree.tree is None:
        return False
    for use in one.uses.names:
        words = use.name.split('.')
        if words[0] == 'keras' and len(words) > 1 and words[1] not in _OF_LAYERS:
            if words[1] != 'layers' or (len(words) > 2 and words[-1] not in ('Layer', 'InputSpec', 'core', 'Wrapper')):
                return False
    allowed = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.Assign)
    defined = any(isinstance(node, (ast.ClassDef, ast.FunctionDef)) for node in one.tree.tree.body)
    return defined and all(isinstance(node, allowed) or _is_text(node) for node in one.tree.tree.body)


def _is_text(node: Any) -> bool:
    return isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call)
