"""Which TensorFlow a program was written for: names that 1 or 2 alone has, and lines of notebooks that take one."""

import re
from typing import Container, Dict, FrozenSet, Iterable, Iterator, List, Tuple

from ....basics.tables import beside
from .files import Read
from .rules import Place, Use
from .uses import Uses

_TABLE = beside(__file__, 'tensorflow.json')
# A name that TensorFlow 1 alone has -> where TensorFlow 2 has it. Without a place, it is of graphs and sessions, or
# programs have another way. All names of 1.15.5 that neither 2.4, 2.10 nor 2.21 has.
OF_1: Dict[str, str] = {
    **_TABLE['only in TensorFlow 1'],
    **{
        f'{part}.{name}'.lstrip('.'): ''
        for part, names in _TABLE['only in TensorFlow 1, by another way today'].items()
        for name in names.split()
    },
}
# Names that programs of TensorFlow 2 use, and those of 2015 to 2019 do not.
OF_2: FrozenSet[str] = frozenset(_TABLE['only in TensorFlow 2'])
# TensorFlow 2.0 to 2.15 have it, too, so that it tells no version.
_OF_BOTH = 'estimator'
# TensorFlow 1 has GradientTape, too, for programs that say this first.
_EAGER = 'enable_eager_execution'
# A line of a notebook that takes a TensorFlow, with its version.
TAKEN = re.compile(r'(?:%tensorflow_version|pip3? install[^"\n]*\btensorflow(?:-gpu|-cpu)?==)\s*([12])\.(\d+|x)')


def told_of_1(files: Iterable[Read]) -> List[Tuple[Place, str]]:
    """The names which tell that a program was written for TensorFlow 1; none where others tell of TensorFlow 2."""
    files = list(files)
    of_1 = [(file.source.place(use.line), use.name) for file in files for use in uses_of_1(file.uses)]
    names = [use.name.partition('tensorflow.')[2] for file in files for use in file.uses.names]
    of_2 = any(known(name, OF_2) for name in names) and _EAGER not in names
    return _taken(files) or ([] if of_2 else of_1)


def _taken(files: Iterable[Read]) -> List[Tuple[Place, str]]:
    """The lines of a notebook that take TensorFlow 1."""
    lines = ((file.source.place(1), TAKEN.search(line)) for file in files for line in file.source.commands)
    return [(place, line.group()) for place, line in lines if line and line.group(1) == '1']


def uses_of_1(found: Uses) -> Iterator[Use]:
    """The uses of names that TensorFlow 1 alone has, but those by `tf.compat.v1`."""
    for use in found.names:
        first, _, name = use.name.partition('.')
        if first == 'tensorflow' and not use.guarded and known(name, OF_1) and not known(name, (_OF_BOTH,)):
            yield use


def known(name: str, names: Container[str]) -> str:
    """The one of `names` that a name is, or lies below; '' where there is none."""
    words = name.split('.')
    above = ('.'.join(words[:count]) for count in range(len(words), 0, -1))
    return next((one for one in above if one in names), '')
