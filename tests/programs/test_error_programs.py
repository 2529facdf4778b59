"""The programs behind the pages of errors stop on plain libraries, and run under the launchers of the pages."""

import importlib.util
import json
import os
import re
import sys

import pytest
from checkout import ROOT
from processes import given_path, python

sys.path.insert(0, os.path.join(ROOT, 'tools'))

import error_texts

DRIVER = """
import keras
import importlib, json, traceback

said = {{}}
for name in {names!r}:
    try:
        importlib.import_module(name)
    # A program may stop by any error, and the test shows which.
    except BaseException as error:
        said[name] = ''.join(traceback.format_exception_only(type(error), error))
with open('said.json', 'w') as stream:
    json.dump(said, stream)
"""
OF_KERAS_1 = re.compile(
    r"output_dim=|init='|W_reg|Convolution2D|border_mode|subsample|dim_ordering|inner_act|dropout=0\.2|mode=0"
    r'|Dropout\(p|input=x|nb_epoch|Merge|import merge|MaxoutDense|Highway|initializations'
)
OF_TENSORFLOW = re.compile(r'tensorflow|K\.tf\b|TensorBoard')
# Programs of Python 2 are translated by `run`, and not by the launcher itself: tests/run has them.
NOT_HERE = ('Python',)


def programs(door, installed):
    """{name of a module: program} of the entries whose page says `run`, and for which all is installed."""
    listed = {}
    for entry in error_texts.entries(door):
        needed = re.findall(r'^\s*(?:import|from) (\w+)', entry.program, re.MULTILINE)
        there = all(name in installed or name in sys.modules or importlib.util.find_spec(name) for name in needed)
        if entry.cure == error_texts.CURES[door] and entry.section not in NOT_HERE and there:
            listed['program_' + re.sub(r'\W', '_', entry.name)] = entry.program
    return listed


def run(folder, chosen, launcher, **variables):
    """What the programs say that stop, each as a module of one program."""
    for name, text in chosen.items():
        (folder / (name + '.py')).write_text(text + '\n')
    (folder / 'train.py').write_text(DRIVER.format(names=sorted(chosen)))
    path = os.pathsep.join(given_path())
    status, _, err = python(
        '-m', launcher, 'train.py', cwd=folder, home=folder / 'home', PYTHONPATH=path, **variables
    )
    assert status == 0, err
    return json.loads((folder / 'said.json').read_text())


def version_of(name):
    """The version of an installed package, '' where it is missing."""
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ''


@pytest.mark.skipif(sys.version_info < (3, 11), reason='the libraries of today, which stop the programs, need it')
def test_programs_of_keras_2_on_their_page(tmp_path):
    """Each program of the page for Keras 1 and 2 runs under keras_backend.keras2."""
    keras = version_of('keras')
    if not keras.startswith('2.2'):
        pytest.skip('needs Keras 2.2.4')
    chosen = {
        name: text
        for name, text in programs('keras2', ['keras']).items()
        if not OF_KERAS_1.search(text) and (not OF_TENSORFLOW.search(text) or version_of('tensorflow-cpu'))
    }
    assert len(chosen) > 60
    assert {} == run(tmp_path, chosen, 'keras_backend.keras2')


@pytest.mark.skipif(os.environ.get('TEST_ENGINE') != 'tf_keras', reason='needs tf_keras')
def test_programs_of_tf_keras_on_their_page(tmp_path):
    """Each program of the page for tf.keras runs under keras_backend.keras3."""
    chosen = programs('tf_keras', ['keras', 'tensorflow'])
    # Alone it is a program of graphs; beside programs of eager execution it is not.
    chosen.pop('program_tf_keras_tk_function_updates')
    assert len(chosen) > 50
    assert {} == run(tmp_path, chosen, 'keras_backend.keras3', KERAS_BACKEND='tensorflow')
