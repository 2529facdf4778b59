"""Programs of tf.keras with the patch of `python -m keras_backend migrate`, inside Keras 3 on JAX and PyTorch."""

import pytest
from keras3_backends import INSIDE, launch
from program_records import differences, headers, recorded, result

from keras_backend.programs.migrate.plan import plan

from .record_tf_keras import KEYS, RECORD, path_of

# A program, and the rules of its patch.
PROGRAMS = {
    'mixup_generators': {'learning-rate', 'generator'},
    'seq2seq_transformer_masks': {'tf-in-lambda'},
    'rates_beside_decay': {'learning-rate'},
}
RUNS = [(name, one) for name in PROGRAMS for one in headers(path_of(name), KEYS).get('backends', INSIDE)]


@pytest.mark.parametrize(('name', 'backend'), [run for run in RUNS if run[1] in INSIDE])
def test_migrated_on_keras_3(name, backend, tmp_path):
    """The patched program gives the numbers of tf_keras."""
    found = plan(path_of(name), 'keras3')
    assert PROGRAMS[name] == {one.rule for one in found.changes}
    path = tmp_path / (name + '.py')
    path.write_bytes(found.files[0].new)
    status, out, err = launch(path, backend=backend, home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, out + err
    (expected,) = recorded(RECORD)[name].values()
    assert [] == differences(result(out), expected)
