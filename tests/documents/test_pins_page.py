"""docs/legacy-pins.md, tox.ini and the table in the package say the same versions."""

import os
import re

from checkout import ROOT

from keras_backend.programs.launcher.libraries.library_pins import PINS


def read(*path):
    """The text of a file of the checkout."""
    with open(os.path.join(ROOT, *path), encoding='utf-8') as file:
        return file.read()


def test_page_has_the_pins():
    """Each combination is one command of the page, with these versions and no others."""
    page = read('docs', 'legacy-pins.md')
    for pythons, pins in PINS.items():
        section = page.partition(f'## Python {pythons}')[2].partition('\n## ')[0]
        said = dict(re.findall(r'([a-z0-9-]+)==([0-9.]+)', section.partition('```bash')[2].partition('```')[0]))
        said.pop('tensorflow-cpu', None)
        said.pop('keras', None)
        assert said == {library: pin.version for library, pin in pins.items()}, pythons
        for library, pin in pins.items():
            row = re.search(rf'^\| {library} \| {re.escape(pin.version)} \|.*$', section, re.M)
            assert row, (pythons, library)
            missing = [name for name in pin.names if f'`{name}`' not in row.group()]
            assert not missing, (library, missing)


def test_environment_has_the_pins():
    """The combination with TensorFlow is the environment of tox.ini in which programs run."""
    said = dict(re.findall(r'^    tensorflow216: ([a-z0-9-]+) ==([0-9.]+)$', read('tox.ini'), re.M))
    said.pop('tensorflow-cpu')
    assert said == {library: pin.version for library, pin in PINS['3.10 and 3.11'].items()}
