"""What is done for programs of tf.keras on TensorFlow, by the package tf_keras, and when."""
# ruff: noqa: F401 - cures.json names functions of the modules that are imported here

import functools
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Tuple

from ...basics import installed
from ...basics.tables import beside
from ...config import configured_backend
from ...engines import process
from ...errors import WrongKeras
from ..launcher import child_processes, imports
from ..launcher.check import years
from ..launcher.cures import Cure, action, explanation, in_table
from ..on_keras3 import libraries
from . import backend_functions, changed_since, draws, losses, models, modules, optimizers

# What the child processes of a program import.
DOOR = 'keras_backend.keras3.launcher'
# TensorFlow takes tf_keras for tf.keras where this variable is 1, and Keras 3 where it is not.
VARIABLE = 'TF_USE_LEGACY_KERAS'
# K of tf_keras as an engine: `import keras_backend as K` in such a program works on its tensors.
ENGINE = 'tf_keras.backend'
OPTION = '--keras-3'


def short_way_of_small_calls(data_adapter: ModuleType) -> str:
    """One batch of arrays goes to the model without a tf.data pipeline."""
    # It needs TensorFlow.
    from . import small_calls

    return small_calls.install(data_adapter)


def short_way_to_means_of_metrics(keras: ModuleType) -> str:
    """The means of metrics are set to 0 and read by the operations alone."""
    # It needs TensorFlow.
    from . import small_calls

    return small_calls.install_metrics(keras)


def affine_transforms_of_images(keras: ModuleType) -> str:
    """ImageDataGenerator and `apply_affine_transform` move images as before 2.9."""
    # It needs NumPy.
    from . import images

    return images.affine_transforms_of_images(keras)


CURES: Tuple[Cure, ...] = in_table(globals())
# Programs of TensorFlow 2.11 and later do without these.
_ROWS = {row['cure'].rpartition('.')[2]: row for row in beside(__file__, 'cures.json')}
_OLDER = {name for name, row in _ROWS.items() if row.get('older')}
# What came with a version, or went with one.
_SINCE = {name: years.parsed(row['since']) or years.DEFAULT for name, row in _ROWS.items() if 'since' in row}
_BEFORE = {name: years.parsed(row['before']) or years.DEFAULT for name, row in _ROWS.items() if 'before' in row}
_NEVER = (99, 0)
OF_OLDER: Tuple[Cure, ...] = tuple(cure for cure in CURES if cure.apply.__name__ in _OLDER)


class _State:
    watching = False


# -- the way -----------------------------------------------------------------------------------------------------------


def is_the_way(path: str = '') -> bool:
    """Whether programs of tf.keras run on tf_keras here: on TensorFlow, where it is installed and nobody refuses it.

    Parameters
    ----------
    path : str
        The file of the program, if it is known. One that was written for Keras 3 runs there.

    Raises
    ------
    WrongKeras
        The environment asks for tf_keras, and it is not installed.
    """
    if configured_backend() not in ('tensorflow', ENGINE) or installed.spec('tensorflow') is None:
        return False
    asked = os.environ.get(VARIABLE, '').strip().lower()
    if asked in ('0', 'false') or 'keras' in sys.modules:
        return False
    there = 'tf_keras' in sys.modules or installed.spec('tf_keras') is not None
    if asked in ('1', 'true') and not there:
        raise WrongKeras(f'{VARIABLE} asks for tf_keras, which is not installed; type: {install_line()}')
    return there and not years.is_of_keras_3(path)


def version() -> str:
    """The version of tf_keras that belongs to the installed TensorFlow, as pip takes it; '' without a TensorFlow."""
    tensorflow = installed.version(['tensorflow', 'tensorflow-cpu', 'tensorflow-macos', 'tf-nightly'])
    return '' if tensorflow is None else f'=={".".join(tensorflow.split(".")[:2])}.*'


def install_line() -> str:
    """What a person types to install tf_keras beside the installed TensorFlow."""
    # It asks for the distribution `tensorflow`, which would come beside tensorflow-cpu.
    alone = installed.version(['tensorflow']) is None and installed.version(['tensorflow-cpu']) is not None
    return f'pip install {"--no-deps " if alone else ""}"tf_keras{version()}"'


def say_what_keras_3_is_for(path: str = '') -> None:
    """One line for a program of tf.keras that runs inside Keras 3 on TensorFlow, because tf_keras is not installed."""
    refused = os.environ.get(VARIABLE, '').strip().lower() in ('0', 'false')
    on_tensorflow = configured_backend() == 'tensorflow' and installed.spec('tensorflow') is not None
    if refused or not on_tensorflow or installed.spec('tf_keras') is not None or years.is_of_keras_3(path):
        return
    _say(
        'Keras 3 on TensorFlow is for programs that were written for Keras 3; a program of tf.keras runs on tf_keras, '
        f'so type: {install_line()}'
    )


def _say(sentence: str) -> None:
    if sys.stderr is not None and not child_processes.is_child(DOOR):
        sys.stderr.write(f'keras_backend.keras3: {sentence}\n')


def is_watching() -> bool:
    """Whether this process was prepared for programs on tf_keras."""
    return _State.watching


# -- the process -------------------------------------------------------------------------------------------------------


def prepare(path: str = '') -> None:
    """Prepare this process and its children for a program of tf.keras, on tf_keras. path: its file, if it is known."""
    if _State.watching:
        return
    _State.watching = True
    os.environ[VARIABLE] = '1'
    os.environ['KERAS_BACKEND'] = ENGINE
    year = years.year_of(path)
    os.environ[years.VARIABLE] = '.'.join(str(number) for number in year.version)
    _say(_line(year))
    watch(year)
    child_processes.prepare(DOOR)


def _line(year: years.Year) -> str:
    number = '.'.join(str(part) for part in year.version)
    why = f' ({year.why})' if year.why else ''
    differences = 'names, graphs and sessions of TensorFlow 1' if year.is_of_1 else _differences(year)
    graphs = f' Eager execution is off, for {year.graphs}.' if year.graphs and not year.is_of_1 else ''
    return (
        f'tf.keras is tf_keras {installed.version(["tf_keras"])}, as of TensorFlow {number}{why}: {differences}; '
        f'{years.OPTION} VERSION takes another, {OPTION} Keras 3.{graphs}'
    )


def _differences(year: years.Year) -> str:
    """What has other numbers in other versions."""
    training = f'optimizers and masked losses as {"from 2.11 on" if year.is_new else "before 2.11"}'
    return f'{training}, random numbers as before 2.10' if year.version < (2, 10) else training


def watch(year: years.Year) -> None:
    """Let each name of Keras be tf_keras, and apply the cures when it is imported."""
    libraries.watch()
    modules.watch(year.is_of_1)
    imports.before('tensorflow', process.before_tensorflow)
    imports.during('tensorflow', functools.partial(process.held_back, '2', os.environ.get(process.LOG_LEVEL)))
    for cure in CURES:
        if _is_of(year, cure):
            imports.after(cure.module, action(cure))
    imports.after('tensorflow', _as_tensorflow_1 if year.is_of_1 else _switched(year.graphs))


def _is_of(year: years.Year, cure: Cure) -> bool:
    """Whether programs of a year need a cure."""
    name = cure.apply.__name__
    if year.is_new and cure in OF_OLDER:
        return False
    return _SINCE.get(name, year.version) <= year.version and year.version < _BEFORE.get(name, _NEVER)


def _as_tensorflow_1(tensorflow: ModuleType) -> None:
    # Programs of TensorFlow 2 need none of it.
    from . import tensorflow_1

    tensorflow_1.show(tensorflow)


def _switched(graphs: str) -> Callable[[ModuleType], None]:
    """What is done to TensorFlow after its import: eager execution is off for programs of graphs."""

    def act(tensorflow: Any) -> None:
        if graphs:
            tensorflow.compat.v1.disable_eager_execution()

    return act


def explain() -> str:
    """The text of `--explain`."""
    import_module('tensorflow')
    tf_keras: Any = import_module('tf_keras')
    for cure in CURES:
        import_module(cure.module)
    return explanation(f'tf_keras {tf_keras.__version__} on TensorFlow', (*CURES, *libraries.CURES))
