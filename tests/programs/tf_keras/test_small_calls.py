"""Calls of one batch on tf_keras: the launcher's short way gives what tf_keras gives, to the bit."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest
from keras3_backends import launch

if importlib.util.find_spec('tf_keras') is None:
    pytest.skip('tf_keras is not installed', allow_module_level=True)

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'small_calls_program.py')
WAY = """
import time
import numpy as np
import tensorflow as tf
made = []
original = tf.data.Dataset.__init__
tf.data.Dataset.__init__ = lambda self, *arguments, **options: made.append(1) or original(self, *arguments, **options)
model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(4,))])
model.compile('adam', 'mse')
row, two, many = np.ones((1, 4)), np.ones((1, 2)), np.ones((33, 4))
model.fit(row, two, verbose=0)
model.predict(row, verbose=0), model.evaluate(row, two, verbose=0)
model.train_on_batch(row, two), model.test_on_batch(row, two), model.predict_on_batch(row)
short = len(made)
model.predict(many, verbose=0)
print(short, len(made) > 0)
"""


# A program that asks for determinism and sets no seed: only what draws needs one.
DETERMINISM = """
import numpy as np
import tensorflow as tf
tf.config.experimental.enable_op_determinism()
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer='ones', input_shape=(2,))])
model.compile('sgd', 'mse')
given, target = np.ones((3, 2)), np.ones((3, 1))
assert model.predict(given, verbose=0).sum() == 6
assert model.evaluate(given, target, verbose=0) == model.test_on_batch(given, target) == 1
model.train_on_batch(given, target)
model.fit(given, target, shuffle=False, verbose=0)
try:
    model.fit(given, target, verbose=0)
except RuntimeError as error:
    print(str(error).split('.')[0])
"""


def test_calls_of_one_batch_are_those_of_tf_keras(tmp_path):
    """Structures, errors, histories, callbacks, draws, counters, weights, and metrics that programs change."""
    environment = dict(os.environ, TF_USE_LEGACY_KERAS='1', TF_CPP_MIN_LOG_LEVEL='3')
    alone = subprocess.run([sys.executable, PROGRAM], capture_output=True, text=True, env=environment, check=False)
    assert alone.returncode == 0, alone.stderr
    status, out, err = launch(PROGRAM, home=tmp_path, cwd=tmp_path, backend='tensorflow')
    assert status == 0, err
    ours, theirs = json.loads(out.splitlines()[-1]), json.loads(alone.stdout.splitlines()[-1])
    assert len(ours[0]) == len(ours[1]) == 114
    assert ours == theirs


def said_by_program(text, folder):
    """What a program prints under the launcher."""
    path = folder / 'program.py'
    path.write_text(text, encoding='utf-8')
    status, out, err = launch(str(path), home=folder, cwd=folder, backend='tensorflow')
    assert status == 0, err
    return out


def test_calls_of_one_batch_make_no_pipeline(tmp_path):
    """One row takes the short way; what is more than a batch takes that of tf_keras."""
    assert said_by_program(WAY, tmp_path) == '0 True\n'


def test_determinism_without_a_seed(tmp_path):
    """What draws nothing runs, and a shuffle is refused with the words of TensorFlow."""
    out = said_by_program(DETERMINISM, tmp_path)
    assert out == 'Random ops require a seed to be set when determinism is enabled\n'
