"""What docs/architecture.md says under "A cure", "A layer of model files" and "A format of files", done on a copy."""

import json
import os

import numpy as np
from changed_copy import changed_copy, passes, succeeds, text
from checkout import ROOT

PROGRAMS = 'keras_backend/programs/launcher/'

CURE = '''

def messages(numpy: ModuleType) -> str:
    """Give back `np.disp`, which writes a line. NumPy 2.0 removed it."""
    return give(numpy, {'disp': disp})


def disp(mesg: Any, device: Any = None, linefeed: bool = True) -> None:
    """`numpy.disp`: write a message to the terminal, or to a file."""
    print(mesg, file=device, end='\\n' if linefeed else '', flush=True)
'''
PROGRAM = '''"""What NumPy 2.0 took away: a function that writes a line."""
import io

import numpy as np

lines = io.StringIO()
np.disp('loss 0.5', device=lines)
np.disp('acc 0.9', lines, linefeed=False)
assert lines.getvalue() == 'loss 0.5\\nacc 0.9', lines.getvalue()
print('cured')
'''
BEFORE_ROW = '"programs": "nearly all: np.float, np.int, np.bool, np.product ..."},\n'
ROW = '  {"modules": ["numpy"], "cure": "numpy_cures.messages", "programs": "np.disp(loss)"},\n'
# (file of the copy, the text before the new one or None for its end, the new text)
CURES = [
    (PROGRAMS + 'libraries/numpy_cures.py', None, CURE),
    (PROGRAMS + 'libraries/cures.json', BEFORE_ROW, ROW),
    ('tests/clients/cures/lines_by_numpy.py', None, PROGRAM),
    ('docs/legacy-keras.md', '`np.float`, `np.asscalar`, ', '`np.disp`, '),
]
# The name that no cure gave back before, and nothing.
GONE = (PROGRAMS + 'check/libraries.json', '"numpy.disp": "print",', '')
# As the launcher of Keras 2 does with the cures of libraries.
LAUNCHED = """
import runpy
from keras_backend.programs.launcher.cures import explanation
from keras_backend.programs.launcher.libraries import cures
cures.watch(cures.CURES)
runpy.run_path('tests/clients/cures/lines_by_numpy.py')
print(explanation('cures', cures.CURES))
"""

FILES = 'keras_backend/files/layers/'
LAYER = '''

def integer_lookup(use: Use) -> Any:
    """The place of a whole number in a vocabulary, from 1 on, and 0 for a number that is not in it."""
    K, config = use.K, use.config
    for entry, usual in [('num_oov_indices', 1), ('mask_token', None), ('invert', False), ('output_mode', 'int')]:
        if config.get(entry, usual) != usual:
            raise use.error(f'has {entry}={config[entry]}, which is not done here')
    size = len(config['vocabulary'])
    same = K.equal(K.expand_dims(K.cast(use.x, 'int32')), K.constant(config['vocabulary'], dtype='int32'))
    return K.sum(K.cast(same, 'int32') * K.constant(range(1, size + 1), dtype='int32'), axis=-1)
'''
CASE = "    ('IntegerLookup', dict(vocabulary=[1, 3, 4]), ['i5 4']),\n"
ENTRIES = """    'idf_weights mask_token max_tokens num_oov_indices oov_token pad_to_max_tokens vocabulary '
    'vocabulary_dtype vocabulary_size '
"""
LAYERS = [
    (FILES + 'core.py', None, LAYER),
    (
        FILES + 'table.py',
        "    'Rescaling': Kind(core.rescaling, merge.ended_in_tf_keras),\n",
        "    'IntegerLookup': Kind(core.integer_lookup, merge.ended_in_tf_keras),\n",
    ),
    (FILES + 'parameters.py', '_READ = frozenset(\n', ENTRIES),
    ('tests/files/layer_cases_of_tf_keras.py', "    ('Rescaling', dict(scale=[0.5, 2.0]), ['i9 3 2']),\n", CASE),
]
# What `record_layers.py tf.keras` writes for the case, with TensorFlow 2.15.
_INPUT = {'batch_input_shape': [None, 4], 'dtype': 'int32', 'sparse': False, 'ragged': False, 'name': 'input_1'}
_LOOKUP = {
    'name': 'integer_lookup',
    'trainable': True,
    'dtype': 'int64',
    'invert': False,
    'max_tokens': None,
    'num_oov_indices': 1,
    'oov_token': -1,
    'mask_token': None,
    'output_mode': 'int',
    'sparse': False,
    'pad_to_max_tokens': False,
    'vocabulary_dtype': 'int64',
    'idf_weights': None,
    'vocabulary': [1, 3, 4],
    'vocabulary_size': 4,
}
RECORD = {
    'name': 'IntegerLookup vocabulary=[1, 3, 4] i5 4',
    'config': {
        'name': 'model',
        'trainable': True,
        'layers': [
            {'class_name': 'InputLayer', 'config': _INPUT, 'name': 'input_1', 'inbound_nodes': []},
            {
                'class_name': 'IntegerLookup',
                'config': _LOOKUP,
                'name': 'integer_lookup',
                'inbound_nodes': [[['input_1', 0, 0, {}]]],
            },
        ],
        'input_layers': [['input_1', 0, 0]],
        'output_layers': [['integer_lookup', 0, 0]],
    },
    'inputs': ['i5 4'],
    'weights': [[], []],
    'times': 1,
}
PREDICTED = [[0, 1, 2, 2], [3, 0, 0, 2], [0, 0, 3, 0]]

EXPORTING = 'keras_backend/exporting/'
FORMAT = '''"""The format steps: the primitives of a function in order, as JSON. The kernels of NumPy run it."""

import json
from typing import Any, Dict, List

import numpy as np

from ..errors import ExportError
from ..graph.run.failures import said
from ..graph.run.lowering import lowered
from ..graph.run.statements import Compute
from ..kernels import PRIMITIVES
from .request import Exported, Options, Run


def write(exported: Exported, path: str, options: Options) -> List[str]:
    """Write the file; returns what its reader has to know."""
    lowering = lowered(exported.program, exported.kernels)
    if exported.draws or any([x.sparse for x in [*exported.inputs, *exported.variables]]):
        raise ExportError(f'K.function: {exported.name} draws at random or is sparse, and steps are neither.')
    steps = []
    for statement in lowering.top.statements:
        if not isinstance(statement, Compute):
            raise ExportError(f'K.function: {exported.name} has a loop or a choice, and a file of steps has none.')
        node = statement.node
        if node.results or not node.op.has_kernel or any([isinstance(a, np.ndarray) for a in node.attrs.values()]):
            who, name = said(node)
            raise ExportError(f'{who}: steps cannot say {name}.', who)
        steps.append([statement.makes[0], node.op.name, list(statement.arguments), node.attrs])
    held = {name: exported.array(data) for name, data in lowering.constants.items()}
    inputs = dict(zip(exported.input_names, lowering.inputs))
    names = {variable.id: name for name, variable in zip(exported.variable_names, exported.variables)}
    for name, variable in lowering.variables.items():
        inputs[names[variable.id]] = name
    held.update(
        (inputs.pop(name), value)
        for name, value in zip(exported.variable_names, exported.values)
        if name not in exported.fed_names and name in inputs
    )
    constants = {name: [str(value.dtype), np.shape(value), value.tolist()] for name, value in held.items()}
    results = [result.name for result in lowering.results]
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'inputs': inputs, 'constants': constants, 'steps': steps, 'results': results}, file)
    return []


def load(path: str) -> Run:
    """The function that runs a file many times."""
    with open(path, encoding='utf-8') as file:
        program = json.load(file)
    constants = {
        name: np.array(value, dtype).reshape(shape) for name, (dtype, shape, value) in program['constants'].items()
    }

    def run_once(fed: Dict[str, np.ndarray]) -> List[np.ndarray]:
        values: Dict[str, Any] = dict(constants)
        values.update((local, fed[name]) for name, local in program['inputs'].items())
        with np.errstate(all='ignore'):
            for makes, primitive, arguments, attributes in program['steps']:
                operands = [values[name] for name in arguments]
                values[makes] = PRIMITIVES[primitive](*operands, **_tuples(attributes))
        return [np.array(values[name]) for name in program['results']]

    return run_once


def _tuples(value: Any) -> Any:
    """The lists of JSON as the tuples that attributes are."""
    if isinstance(value, dict):
        return {name: _tuples(entry) for name, entry in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
'''
TESTS_OF_FORMAT = '''"""Files of steps."""

import numpy as np
import pytest

import keras_backend as K
from keras_backend.errors import ExportError
from keras_backend.exporting.steps import load


def test_a_file_of_steps(tmp_path):
    """The file gives what K gives, and the report says so."""
    x, w = K.placeholder((None, 3), name='x'), K.variable(np.eye(3))
    report = K.export(K.function([x], [K.softmax(K.dot(x, w))]), tmp_path / 'f.steps')
    assert (report.format, report.inputs) == ('steps', ['x'])
    (got,) = load(str(tmp_path / 'f.steps'))({'x': np.zeros((2, 3), 'float32')})
    np.testing.assert_allclose(got, 1 / 3, rtol=1e-6)


def test_what_steps_cannot_say(tmp_path):
    x = K.placeholder((None, 3))
    with pytest.raises(ExportError, match='draws at random'):
        K.export(K.function([x], [x + K.random_normal((3,))]), tmp_path / 'f.steps')
    assert not (tmp_path / 'f.steps').exists()
'''
FORMATS = [
    (EXPORTING + 'steps.py', None, FORMAT),
    (
        EXPORTING + 'export.py',
        'FORMATS: Dict[str, Format] = {\n',
        "    'steps': Format('steps', ('.steps',), (), (), ''),\n",
    ),
    (
        EXPORTING + 'export.py',
        'Where the file goes. Its ending tells the format: .onnx; .mlir or .stablehlo; .pt2; ',
        '.steps; ',
    ),
    (EXPORTING + 'export.py', "        'onnx', 'stablehlo', 'torch_export'", ", 'steps'"),
    (EXPORTING + 'checking.py', "its format: 'onnx', 'stablehlo', 'torch_export'", ", 'steps'"),
    ('docs/export.md', '| `.pt2` | torch.export | PyTorch | `torch` |\n', '| `.steps` | steps | NumPy | |\n'),
    ('tools/make_export_page.py', "[('onnx', 'ONNX'), ", "('steps', 'steps'), "),
    ('tests/exporting/test_steps_files.py', None, TESTS_OF_FORMAT),
]


def named_by_the_page(title, changes):
    """Each file that is changed here is named by the page, by the word for its topic at least."""
    page = text(os.path.join(ROOT, 'docs', 'architecture.md')).partition(f'**{title}**')[2]
    page = page.partition('\n**')[0].partition('\n## ')[0]
    assert page, title
    for name in {change[0] for change in changes}:
        short = name.replace('keras_backend/', '', 1) if name.startswith('keras_backend/') else name
        spellings = {short}
        for word, topic in (
            ('numpy', '<library>'),
            ('core', '<topic>'),
            ('steps', '<format>'),
            ('lines_by', '<topic>'),
        ):
            spellings.add(short.replace(word, topic))
        spellings.add('tests/clients/cures/<topic>.py' if 'clients' in short else short)
        assert any(f'`{spelling}`' in page for spelling in spellings), short


def test_the_page_names_the_files_of_wings():
    named_by_the_page('A cure', [*CURES, GONE])
    named_by_the_page('A layer of model files', LAYERS)
    named_by_the_page('A format of files', FORMATS)


def test_a_cure_by_the_page(tmp_path):
    """A program that needs the cure runs, `--explain` names it, and `--check` no longer complains of it."""
    root = changed_copy(str(tmp_path / 'copy'), CURES)
    name, gone, instead = GONE
    rules = text(os.path.join(root, name))
    assert rules.count(gone) == 1
    with open(os.path.join(root, name), 'w', encoding='utf-8') as file:
        file.write(rules.replace(gone, instead))
    said = succeeds(root, '-W', 'ignore', '-c', LAUNCHED)
    assert 'cured' in said
    assert 'numpy.messages: Give back `np.disp`' in said
    passes(root, 'pytest', '-q', 'tests/keras2_check/test_check_rules.py', 'tests/package/test_house.py')


def test_a_layer_by_the_page(tmp_path):
    """A model of a file with the layer predicts what tf.keras predicts."""
    root = changed_copy(str(tmp_path / 'copy'), LAYERS)
    path = os.path.join(root, 'tests', 'files', 'layers_of_tf_keras.npz')
    with np.load(path) as data:
        arrays = {name: data[name] for name in data.files}
    cases = json.loads(arrays.pop('cases').tobytes().decode())
    arrays[f'{len(cases)}_0'] = np.array(PREDICTED, 'int64')
    cases.append(RECORD)
    np.savez_compressed(path, cases=np.frombuffer(json.dumps(cases).encode(), 'uint8'), **arrays)
    passes(root, 'pytest', '-q', '-k', 'IntegerLookup or every_kind', 'tests/files/test_layers_with_k.py')
    passes(root, 'pytest', '-q', 'tests/files/test_entries.py', 'tests/package/test_house.py')


def test_a_format_by_the_page(tmp_path):
    """Functions run as files of the format, by its own tests and by the conformance tests."""
    root = changed_copy(str(tmp_path / 'copy'), FORMATS)
    passes(root, 'pytest', '-q', 'tests/exporting/test_steps_files.py', KERAS_BACKEND='numpy')
    passes(root, 'keras_backend', 'check', 'numpy', '--through', 'steps', '-k', 'test_elementwise or test_linalg')
    passes(root, 'pytest', '-q', 'tests/package/test_house.py', 'tests/package/test_line.py')
