"""Programs of 2019 to 2023 on TensorFlow by the package tf_keras, under the launcher: the recorded numbers."""

import functools
import importlib.util
import operator

import pytest
from keras3_backends import launch
from program_records import differences, headers, programs, recorded, result

from ..keras3.record_tf_keras import FOLDER, KEYS, RECORD, path_of

if importlib.util.find_spec('tf_keras') is None:
    pytest.skip('tf_keras is not installed', allow_module_level=True)

# Records of tf_keras have the optimizers and the losses of this TensorFlow, but for programs of graphs. Those of
# tf.keras 2.10 itself have those that the launcher takes without an option.
RECORDED_WITH = '2.15'
OF_2_10 = 'tf.keras 2.10'
# A program with the line `# on tf_keras: no` ends with an error there, as it does on tf_keras alone. Other words name
# values, as `name/name`, which tf_keras has changed since the record; the program says why.
WAY = 'on tf_keras'


@pytest.mark.parametrize('name', programs(FOLDER))
def test_recorded_program_on_tf_keras(name, tmp_path):
    """A program ends well, and its numbers are those that were recorded with tf_keras alone."""
    said = headers(path_of(name), (*KEYS, WAY))
    (writer,) = recorded(RECORD).get(name, {'': None})
    is_plain = said.get('original') in (['graph'], ['no']) or writer.startswith(OF_2_10)
    options = [] if is_plain else ['--as', RECORDED_WITH]
    folder = tmp_path / 'folder'
    folder.mkdir()
    status, out, err = launch(*options, path_of(name), backend='tensorflow', home=tmp_path / 'home', cwd=folder)
    if said.get(WAY) == ['no']:
        assert status == 1 and 'Error: ' in err, out + err
        return
    assert status == 0, out + err
    found = result(out)
    assert found, 'a result without numbers'
    if said.get('original') != ['no']:
        (expected,) = recorded(RECORD)[name].values()
        for path in said.get(WAY, []):
            for values in (found, expected):
                *names, last = path.split('/')
                del functools.reduce(operator.getitem, names, values)[last]
        assert [] == differences(found, expected)
