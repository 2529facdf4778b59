"""Libraries that programs of tf.keras import, and that go with tf_keras alone: Pythons, versions, names for pip."""

from typing import Dict, Iterable, List, Set

from ....basics.tables import beside
from ...environments import THIS_PYTHON

_TABLE = beside(__file__, 'libraries_of_tf_keras.json')
# Module -> the Pythons that have a wheel of it. It is no longer released.
PYTHONS: Dict[str, List[str]] = _TABLE['pythons']
# Module -> its name for pip, with the versions before it went over to Keras 3.
NAMES_FOR_PIP: Dict[str, str] = _TABLE['names_for_pip']
# Modules that need tf_keras, also where Keras 3 is installed.
NEED_TF_KERAS: Set[str] = set(_TABLE['need_tf_keras'])
ADDONS = 'tensorflow_addons'


def run_on(python: str, modules: Iterable[str]) -> bool:
    """Whether each of these modules can be installed for a version of Python, such as '3.11'."""
    return all(python in PYTHONS.get(module, [python]) for module in modules)


def refusal(modules: Iterable[str]) -> str:
    """What a module lacks in this Python, as a sentence; '' where nothing is in the way."""
    for module in modules:
        if not run_on(THIS_PYTHON, [module]):
            pythons = PYTHONS[module]
            return (
                f'{module} can be installed for Python {pythons[0]} to {pythons[-1]}, and this is Python {THIS_PYTHON}'
            )
    return ''
