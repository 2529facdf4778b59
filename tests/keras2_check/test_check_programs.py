"""--check on programs of their time: nothing false about those that run, everything about those that stop."""

import os
import re

import pytest
from checked import check, found, reasons
from checkout import TESTS
from shares import one_in

from keras_backend.programs.keras2.check import versions
from keras_backend.programs.launcher.check.rules import STOPS

PROGRAMS = os.path.join(TESTS, 'programs')
OWN = os.path.join(TESTS, 'keras2_check', 'programs')


def programs_that_run():
    """The programs of tests/programs, which run with Keras 2.2.4, 2.3.1 or both."""
    names = sorted(name for name in os.listdir(PROGRAMS) if name.endswith('.py'))
    return [name for name in names if not name.startswith(('test_', '__'))]


def versions_of(name):
    """The versions that the head of a program names."""
    with open(os.path.join(PROGRAMS, name), encoding='utf-8') as stream:
        said = re.search(r'^# keras: (.*)$', stream.read(), re.MULTILINE)
    return said.group(1).split() if said else ['2.2.4', '2.3.1']


@pytest.mark.parametrize('name', one_in(3, programs_that_run()))
def test_check_says_nothing_false(name):
    """No program that runs is said to stop, and each finds all its names in a version that it is known to run with."""
    program = check(os.path.join(PROGRAMS, name))
    assert [] == found(program, STOPS)
    assert not program.of_keras_3
    needs = [*program.choice.reasons, *program.choice.unmet]
    assert any(versions.content(needs, program.choice, version) for version in versions_of(name)), reasons(program)


def test_check_of_a_program_of_keras_1():
    """Python 2, Keras 1: each is told with its line, and the version is 1.2.2."""
    program = check(os.path.join(OWN, 'keras_1_cifar.py'))
    rules = dict(reversed(found(program)))
    assert {'python2': 25, 'python2-name': 6, 'python2-division': 36} == rules
    told = ' '.join(one.reason for one in program.findings)
    assert all(name in told for name in ('cPickle', 'xrange', 'iteritems'))
    assert 'in this line and 5 others' in told
    assert '1.2.2' == program.choice.version
    assert [('keras.layers.core.MaxoutDense', 11), ('fit_generator(samples_per_epoch=...)', 37)] == reasons(program)


def test_check_of_a_program_without_faults():
    """Names that the program can do without, and names that the launcher gives, are no findings."""
    program = check(os.path.join(OWN, 'plain_2017.py'))
    assert [] == found(program)
    assert ('2.3.1', ()) == (program.choice.version, program.choice.reasons)
    assert [('numpy', 'x')] == [*program.libraries, ('numpy', 'x')]


def test_check_of_a_program_of_tensorflow_1():
    """Parts of TensorFlow 1, names of before 1.0, a star import for np, the history of Keras 2.2."""
    program = check(os.path.join(OWN, 'tensorflow_1.py'))
    lines = [(rule, line) for rule, line in found(program, STOPS)]
    assert ('tf-gone', 10) in lines
    assert ('tf-gone', 25) in lines
    assert ('tf-gone', 30) in lines
    assert 2 == lines.count(('tf-renamed', 23))
    assert ('python-removed', 14) in lines
    assert ('2.2.4', 'tensorflow') == (program.choice.version, program.engine)
    told = reasons(program)
    assert ("['acc']", 29) in told
    assert ("monitor='val_acc'", 27) in told
    assert ('add weight shape first', 19) in told
    assert any(what.startswith('np by from keras') for what, _ in told)


def test_check_of_tensorflow_2(tmp_path):
    """Code of TensorFlow 2 belongs to the other launcher."""
    text = 'import tensorflow as tf\nfrom tensorflow.keras import layers\n\n@tf.function\ndef f(x):\n    return x\n'
    program = check(tmp_path / 'a.py', text)
    assert program.of_keras_3
    assert ['of-keras-3'] == [rule for rule, _ in found(program)]
    program = check(tmp_path / 'b.py', 'import keras\nx = keras.ops.ones(3)\n')
    assert program.of_keras_3
    program = check(tmp_path / 'c.py', 'import tensorflow as tf\nfrom tensorflow.keras import layers\ntf.Session()\n')
    assert not program.of_keras_3
