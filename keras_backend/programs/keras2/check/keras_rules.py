"""Keras in a program: which versions have its names, arguments and idioms."""

from typing import Any, Callable, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

from ....basics.live import NAMES
from ....basics.tables import beside
from ....contract import CONTRACT
from ...launcher.check import accuracy
from ...launcher.check.rules import NOTE, Call, Finding, Need, Place, Use
from ...launcher.check.uses import Uses
from . import versions
from .rules import finding

_TABLES: Dict[str, Any] = beside(__file__, 'keras.json')
# Names of `keras.backend` that `keras_backend.keras2` gives beside the functions of K.
GIVEN = {*_TABLES['given in K'].split(), *CONTRACT, *NAMES}
# Names that only Keras 3 and the Keras of TensorFlow 2 have.
LATER = set(_TABLES['only later'].split())

At = Callable[[int], Place]
# What only Keras 0.3 and before has.
_OF_KERAS_0 = ('keras.layers.containers', 'keras.layers.core.AutoEncoder')
_ENGINES = ('tensorflow_backend', 'theano_backend', 'cntk_backend')


class Judged(NamedTuple):
    """The findings of the rules about Keras in a program."""

    needs: List[Need]
    findings: List[Finding]
    later: List[Place]


def judge(found: Uses, place: At, metrics: FrozenSet[str] = frozenset()) -> Judged:
    """The needs of a file, and what no version has. metrics: `accuracy.metrics_of` the program."""
    judged = Judged([], [], [])
    seen: Set[str] = set()
    for use in found.names:
        if use.name.split('.')[0] != 'keras':
            continue
        if not use.guarded:
            _name(use, place, judged, seen)
            judged.needs.extend(_call(use, place))
    _stars(found, place, judged, seen)
    judged.needs.extend(_accuracy(found, place, metrics))
    judged.needs.extend(_idioms(found, place))
    judged.findings.extend(_others(found, place))
    return judged


def uses_keras(found: Uses) -> bool:
    """Whether a program imports Keras."""
    return any(use.name.split('.')[0] == 'keras' for use in found.names)


def _name(use: Use, place: At, judged: Judged, seen: Set[str]) -> None:
    words = use.name.split('.')
    of_k = [word for word in words[2:] if word not in _ENGINES] if words[:2] == ['keras', 'backend'] else []
    is_told = use.name in seen or use.name.startswith(_OF_KERAS_0)
    if is_told or any(word.startswith('__') for word in words) or (of_k and of_k[0] in GIVEN):
        return
    seen.add(use.name)
    having = ('1.2.2',) if use.name == 'keras.models.Graph' else versions.of_name(use.name)
    if having is None:
        return
    if use.name == 'keras.utils.test_utils.keras_test':
        return
    where, written = place(use.line), use.origin or use.name
    if having:
        if len(having) < len(versions.all_versions()):
            judged.needs.append(Need(having, where, written, 'keras-name'))
    elif words[1] in LATER or (use.origin and not use.origin.startswith('tensorflow.python')):
        judged.later.append(where)
        judged.findings.append(finding('of-keras-3', where, f'{written} is of Keras 3 or TensorFlow 2'))
    elif use.origin:
        judged.findings.append(
            finding(
                'keras-name', where, f'{written} is a private module of TensorFlow, and Keras has none', severity=NOTE
            )
        )
    elif words[1:2] != ['backend'] or not words[-1].startswith('_'):
        judged.findings.append(
            finding(
                'keras-name',
                where,
                f'{written} is in no Keras from {versions.all_versions()[0]} to {versions.all_versions()[-1]}',
                'write the name that Keras has',
            )
        )


def _stars(found: Uses, place: At, judged: Judged, seen: Set[str]) -> None:
    """Names that `from keras.layers import *` brings along."""
    stars = [module for module, _ in found.stars if module.split('.')[0] == 'keras']
    others = any(module.split('.')[0] != 'keras' for module, _ in found.stars)
    for name, line, guarded in found.bare:
        of = [module for module in stars if name in versions.names_of(module)]
        if of and not guarded and not others and name not in seen and name not in dir(__builtins__):
            seen.add(name)
            having = tuple(
                version
                for version in versions.all_versions()
                if any(version in (versions.of_name(f'{module}.{name}') or ()) for module in of)
            )
            if len(having) < len(versions.all_versions()):
                judged.needs.append(Need(having, place(line), f'{name} by from {of[0]} import *', 'keras-name'))


# Layers with the sizes of a kernel in one argument in Keras 2, and in two or three in Keras 1.
_KERNELS = _TABLES['kernels of one size'].split()
_LAYERS = _TABLES['layers'].split()
_SAMPLES = _TABLES['samples of Keras 1'].split()
_METRICS_OF_KERAS_1 = _TABLES['metrics of Keras 1'].split()


# Arguments of recurrent layers that Keras 2 has by other names.
_OF_GATES = frozenset(_TABLES['gates of Keras 1'].split())
# Arguments of training that came with Keras 2.
_OF_KERAS_2 = ('epochs', 'steps_per_epoch', 'validation_steps')


def _call(use: Use, place: At) -> Iterator[Need]:
    cls = use.name.rpartition('.')[2]
    if not use.call:
        return
    where = place(use.line)
    for argument in use.keywords:
        having = versions.of_argument(cls, argument)
        if having is not None and len(having) < len(versions.all_versions()):
            yield Need(having, where, f'{cls}({argument}=...)', 'keras-argument')
    if cls == 'batch_dot' and max(use.axes, default=0) > 2:  # tensors of four axes: stacks of matrices, as of 2018
        yield Need(
            versions.of_idiom('batch_dot_of_four_axes'), where, f'K.batch_dot over {list(use.axes)}', 'keras-idiom'
        )
    of_gates = sorted(_OF_GATES & set(use.keywords)) if cls in ('LSTM', 'GRU') else []
    if of_gates:  # Keras 2 takes the argument, and draws the weights of all gates together
        written = f'{cls}({of_gates[0]}=...)'
        yield Need(versions.of_idiom('gates_drawn_one_by_one'), where, written, 'keras-idiom', tells_time=True)
    if cls == 'Model' and 'inputs' in use.keywords:
        yield Need(versions.of_idiom('model_inputs_outputs'), where, 'Model(inputs=...)', 'keras-argument')
    if cls == 'merge' and ('mode' in use.keywords or use.positional > 0):
        yield Need(versions.of_idiom('merge_mode'), where, 'merge(..., mode=...)', 'keras-name')
    if cls in _KERNELS and use.positional == 2 and not {'nb_row', 'nb_col', 'kernel_dim1'} & set(use.keywords):
        yield Need(
            versions.of_idiom('compute_output_shape'),
            where,
            f'{cls} with the size of its kernel in one',
            'keras-argument',
        )


def _idioms(found: Uses, place: At) -> Iterator[Need]:
    if not uses_keras(found):
        return
    yield from _metrics(found, place)
    for call in found.calls:
        if not call.guarded:
            yield from _method(call, place)
    for name, line, guarded in found.attributes:
        idiom = _TABLES['attributes'].get(name)
        if idiom and not guarded:
            yield Need(versions.of_idiom(idiom), place(line), name, 'keras-idiom')
    for line in found.inner_weights:
        written = 'trainable_weights of an inner layer'
        yield Need(versions.of_idiom('weights_of_inner_layer'), place(line), written, 'keras-idiom')
    for cls in found.classes:
        methods = {name: (line, arguments) for name, line, arguments in cls.methods}
        if 'get_output_shape_for' in methods and 'compute_output_shape' not in methods:
            line = methods['get_output_shape_for'][0]
            yield Need(versions.of_idiom('get_output_shape_for'), place(line), 'get_output_shape_for', 'keras-idiom')
        if any(base in _LAYERS for base in cls.bases) and 'get_output_shape_for' not in methods:
            if 'compute_output_shape' in methods:
                line = methods['compute_output_shape'][0]
                yield Need(
                    versions.of_idiom('compute_output_shape'), place(line), 'compute_output_shape', 'keras-idiom'
                )
        if 'get_updates' in methods:
            line, arguments = methods['get_updates']
            idiom = _TABLES['updates'].get(' '.join(arguments[1:]))
            if idiom:
                written = f'get_updates({", ".join(arguments)})'
                yield Need(versions.of_idiom(idiom), place(line), written, 'keras-idiom')


def _method(call: Call, place: At) -> Iterator[Need]:
    where = place(call.line)
    if 'show_accuracy' in call.keywords:
        yield Need(('1.2.2',), where, f'{call.method}(show_accuracy=...)', 'keras-argument')
    if call.method.endswith('_generator'):
        samples = [name for name in _SAMPLES if name in call.keywords]
        if samples:
            written = f'{call.method}({samples[0]}=...)'
            yield Need(versions.of_idiom('generator_of_samples'), where, written, 'samples-per-epoch')
    of_keras_2 = [name for name in call.keywords if name in _OF_KERAS_2]
    if of_keras_2:
        written = f'{call.method}({of_keras_2[0]}=...)'
        yield Need(versions.of_keras_2(), where, written, 'keras-argument', tells_time=True)
    if call.method == 'add_weight':
        idiom = _way_of_weights(call)
        if idiom:
            yield Need(versions.of_idiom(idiom), where, idiom.replace('_', ' '), 'keras-idiom')


def _way_of_weights(call: Call) -> Optional[str]:
    if call.first in ('Tuple', 'List'):
        return 'add_weight_shape_first'
    if call.first == 'text':
        return 'add_weight_name_first'
    if call.positional == 0 and 'shape' in call.keywords and 'name' not in call.keywords:
        return 'add_weight_without_name'
    return None


def _metrics(found: Uses, place: At) -> Iterator[Need]:
    for name, text, line in found.options:
        if name == 'border_mode' and text == 'full':
            yield Need(('1.2.2',), place(line), "border_mode='full'", 'keras-argument')
        if name == 'metrics' and text in _METRICS_OF_KERAS_1:
            yield Need(versions.of_idiom('metric_fmeasure'), place(line), f'metrics=[{text!r}]', 'keras-name')


def _accuracy(found: Uses, place: At, metrics: FrozenSet[str]) -> Iterator[Need]:
    """'accuracy' is called 'acc' before Keras 2.3. A program that knows both names is content with every Keras."""
    old, new = accuracy.keys(found, metrics)
    if new and not old:
        line = min(read.line for read in new)
        yield Need(versions.of_idiom('history_accuracy'), place(line), "['accuracy']", 'history-acc')
    elif old and not new:
        for read in old:
            rule = 'monitor-acc' if read.is_watched else 'history-acc'
            yield Need(versions.of_idiom('history_acc'), place(read.line), read.text, rule)


def _others(found: Uses, place: At) -> Iterator[Finding]:
    lines = [use.line for use in found.names if use.name.split('.')[0] == 'keras']
    launcher = [use.line for use in found.names if use.name.startswith('keras_backend.keras2')]
    if launcher and lines and min(launcher) > min(lines):
        yield finding('imported-before', place(min(launcher)))
    for use in found.names:
        if use.name.startswith(_OF_KERAS_0):
            yield finding('keras-0', place(use.line), f'{use.name} is of Keras 0.3 and before')
        if use.name.startswith('keras.utils') and use.name.endswith('multi_gpu_model') and use.call:
            yield finding('one-device', place(use.line))


def of_version(need: Need, version: str) -> Finding:
    """The finding for a need that a version does not meet."""
    if need.rule in ('samples-per-epoch', 'monitor-acc', 'history-acc'):
        return finding(need.rule, need.place)
    reason = f'{need.what}: Keras {versions.span(need.versions)} takes it, {version} does not'
    return finding(need.rule, need.place, reason, 'write it as this version does, or take one that has it')


def hints(found: Uses, place: At, version: str) -> Iterator[Finding]:
    """The notes on behaviour that only a run of the program shows."""
    uses: List[Tuple[str, int]] = [(use.name, use.line) for use in found.names]
    line = next((line for name, line in uses if name == 'keras.backend.batch_dot'), None)
    if line is not None and version not in versions.of_idiom('batch_dot_of_four_axes'):
        yield finding('batch-dot', place(line))
