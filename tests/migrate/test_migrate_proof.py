"""The line of the report that leads to the proof."""

import json
import shlex

import pytest

from keras_backend.__main__ import main
from keras_backend.programs.migrate.report import ORIGINALS
from keras_backend.programs.prove.command import parser
from keras_backend.programs.prove.originals import OF_KIND

PROGRAMS = {
    'keras2': ('from keras.layers import Dense\nmodel = Dense(3, input_shape=(2,))\n', ['--keras', '2.3.1']),
    'keras3': (
        'import tensorflow as tf\nmodel = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nmodel.fit([[1.0]])\n',
        ['--original', 'tf_keras'],
    ),
}


@pytest.mark.parametrize('kind', sorted(PROGRAMS))
def test_line_is_one_that_prove_takes(kind, home, tmp_path, capsys):
    """The same line in the text and in the JSON, for a path with a space, with the original of its Keras."""
    text, options = PROGRAMS[kind]
    path = tmp_path / 'my train.py'
    path.write_text(text)
    lines = {}
    for form in [], ['--json']:
        assert main(['migrate', str(path), *form]) in (0, 1)
        lines[bool(form)], _err = capsys.readouterr()
    line = json.loads(lines[True])['proof']
    assert line in lines[False]
    words = shlex.split(line)
    assert words[:4] == ['python', '-m', 'keras_backend', 'prove']
    found = parser().parse_args(words[4:])
    assert found.program == str(path)
    assert ' '.join(options) in line


def test_program_of_tensorflow_1_has_no_original_on_tf_keras(home, tmp_path, monkeypatch, capsys):
    """On TensorFlow it runs on tf_keras, where no line leads to a proof; elsewhere on Keras 2, with one."""
    (tmp_path / 'train.py').write_text(PROGRAMS['keras3'][0] + 'tf.Session()\n')
    told = {}
    for engine in 'tensorflow', 'torch':
        monkeypatch.setenv('KERAS_BACKEND', engine)
        main(['migrate', str(tmp_path / 'train.py'), '--json'])
        plan = json.loads(capsys.readouterr()[0])
        told[engine] = plan['route'], bool(plan['proof'])
    assert told == {'tensorflow': ('keras3', False), 'torch': ('keras2', True)}


def test_originals_are_those_of_prove():
    for kind, names in ORIGINALS.items():
        assert set(names) <= set(OF_KIND[kind])
