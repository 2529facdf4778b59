"""Which TensorFlow a program was written for: the names that TensorFlow 1 or 2 alone has."""

from typing import Dict, Iterable, Iterator, List, Tuple

from ....basics.tables import beside
from .files import Read
from .rules import Place, Use
from .uses import Uses

_TABLE = beside(__file__, 'tensorflow.json')
# A name that TensorFlow 1 alone has -> where TensorFlow 2 has it. Without a place, it is of graphs and sessions.
OF_1: Dict[str, str] = _TABLE['only in TensorFlow 1']
# Names that programs of TensorFlow 2 use, and those of 2015 to 2019 do not.
OF_2: Tuple[str, ...] = tuple(_TABLE['only in TensorFlow 2'])
# TensorFlow 2.0 to 2.15 have it, too, so that it tells no version.
_OF_BOTH = 'estimator'
# TensorFlow 1 has GradientTape, too, for programs that say this first.
_EAGER = 'enable_eager_execution'


def told_of_1(files: Iterable[Read]) -> List[Tuple[Place, str]]:
    """The names which tell that a program was written for TensorFlow 1; none where others tell of TensorFlow 2."""
    files = list(files)
    of_1 = [(file.source.place(use.line), use.name) for file in files for use in uses_of_1(file.uses)]
    names = [use.name.partition('tensorflow.')[2] for file in files for use in file.uses.names]
    of_2 = any(known(name, OF_2) for name in names) and _EAGER not in names
    return [] if of_2 else of_1


def uses_of_1(found: Uses) -> Iterator[Use]:
    """The uses of names that TensorFlow 1 alone has, but those by `tf.compat.v1`."""
    for use in found.names:
        first, _, name = use.name.partition('.')
        if first == 'tensorflow' and not use.guarded and known(name, OF_1) and not known(name, (_OF_BOTH,)):
            yield use


def known(name: str, names: Iterable[str]) -> str:
    """The one of `names` that a name is, or lies below; '' where there is none."""
    return next((one for one in names if name == one or name.startswith(one + '.')), '')
