"""Which TensorFlow a program was written for, and whether it was written for graphs without eager execution.

What says it: an option, the files beside the program, names that came with a version. It is a search in texts, so that
a program starts as fast as without it.
"""

import os
import re
from typing import List, NamedTuple, Optional, Tuple

from . import requirements, tensorflow_versions
from .files import of_path
from .reading import decoded

# The option `--as 2.10`, for this process and its children.
VARIABLE = 'KERAS_BACKEND_TENSORFLOW'
OPTION = '--as'
# What is taken where nothing says more: most of the programs are from before the new optimizers.
DEFAULT = (2, 10)
LAST_OF_1 = (1, 15)
# From this version on, optimizers are the new classes, and the mean of a masked loss is that of the steps that count.
NEW = (2, 11)
# Names of TensorFlow for pip and for conda.
_TENSORFLOW = {
    'tensorflow',
    'tf-keras',
    *(f'tensorflow-{name}' for name in ('gpu', 'cpu', 'macos', 'base', 'mkl', 'eigen')),
}
_OF_OUTPUTS = re.compile(r'(?:TensorFlow|tensorflow|TF|tf\.__version__)[^\n]{0,12}?\b(2)\.(\d{1,2})\.\d')
# `optimizers.` of Keras. TensorFlow Addons has an AdamW of its own, for every version.
_OPTIMIZERS = r'(?<![\w.])(?:(?:\w+\.)?keras\.|tf\.)?optimizers\.'
# Names that came with a version of TensorFlow.
_IDIOMS: Tuple[Tuple[str, Tuple[int, int]], ...] = (
    (r'\bimport tf_keras\b|\bfrom tf_keras\b', (2, 16)),
    (r'\bregister_keras_serializable\b.*|\bkeras\.saving\b', (2, 12)),
    (_OPTIMIZERS + r'(?:Lion|Adafactor)\b|\bkeras\.optimizers import .*\b(?:Lion|Adafactor)\b', (2, 12)),
    (r'\boptimizers\.legacy\b', (2, 11)),
    (_OPTIMIZERS + r'AdamW\b|\bkeras\.optimizers import .*\bAdamW\b', (2, 11)),
)
# Only `keras.saving` itself is that new; `tf.keras.utils.register_keras_serializable` is not.
_OLDER = re.compile(r'\butils\.register_keras_serializable\b|keras\.utils import .*register_keras_serializable')
_GRAPHS = re.compile(
    r'\bdef get_updates\(|\bK\.gradients\(|\bbackend\.gradients\(|\bupdates=[^=]|\bget_session\(|\btf\.gradients\(|'
    r'\bK\.learning_phase\(\)\s*\]'
)
_EAGER = re.compile(
    r'GradientTape|\.numpy\(\)|@tf\.function|tf\.function\(|run_eagerly|executing_eagerly|train_step|disable_eager|'
    r'disable_v2_behavior|tf\.data\.|is_keras_tensor'
)
_OF_KERAS_3 = re.compile(
    r'\bkeras\.(?:ops|random|distribution)\b|\bfrom keras import [^\n]*\b(?:ops|random|distribution)\b|'
    r'\bTFSMLayer\b|\bTorchModuleWrapper\b|\bJaxLayer\b|\bStatelessScope\b'
)
_IMPORT = re.compile(r'^\s*(?:from\s+([\w.]+)\s+import|import\s+([\w., ]+))', re.M)


class Year(NamedTuple):
    """The TensorFlow of a program.

    Attributes
    ----------
    version : tuple of (int, int)
        Its first two numbers.
    why : str
        What says so, '' where nothing does.
    graphs : str
        The call that eager execution refuses, for which it is switched off; '' where it stays on.
    """

    version: Tuple[int, int]
    why: str
    graphs: str

    @property
    def is_of_1(self) -> bool:
        """Whether it is TensorFlow 1, with its names, graphs and sessions."""
        return self.version < (2, 0)

    @property
    def is_new(self) -> bool:
        """Whether optimizers and masked losses are those of TensorFlow 2.11 and later."""
        return self.version >= NEW


def parsed(text: str) -> Optional[Tuple[int, int]]:
    """The version that a person typed, such as '2.10' or '2.4.1'; None where it is none."""
    match = re.match(r'^(\d+)\.(\d+)(?:\.\w+)*$', text.strip())
    return (int(match.group(1)), int(match.group(2))) if match else None


def year_of(path: str) -> Year:
    """The TensorFlow of a program, which is a file; '' where there is none, as in a notebook."""
    texts = _texts(path) if path else []
    graphs = _graphs(texts)
    said = parsed(os.environ.get(VARIABLE, ''))
    if said:
        return Year(said, OPTION, graphs)
    if _are_of_keras_3(texts):
        return Year(NEW, '', graphs)
    version, why = _beside(path) or _taken(texts) or _name_of_1(path, texts) or _idiom(texts) or (DEFAULT, '')
    return Year(version, why, graphs)


def is_of_keras_3(path: str) -> bool:
    """Whether a program was written for Keras 3: it uses what tf_keras never had."""
    return _are_of_keras_3(_texts(path) if path else [])


def _are_of_keras_3(texts: List[Tuple[str, str]]) -> bool:
    return any(_OF_KERAS_3.search(text) for _, text in texts)


def _beside(path: str) -> Optional[Tuple[Tuple[int, int], str]]:
    for wanted in requirements.listed(path) if path else []:
        version = _last(wanted.bounds) if wanted.name.lower().replace('_', '-') in _TENSORFLOW else None
        if version:
            return version, wanted.file
    return None


def _last(bounds: requirements.Bounds) -> Optional[Tuple[int, int]]:
    """The TensorFlow that bounds name: '==2.4.1', '~=2.4', or the last before '<2.5'. None where they name none."""
    for sign, number in bounds:
        match = re.match(r'([12])(?:\.(\d+))?', number)
        if match and sign not in ('>', '>=', '!='):
            before = sign == '<' and number.count('.') < 2
            major, minor = int(match.group(1)), int(match.group(2) or 0) - before
            return (major, minor) if minor >= 0 else LAST_OF_1 if major == 2 else None
    return None


def _taken(texts: List[Tuple[str, str]]) -> Optional[Tuple[Tuple[int, int], str]]:
    """The TensorFlow that a line of a notebook takes; None where it leaves the number open."""
    for name, text in texts:
        taken = tensorflow_versions.TAKEN.search(text) if name.endswith('.ipynb') else None
        if taken and taken.group(2) != 'x':
            return (int(taken.group(1)), int(taken.group(2))), f'{name}: {taken.group()[:40]}'
        if taken and taken.group(1) == '1':
            return LAST_OF_1, f'{name}: {taken.group()}'
    return None


def _name_of_1(path: str, texts: List[Tuple[str, str]]) -> Optional[Tuple[Tuple[int, int], str]]:
    """TensorFlow 1, where a program has names that it alone has. Its files are parsed where a text looks so."""
    if not any(tensorflow_versions.known(name, tensorflow_versions.OF_1) for _, text in texts for name in _names(text)):
        return None
    told = tensorflow_versions.told_of_1(of_path(path)[0])
    return (LAST_OF_1, f'{told[0][0]}: {told[0][1]}') if told else None


def _names(text: str) -> List[str]:
    """What looks in a text like a name of TensorFlow, without `tf.`."""
    imported = ' '.join(re.findall(r'\bfrom tensorflow import ([^\n]*)', text))
    return re.findall(r'\b(?:tf|tensorflow)\.([\w.]+)', text) + re.findall(r'\w+', imported)


def _idiom(texts: List[Tuple[str, str]]) -> Optional[Tuple[Tuple[int, int], str]]:
    for pattern, version in _IDIOMS:
        for name, text in texts:
            match = re.search(pattern, _OLDER.sub('', text))
            if match:
                return version, f'{name}: {match.group(0)[:40]}'
    for name, text in texts:
        match = _OF_OUTPUTS.search(text) if name.endswith('.ipynb') else None
        if match:
            return (2, int(match.group(2))), f'an output of {name}'
    return None


def _graphs(texts: List[Tuple[str, str]]) -> str:
    """What in a program needs graphs. None where a part of it needs eager execution, or says itself what it needs."""
    if any(_EAGER.search(text) for _, text in texts):
        return ''
    for _, text in texts:
        match = _GRAPHS.search(text)
        if match:
            return match.group(0).rpartition(' ')[2].rstrip('(=) ]') or match.group(0).rstrip('(=) ]')
    return ''


def _texts(path: str) -> List[Tuple[str, str]]:
    """A program and the modules beside it that it imports: their names and texts, without comments."""
    folder, waiting, seen = os.path.dirname(os.path.abspath(path)), [os.path.abspath(path)], {}
    while waiting:
        file = waiting.pop()
        if file in seen or not os.path.isfile(file):
            continue
        with open(file, 'rb') as stream:
            text = decoded(stream.read(1 << 22))[0]
        seen[file] = re.sub(r'(?m)^\s*#.*$', '', text)
        for from_module, modules in _IMPORT.findall(text):
            for name in [from_module] if from_module else re.split(r'[, ]+', modules):
                base = os.path.join(folder, *name.lstrip('.').split('.'))
                waiting += [base + '.py', os.path.join(base, '__init__.py')]
    return [(os.path.basename(file), text) for file, text in seen.items()]
