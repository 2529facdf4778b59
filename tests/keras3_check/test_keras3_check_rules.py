"""The rules of `python -m keras_backend.keras3 --check`: each is told for a line that breaks it, and for that alone."""

import pytest

from keras_backend.programs.launcher.check.rules import DIFFERS, NOTE, OF_ALL_PROGRAMS, STOPS
from keras_backend.programs.on_keras3.check import rules
from keras_backend.programs.on_keras3.check.program import check

K = 'from tensorflow.keras import backend as K\n'
TF = 'import tensorflow as tf\n'
# For each rule: a program, the line that breaks the rule, and how severe that is.
SEEN = {
    'gone-from-keras': ('from tensorflow.keras.layers import Dense, DenseFeatures\n', 1, STOPS),
    'of-tf-keras': ('from keras.preprocessing.text import Tokenizer\n', 1, STOPS),
    'no-name-of-k': (K + 'K.clear_session()\nK.get_graph()\n', 3, STOPS),
    'accuracy-key': (TF + "m.compile(metrics=['accuracy'])\nh.history['val_acc']\n", 3, STOPS),
    'removed-idiom': (K + 'text = model.to_yaml()\n', 2, STOPS),
    'function-of-variables': (K + 'f = K.function([x], [K.sum(v)])\ng = K.function([], [K.sum(v)])\n', 3, STOPS),
    'in-place': (K + 'def loss(y, p):\n    p *= K.sum(y)\n    return p\nx = 1\nx *= K.sum(x)\n', 6, DIFFERS),
    'lambda-in-file': (
        TF + 'layer = tf.keras.layers.Lambda(lambda x: x + 1)\nm = tf.keras.models.load_model("m.keras")\n',
        2,
        NOTE,
    ),
    'tf-of-graphs': (TF + 'v = tf.compat.v1.train.Saver([a])\nx = tf.placeholder(tf.float32)\n', 3, STOPS),
    'tf-moved': (TF + 'x = tf.constant(2.)\ny = tf.log(x)\n', 3, STOPS),
    'session': (TF + 's = tf.compat.v1.Session()\n', 2, NOTE),
    'tape': (TF + 'with tf.GradientTape() as tape:\n    pass\n', 2, STOPS),
    'tf-function': (TF + 'x = tf.constant(1)\ny = tf.reduce_sum(x)\n', 3, STOPS),
    'tensorflow-addons': ('import tensorflow_addons as tfa\n', 1, STOPS),
}


def found(folder, text, backend='torch'):
    """(rule, line, severity) of what --check finds in a program."""
    path = folder / 'program.py'
    path.write_text(text)
    return [(one.rule, one.line, one.severity) for one in check(str(path), backend).findings]


@pytest.fixture(autouse=True)
def _nothing_given(monkeypatch):
    """The rules about functions of TensorFlow, as where the launcher gives none of them."""
    monkeypatch.setattr(rules, '_given', frozenset)


@pytest.mark.parametrize('rule', sorted(SEEN))
def test_rule_of_keras_3(rule, tmp_path):
    """A few lines break one rule, once."""
    text, line, severity = SEEN[rule]
    # PyTorch records what a tape asks for, and JAX has tensors that cannot be changed in place.
    assert [(rule, line, severity)] == found(tmp_path, text, 'jax' if rule == 'tape' else 'torch')


def test_accuracy_in_two_files(tmp_path):
    """The model is compiled in one file, and its history read in another."""
    text = "import tensorflow as tf\ndef make(m):\n    m.compile(metrics=['accuracy'])\n"
    (tmp_path / 'model.py').write_text(text)
    program = 'from model import make\nh = make(m).fit(x)\n'
    assert [] == found(tmp_path, program + "h.history['accuracy'], h.history['acc']\n")
    assert [('accuracy-key', 3, STOPS)] == found(tmp_path, program + "h.history['acc']\n")


def test_every_rule_of_keras_3_has_an_example():
    """No rule is without an example, and none has the name of a rule for all programs."""
    names = {rule.name for rule in rules.RULES}
    assert names == set(SEEN)
    assert not names & {rule.name for rule in OF_ALL_PROGRAMS}


def test_rules_of_a_backend(tmp_path):
    """What TensorFlow takes is no finding there, and operators in place are one on PyTorch alone."""
    assert [] == found(tmp_path, SEEN['tape'][0] + SEEN['tf-function'][0], 'tensorflow')
    assert [] == found(tmp_path, SEEN['in-place'][0], 'jax')
    assert [('tape', 2, STOPS)] == found(tmp_path, SEEN['tape'][0], 'jax')


def test_functions_of_a_pipeline(tmp_path):
    """A function of TensorFlow in a program with a tf.data pipeline may belong to it."""
    text = TF + 'data = tf.data.Dataset.range(3).map(lambda x: tf.cast(x, "float32"))\n'
    assert [('tf-function', 2, NOTE)] == found(tmp_path, text, 'jax')


def test_session_that_runs(tmp_path):
    """A session that runs something stops the program; a guarded one does not."""
    text = 'import tensorflow.compat.v1 as tf\nwith tf.Session() as s:\n    s.run(x)\n'
    assert [('session', 2, STOPS)] == found(tmp_path, text)
    text = TF + 'try:\n    s = tf.Session()\nexcept AttributeError:\n    s = None\n'
    assert [] == found(tmp_path, text)


def test_what_is_cured_is_no_finding(tmp_path):
    """Idioms that the launcher gives back, and names of other libraries that it gives back."""
    text = (
        'import numpy as np\nimport tensorflow as tf\nfrom keras.layers.core import Dense\n'
        'from keras.utils import np_utils\nfrom tensorflow.keras import backend as K\n'
        'from tensorflow.python.keras.layers import Dense\nfrom tensorflow.python.keras.utils import tf_utils\n'
        'from keras.layers import CuDNNLSTM\nfrom sklearn.externals import joblib\n'
        'tf.compat.v1.disable_eager_execution()\nx = np.zeros(3, np.float).astype(np.bool)\n'
        'opt = tf.keras.optimizers.Adam(lr=.1, decay=1e-6)\nmodel.fit_generator(g, workers=4)\n'
        'model.predict_classes(x)\nm.train_on_batch(x, y, reset_metrics=False)\nmodel.add_metric(x, name="x")\n'
        'from keras.utils import multi_gpu_model\na = tf.keras.experimental.LinearModel()\n'
        'o = tf.keras.optimizers.legacy.Adam(lr=1e-3)\nn = x.shape.as_list()\nK.set_value(model.optimizer.lr, .1)\n'
        'grads = K.gradients(loss, model.input)\n'
    )
    for backend in 'tensorflow', 'jax', 'torch':
        assert [] == found(tmp_path, text, backend)


def test_functions_of_tensorflow_that_the_launcher_gives(tmp_path, monkeypatch):
    """A function that takes tensors of every backend under the launcher is no finding."""
    monkeypatch.setattr(rules, '_given', lambda: frozenset(['reduce_sum', 'GradientTape']))
    assert [] == found(tmp_path, SEEN['tf-function'][0], 'jax')
    # The launcher gives the tape on JAX, too, where its gradients are an error.
    assert [('tape', 2, STOPS)] == found(tmp_path, SEEN['tape'][0], 'jax')
    assert [] == found(tmp_path, SEEN['tape'][0], 'torch')
    assert [('tf-function', 2, STOPS)] == found(tmp_path, TF + 'y = tf.reduce_mean(x)\n', 'jax')
