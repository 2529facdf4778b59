"""TensorFlow in a program: parts of TensorFlow 1 that are gone, names of before 1.0, names of TensorFlow 2."""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set

from ...launcher.check.rules import DIFFERS, NOTE, Finding, Place
from ...launcher.check.tensorflow_versions import OF_2, known, uses_of_1
from ...launcher.check.uses import Uses
from .rules import finding
from .tables import table

_NAMES = table('tensorflow1.table', 'NAMES')
# Names of before TensorFlow 1.0 -> what TensorFlow 1 calls them.
RENAMED: Dict[str, str] = _NAMES['renamed']

At = Callable[[int], Place]


class Judged(NamedTuple):
    """The findings of the rules about TensorFlow in a program."""

    findings: List[Finding]
    of_1: List[Place]
    of_2: List[Place]


def _given() -> Dict[str, str]:
    """The parts of TensorFlow 1 that are given back: name -> where it lies."""
    return table('tensorflow1.table', 'GIVEN')


# Modules that hold parts that are gone.
_PARTS = ('contrib', 'layers', 'estimator', 'nn.rnn_cell', 'examples')


def replacement(part: str) -> Optional[str]:
    """The code to write instead of a part of TensorFlow 1, None if it is not known."""
    replaced = table('tensorflow_cures', 'REPLACED')
    return replaced.get(known(part, replaced))


def judge(found: Uses, place: At) -> Judged:
    """The names that are gone, and the TensorFlow that a program is written for."""
    judged = Judged([], [], [])
    given_names = _given()
    seen: Set[str] = set()
    judged.of_1.extend(place(use.line) for use in uses_of_1(found))
    written = [use for use in found.names if use.name.startswith('tensorflow.') and not use.guarded]
    for use in written:
        tf_name = use.name[len('tensorflow.') :]
        if tf_name.startswith('compat.v1.'):
            tf_name = tf_name[len('compat.v1.') :]
            judged.of_1.append(place(use.line))
        if known(tf_name, OF_2):
            judged.of_2.append(place(use.line))
        if tf_name in seen:
            continue
        seen.add(tf_name)
        old = known(tf_name, RENAMED)
        if old:
            message = f'tf.{tf_name} is of TensorFlow before 1.0'
            judged.findings.append(finding('tf-renamed', place(use.line), message, f'write {RENAMED[old]}'))
        elif known(tf_name, _PARTS) and _gone(tf_name, given_names, written):
            judged.findings.append(_finding(tf_name, place(use.line)))
    return judged


def _gone(part: str, given: Dict[str, str], written: List[Any]) -> bool:
    """Whether a part cannot be used: it is not given, nothing of it is, and it is no module of which more is named."""
    if any(part == name or part.startswith(name + '.') or name.startswith(part + '.') for name in given):
        return False
    if part in ('contrib', 'contrib.tensorboard', 'examples', 'examples.tutorials') or 'tensorboard.plugins' in part:
        return False
    longer = f'tensorflow.{part}.'
    return not any(use.name.startswith(longer) or f'compat.v1.{part}.' in use.name for use in written)


def _finding(part: str, place: Place) -> Finding:
    for name, (package, _) in table('tensorflow1.table', 'SUCCESSORS').items():
        if part.startswith(name + '.'):
            message = f'tf.{part} is given where {package} is installed'
            return finding('tf-gone', place, message, f'pip install {package.replace("_", "-")}', DIFFERS)
    today = replacement(part)
    advice = f'write {today}' if today else 'write it with K functions or tf functions'
    return finding('tf-gone', place, f'tf.{part} is gone: TensorFlow 2 does not have it', advice)


def on_engine(found: Uses, place: At, engine: str, severity: str) -> List[Finding]:
    """The names of TensorFlow that a program uses and another engine does not have. engine: its name, '' for any."""
    if engine in ('', 'tensorflow'):
        return []
    is_neutral: Any = table('without_tensorflow', 'is_neutral')
    lines: Dict[str, int] = {}
    for use in found.names:
        for above in ('tensorflow.', 'keras.backend.tf.'):
            name = use.name[len(above) :] if use.name.startswith(above) and not use.guarded else ''
            if name and not is_neutral(name):
                lines.setdefault(name, use.line)
    reason = 'needs the engine TensorFlow, and another one was chosen'
    told = [(f'tf.{name} {reason}', place(line)) for name, line in lines.items()]
    return [finding('tf-engine', where, message, severity=severity) for message, where in told]


# What sets memory and threads; a session that computes takes other names of TensorFlow, too.
_OF_MEMORY = frozenset('ConfigProto GPUOptions OptimizerOptions Session InteractiveSession logging'.split())
_SESSIONS = frozenset(('ConfigProto', 'Session', 'InteractiveSession'))


def sets_memory_alone(names: Set[str]) -> bool:
    """Whether these names below `tensorflow` set memory and threads by a session, and nothing else."""
    plain = {name[len('compat.v1.') :] if name.startswith('compat.v1.') else name for name in names}
    first = {name.partition('.')[0] for name in plain - {'', 'compat', 'compat.v1'}}
    return first <= _OF_MEMORY and bool(first & _SESSIONS)


def of_tensorflow_2(places: List[Place]) -> Finding:
    """The finding that a program is one of TensorFlow 2."""
    return finding('of-keras-3', places[0], 'this is of TensorFlow 2', severity=NOTE)
