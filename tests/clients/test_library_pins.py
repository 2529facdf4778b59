"""The combination of docs/legacy-pins.md that is installed here: its names are there, without a cure."""

import sys

import pytest
from processes import python

from keras_backend.basics.installed import version
from keras_backend.programs.launcher.libraries.library_pins import PINS

# One test for each library, where the whole combination is installed.
HERE = [
    (library, pin)
    for pins in PINS.values()
    if all(version([library]) == pin.version for library, pin in pins.items())
    for library, pin in pins.items()
    if pin.names
]
FIND = """
import importlib, sys, warnings
warnings.simplefilter('ignore')
for name in sys.argv[1:]:
    parts = name.split('.')
    for cut in range(len(parts), 0, -1):
        try:
            value = importlib.import_module('.'.join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            value = getattr(value, part)
        break
    else:
        raise SystemExit('no module ' + name)
assert 'keras_backend' not in sys.modules
"""


@pytest.mark.parametrize(('library', 'pin'), HERE or [('', PINS['3.7']['imageio'])], ids=lambda value: str(value)[:20])
def test_names_without_a_cure(library, pin, tmp_path):
    """A program that knows nothing of keras_backend finds the names in the pinned version."""
    status, _out, err = python('-W', 'ignore', '-c', FIND, *pin.names, home=tmp_path)
    assert 0 == status, f'{library} {pin.version} on Python {sys.version}: {err}'
