"""`--check` of a program that runs on tf_keras: what stops it there."""

from typing import Iterator, List, Set

from ..keras2.check import rules as _of_keras_2  # noqa: F401  # its import makes the rules of TensorFlow 1 known
from ..keras2.check import tensorflow_rules
from ..launcher.check.files import Read, of_path
from ..launcher.check.rules import Finding
from ..launcher.check.tensorflow_versions import told_of_1
from ..on_keras3.check import program, rules

BACKEND = 'tensorflow'


def check(path: str) -> program.Program:
    """Check a file with the modules beside it that it imports, a notebook, or a folder. The path has to exist."""
    files, local = of_path(path)
    return of_files(path, files, local)


def of_files(path: str, files: List[Read], local: Set[str]) -> program.Program:
    """`check` of files that were read before. local: the names of the program's own modules."""
    is_of_1 = bool(told_of_1(files))

    def judge(file: Read) -> Iterator[Finding]:
        # tf_keras has what Keras 2 had. What TensorFlow 1 had, is given to programs of TensorFlow 1.
        if is_of_1:
            yield from tensorflow_rules.judge(file.uses, file.source.place).findings
        else:
            yield from rules.of_tensorflow_1(file.uses, file.source.place)

    return program.judged(path, BACKEND, files, local, judge)._replace(keras='tf_keras')
