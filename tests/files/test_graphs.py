"""Graphs of TensorFlow compute with K what TensorFlow computes. `record_graphs.py` wrote graphs.npz."""

import json
import os
import re

import numpy as np
import pytest

import keras_backend as K
from keras_backend import files
from keras_backend.__main__ import main
from keras_backend.commands import graph as command
from keras_backend.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ExcessiveFileError,
    KerasBackendError,
    LayerConfigError,
    UnknownLayerError,
    UnreadableFileError,
)

DATA = np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'graphs.npz'))
GRAPHS = [name[: -len('/graph')] for name in DATA.files if name.endswith('/graph')]


def arrays(case, kind):
    """The inputs ('in') or outputs ('out') of a case, by the names of nodes."""
    start = f'{case}/{kind}/'
    return {name[len(start) :]: DATA[name] for name in DATA.files if name.startswith(start)}


def written(case, folder):
    """The path of the graph of a case."""
    path = folder / 'frozen.pb'
    path.write_bytes(DATA[f'{case}/graph'].tobytes())
    return str(path)


@pytest.mark.parametrize('case', GRAPHS)
def test_graph_as_tensorflow_computes_it(case, tmp_path):
    inputs, outputs = arrays(case, 'in'), arrays(case, 'out')
    function = files.function(written(case, tmp_path), inputs=list(inputs), outputs=list(outputs))
    results = function(*inputs.values())
    results = results if isinstance(results, list) else [results]
    for result, (name, expected) in zip(results, outputs.items()):
        assert result.shape == expected.shape, name
        np.testing.assert_allclose(result, expected, rtol=2e-5, atol=2e-6, err_msg=name)


FOLDERS = sorted({name.partition('/file/')[0] for name in DATA.files if '/file/' in name})


def saved(case, folder):
    """The path of the SavedModel of a case."""
    for name in DATA.files:
        if name.startswith(f'{case}/file/'):
            path = folder / name[len(f'{case}/file/') :]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(DATA[name].tobytes())
    return str(folder)


@pytest.mark.parametrize('case', FOLDERS)
def test_saved_model_of_a_class(case, tmp_path):
    inputs, outputs = arrays(case, 'in'), arrays(case, 'out')
    # A model of layers has names of its own, until one of them turns out to be a class of the program.
    named = {} if case.endswith('/layer') else {'inputs': list(inputs), 'outputs': list(outputs)}
    function = files.function(saved(case, tmp_path), **named)
    assert isinstance(function, files.GraphFunction)
    results = function(*inputs.values())
    results = results if isinstance(results, list) else [results]
    for result, (name, expected) in zip(results, outputs.items()):
        assert result.shape == expected.shape, name
        np.testing.assert_allclose(result, expected, rtol=2e-5, atol=2e-6, err_msg=name)


# -- graphs that nobody wrote with TensorFlow --------------------------------------------------------------------------
def varint(number):
    """A number of a message, seven bits a byte."""
    number %= 2**64
    content = bytearray()
    while True:
        content.append(number & 127 | (128 if number > 127 else 0))
        number >>= 7
        if not number:
            return bytes(content)


def field(number, value):
    """A field of a message: a number, a text, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(content)) + content


def node(name, op, *inputs, **attributes):
    """A node of a graph. attributes: messages."""
    entries = [field(5, field(1, key) + field(2, value)) for key, value in attributes.items()]
    return b''.join([field(1, name), field(2, op), *[field(3, other) for other in inputs], *entries])


FLOAT, INT, BOOL = field(6, 1), field(6, 3), field(6, 10)


def sizes(*numbers):
    """The message of a shape."""
    return b''.join([field(2, field(1, number)) for number in numbers])


def constant(name, values, dtype='int32', shape=None):
    """A node with an array. shape: another one than it has."""
    array = np.asarray(values, dtype)
    number = {'int32': 3, 'float32': 1, 'bool': 10}[dtype]
    tensor = field(1, number) + field(2, sizes(*(array.shape if shape is None else shape)))
    return node(name, 'Const', value=field(8, tensor + field(4, array.tobytes())), dtype=field(6, number))


def placeholder(*shape):
    """The node `x`, an input."""
    return node('x', 'Placeholder', dtype=FLOAT, shape=field(7, sizes(*shape)))


def graph(folder, *nodes, functions=()):
    """The path of a file with these nodes."""
    library = field(2, b''.join([field(1, function) for function in functions]))
    path = folder / 'made.pb'
    path.write_bytes(b''.join([field(1, entry) for entry in nodes]) + library)
    return str(path)


def of_library(name, result, *nodes, argument='a'):
    """A function of one argument and one result."""
    signature = field(1, name) + field(2, field(1, argument)) + field(3, field(1, 'r'))
    return field(1, signature) + field(4, field(1, 'r') + field(2, result)) + b''.join([field(3, n) for n in nodes])


def call(name, function, value):
    """A node that calls a function."""
    return node(name, 'PartitionedCall', value, f=field(10, field(1, function)))


def test_graph_made_by_hand(tmp_path):
    path = graph(tmp_path, placeholder(-1, 2), constant('c', [1, 2], 'float32'), node('y', 'Add', 'x', 'c', T=FLOAT))
    function = files.function(path)
    assert (['x'], ['y']) == (function.input_names, function.output_names)
    assert [[1.0, 2.0]] == function(np.zeros((1, 2))).tolist()
    assert (40, 2) == function.predict(np.zeros((40, 2))).shape
    assert [[3.0, 4.0]] == files.function(path, outputs=['x'])(np.float32([[3, 4]])).tolist()


def test_sizes_of_arrays_where_the_graph_has_none(tmp_path):
    nodes = [
        node('s', 'Shape', 'x'),
        constant('one', 1),
        node('y', 'GatherV2', 's', 'one', 'zero'),
        constant('zero', 0),
    ]
    loose = node('x', 'Placeholder', dtype=FLOAT)
    function = files.function(graph(tmp_path, loose, *nodes), outputs=['s', 'y'])
    assert ([], []) == (function.inputs, function.outputs)
    for shape in ((2, 3), (4, 5), (2, 3)):
        assert [list(shape), shape[1]] == [np.asarray(result).tolist() for result in function(np.zeros(shape))]
    with pytest.raises(ArgumentValueError, match='inputs={NAME'):
        _ = function.k_function
    fixed = files.function(graph(tmp_path, loose, *nodes), inputs={'x': K.placeholder((2, 7))}, outputs=['y'])
    assert [7] == [int(result) for result in fixed.k_function([np.zeros((2, 7))])]


def test_operation_without_a_meaning_is_named(tmp_path):
    path = graph(tmp_path, placeholder(-1, 2), node('strange', 'Betainc', 'x'), node('y', 'Neg', 'strange', T=FLOAT))
    with pytest.raises(UnknownLayerError, match='The node strange of .*made.pb is the operation Betainc') as caught:
        files.function(path)
    assert ('strange', 'Betainc') == (caught.value.layer, caught.value.kind)


def test_what_no_result_needs_is_not_computed(tmp_path):
    training = node('t', 'Betainc', 'x')
    choice = [constant('phase', False, 'bool'), node('s', 'Switch', 't', 'phase'), node('n', 'Switch', 'x', 'phase')]
    path = graph(tmp_path, placeholder(-1), training, *choice, node('y', 'Merge', 's:1', 'n'))
    assert [5.0] == files.function(path)(np.float32([5])).tolist()


def test_variables_that_are_not_frozen(tmp_path):
    path = graph(tmp_path, placeholder(-1), node('w', 'VariableV2'), node('y', 'Mul', 'x', 'w', T=FLOAT))
    with pytest.raises(LayerConfigError, match='The node w .VariableV2. is a variable.*Freeze the graph'):
        files.function(path)


def test_names_of_nodes(tmp_path):
    path = graph(tmp_path, placeholder(-1), node('y', 'Neg', 'x', T=FLOAT))
    assert [-1.0] == files.function(path, inputs=['x:0'], outputs=['y:0'])(np.float32([1])).tolist()
    with pytest.raises(ArgumentValueError, match='no node z. Its inputs are x, and its outputs y'):
        files.function(path, outputs=['z'])
    with pytest.raises(ArgumentTypeError, match='names of its nodes'):
        files.function(path, inputs=[K.placeholder((2,))])
    with pytest.raises(ArgumentTypeError, match='1 inputs'):
        files.function(path)(1, 2)
    with pytest.raises(UnreadableFileError, match='is a graph of TensorFlow, which has no layers'):
        files.read(path)
    with pytest.raises(ArgumentTypeError, match='are for graphs'):
        files.function('model.h5', outputs=['y'])


def test_long_graphs(tmp_path):
    chain = [node(f'n{i}', 'Identity', f'n{i - 1}' if i else 'x') for i in range(20000)]
    assert [2.0] == files.function(graph(tmp_path, placeholder(-1), *reversed(chain)))(np.float32([2])).tolist()


LOOP = of_library('again', 'a', constant('c', 1))
FOREVER = of_library('forever', 'c:output:0', constant('c', True, 'bool'))
TWICE = [
    of_library(f'f{i}', 'v:output:0', call('u', f'f{i + 1}', 'a'), call('v', f'f{i + 1}', 'u:output:0'))
    for i in range(60)
]
DOUBLED = [node(f'd{i + 1}', 'ConcatV2', f'd{i}', f'd{i}', 'zero', T=FLOAT) for i in range(60)]
HOSTILE = {
    'cycle': ([node('a', 'Neg', 'b'), node('b', 'Neg', 'a'), node('y', 'Neg', 'b')], LayerConfigError, 'its own'),
    'missing': ([node('y', 'Neg', 'gone')], UnreadableFileError, 'no node gone'),
    'output': ([node('y', 'Neg', 'x:7', T=FLOAT)], UnreadableFileError, 'names the output x:7'),
    'tensor': ([node('y', 'Neg', 'x:a:b:c', T=FLOAT)], UnreadableFileError, 'which is none'),
    'twice': ([constant('c', 1), constant('c', 2)], UnreadableFileError, 'two nodes with the name c'),
    'huge': ([node('c', 'Const', value=field(8, field(1, 1) + field(2, sizes(2**20, 2**20)))), node('y', 'Neg', 'c')],
             ExcessiveFileError, 'bytes of arrays'),
    'short': ([constant('c', [1, 2], shape=(3,)), node('y', 'Neg', 'c', T=INT)], UnreadableFileError, '8 bytes'),
    'texts': ([node('c', 'Const', value=field(8, field(1, 7))), node('y', 'Neg', 'c')], UnreadableFileError, 'string'),
    'fill': ([constant('n', [2**30, 2**30]), constant('c', 1), node('y', 'Fill', 'n', 'c')], ExcessiveFileError, '(y)'),
    'range': ([constant('a', 0), constant('n', 2**30), constant('c', 1), node('y', 'Range', 'a', 'n', 'c', Tidx=INT)],
              ExcessiveFileError, '(y)'),
    'tile': ([constant('n', [2**30]), node('y', 'Tile', 'x', 'n')], LayerConfigError, 'repeats a tensor'),
    'depth': ([constant('i', [1]), constant('n', 2**30), node('y', 'OneHot', 'i', 'n', 'x', 'x', T=FLOAT)],
              ExcessiveFileError, '(y)'),
    'reserve': ([constant('n', 2**30), node('r', 'TensorListReserve', 'n', 'n'), node('y', 'TensorListLength', 'r')],
                ExcessiveFileError, 'entries'),
    'growth': ([constant('zero', 0), node('d0', 'Identity', 'x'), *DOUBLED], LayerConfigError, 'elements for each row'),
    'itself': ([call('y', 'me', 'x')], UnreadableFileError, 'more than 100 deep'),
    'twice each': ([call('y', 'f0', 'x')], ExcessiveFileError, 'calls'),
    'endless': ([node('y', 'While', 'x', cond=field(10, field(1, 'forever')), body=field(10, field(1, 'again')))],
                ExcessiveFileError, 'calls'),
    'endless frame': ([
        node('e', 'Enter', 'x', frame_name=field(2, 'f')), node('m', 'Merge', 'e', 'n'), constant('t', True, 'bool'),
        node('l', 'LoopCond', 't'), node('s', 'Switch', 'm', 'l'), node('n', 'NextIteration', 's:1'),
        node('y', 'Exit', 's'),
    ], ExcessiveFileError, 'calls'),
    'no function': ([call('y', 'gone', 'x')], LayerConfigError, 'calls the function gone'),
    'no list': ([constant('n', 1), node('y', 'TensorListStack', 'x', 'n')], LayerConfigError, 'no list of tensors'),
    'list as output': ([node('y', 'TensorListFromTensor', 'x')], LayerConfigError, 'makes no tensor'),
    'whole mean': ([node('i', 'Cast', 'x', DstT=INT), constant('a', 0), node('y', 'Mean', 'i', 'a', T=INT)],
                   LayerConfigError, 'mean of whole numbers'),
    'whole quotient': ([node('i', 'Cast', 'x', DstT=INT), node('y', 'Div', 'i', 'i', T=INT)],
                       LayerConfigError, 'quotient of whole numbers'),
    'dtype': ([node('y', 'Cast', 'x', DstT=field(6, 99))], LayerConfigError, 'Cast'),
}  # fmt: skip


@pytest.mark.parametrize('name', HOSTILE)
def test_hostile_graph(name, tmp_path):
    nodes, error, text = HOSTILE[name]
    functions = [LOOP, FOREVER, of_library('me', 'v:output:0', call('v', 'me', 'a')), *TWICE, of_library('f60', 'a')]
    path = graph(tmp_path, placeholder(2), *nodes, functions=functions)
    with pytest.raises(error, match=re.escape(text) if '(' in text else text):
        files.function(path, inputs=['x'])


def test_bytes_that_are_no_graph(tmp_path):
    path = tmp_path / 'a.pb'
    for content, text in ((b'', 'has no nodes'), (b'node {\n', 'graph as text'), (b'\x0f\x01', 'kind 7')):
        path.write_bytes(content)
        with pytest.raises(UnreadableFileError, match=text):
            files.function(str(path))
    folder = tmp_path / 'saved_model.pb'
    folder.write_bytes(b'\x08\x01')
    with pytest.raises(UnreadableFileError, match='Give its folder'):
        files.function(str(folder))


def test_damaged_graphs_end_in_an_error_of_ours(tmp_path):
    draw, path = np.random.RandomState(3), tmp_path / 'damaged.pb'
    kinds = set()
    for _ in range(300):
        content = bytearray(DATA[f'{GRAPHS[draw.randint(len(GRAPHS))]}/graph'].tobytes())
        for place in draw.randint(len(content), size=2):
            content[place] = draw.randint(256)
        path.write_bytes(bytes(content))
        try:
            files.function(str(path))
        except KerasBackendError as error:
            kinds.add(type(error))
    assert {UnreadableFileError, UnknownLayerError} <= kinds


# -- folders -----------------------------------------------------------------------------------------------------------
LOOP_FOLDER = 'classes_2.10/loop'


def test_names_of_a_signature(tmp_path):
    path = saved(LOOP_FOLDER, tmp_path)
    function = files.function(path)
    assert (['steps', 'x'], ['output_0']) == (sorted(function.input_names), function.output_names)
    assert ['scale'] == list(function.weights)
    with pytest.raises(ArgumentValueError, match='has no y, but'):
        files.function(path, outputs=['y'])
    with pytest.raises(ArgumentValueError, match='takes .*x.*, and inputs= has x'):
        files.function(path, inputs=['x'])
    with pytest.raises(ArgumentTypeError, match='by their names'):
        files.function(path, inputs=[K.placeholder((2, 3))])
    x, steps = K.placeholder((None, 3)), K.placeholder((), dtype='int32')
    given = files.function(path, inputs={'x': x, 'steps': steps})
    values = arrays(LOOP_FOLDER, 'in')
    expected = arrays(LOOP_FOLDER, 'out')['output_0']
    result = given.k_function([values[name] for name in given.input_names])[0]
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_command_predicts_with_a_folder(tmp_path, capsys):
    case = 'classes_2.15/images'
    path = saved(case, tmp_path / 'folder')
    (x,), (expected,) = arrays(case, 'in').values(), arrays(case, 'out').values()
    np.save(tmp_path / 'x.npy', x)
    assert 0 == main(['model', path])
    assert 'output output_1' in capsys.readouterr().out
    assert 0 == main(['model', path, '--predict', str(tmp_path / 'x.npy'), str(tmp_path / 'y.npy')])
    np.testing.assert_allclose(np.load(tmp_path / 'y.npy'), expected, rtol=1e-5, atol=1e-6)


def test_folder_with_parts_missing(tmp_path):
    path = saved(LOOP_FOLDER, tmp_path)
    graph = tmp_path / 'saved_model.pb'
    os.rename(tmp_path / 'variables', tmp_path / 'elsewhere')
    with pytest.raises(UnreadableFileError, match='The variable Variable.* has no value in the checkpoint'):
        files.function(path)
    os.rename(tmp_path / 'elsewhere', tmp_path / 'variables')
    assert 1 == len(files.function(path).outputs)
    graph.write_bytes(b'\x08\x01' + field(2, field(2, field(1, constant('c', 1)))))
    with pytest.raises(UnreadableFileError, match='without a signature'):
        files.function(path)


def test_damaged_folders_end_in_an_error_of_ours(tmp_path):
    path, draw = saved(LOOP_FOLDER, tmp_path), np.random.RandomState(4)
    names = ['saved_model.pb', 'variables/variables.index', 'variables/variables.data-00000-of-00001']
    whole = {name: (tmp_path / name).read_bytes() for name in names}
    kinds = set()
    for number in range(150):
        name = names[number % 5 % 3]
        content = bytearray(whole[name])
        for place in draw.randint(len(content), size=2):
            content[place] = draw.randint(256)
        (tmp_path / name).write_bytes(bytes(content))
        try:
            files.function(path)
        except KerasBackendError as error:
            kinds.add(type(error))
        (tmp_path / name).write_bytes(whole[name])
    assert UnreadableFileError in kinds


# -- the command -------------------------------------------------------------------------------------------------------
def test_command_shows_a_graph_and_predicts(tmp_path, capsys):
    case = 'keras/images'
    path, x, y = written(case, tmp_path), tmp_path / 'x.npy', tmp_path / 'y.npy'
    (inputs,), ((name, expected),) = arrays(case, 'in').values(), arrays(case, 'out').items()
    assert 0 == main(['model', path])
    lines = capsys.readouterr().out
    assert 'float32 (None, 8, 8, 3)' in lines
    assert f'output {name}' in lines
    np.save(x, inputs)
    assert 0 == main(['model', path, '--predict', str(x), str(y)])
    np.testing.assert_allclose(np.load(y), expected, rtol=1e-5, atol=1e-6)
    capsys.readouterr()
    assert 0 == main(['model', path, '--json'])
    assert [name] == json.loads(capsys.readouterr().out)['outputs']


def test_command_writes_a_graph(tmp_path, capsys):
    pytest.importorskip('onnx')
    pytest.importorskip('onnxruntime')
    path, new = written('keras/recurrent', tmp_path), str(tmp_path / 'new.onnx')
    assert 0 == main(['model', path, '--save', new])
    assert 'it differs from the K function by at most' in capsys.readouterr().out
    loose = written('keras/any_length', tmp_path)
    with pytest.raises(ArgumentValueError, match='Give --example FILE'):
        command.run(loose, None, new, False, print)
    np.save(tmp_path / 'x.npy', np.zeros((2, 4), 'float32'))
    assert 0 == main(['model', loose, '--save', new, '--example', str(tmp_path / 'x.npy')])
    with pytest.raises(ArgumentValueError, match='has no layers'):
        command.run(path, None, 'new.keras', False, print)


def test_command_says_what_stops_a_graph(tmp_path, capsys):
    path = graph(tmp_path, placeholder(-1), node('y', 'Betainc', 'x'))
    assert 1 == main(['model', path])
    assert 'is the operation Betainc of TensorFlow' in capsys.readouterr().out


# -- what an engine cannot compute -------------------------------------------------------------------------------------
def test_what_an_engine_cannot_compute_names_the_node(tmp_path):
    """The graph opens, because the size is known with an array alone. The message is ours on every engine."""
    nodes = [constant('s', [-1, 4]), node('r', 'Reshape', 'x', 's', T=FLOAT), node('y', 'Neg', 'r', T=FLOAT)]
    function = files.function(graph(tmp_path, placeholder(-1, 3), *nodes))
    assert (3, 4) == function(np.zeros((4, 3))).shape
    with pytest.raises(LayerConfigError, match=r'node r \(Reshape\) of .*made.pb cannot be computed.* \(1, 3\): ') as e:
        function(np.zeros((1, 3)))
    assert 'r' == e.value.layer


def test_inputs_of_a_type_that_is_none(tmp_path):
    path = graph(tmp_path, node('x', 'Placeholder', dtype=field(6, 61)), node('y', 'Neg', 'x', T=FLOAT))
    with pytest.raises(ArgumentValueError, match='The input x of .* is of the type type 61'):
        files.function(path)(np.zeros(3))


def test_places_that_a_tensor_has_not(tmp_path):
    """GatherNd takes no row in the place of one that is not there."""
    places = node('i', 'Placeholder', dtype=INT, shape=field(7, sizes(-1, 2)))
    taking = node('y', 'GatherNd', 'x', 'i', Tparams=FLOAT, Tindices=INT)
    function = files.function(graph(tmp_path, placeholder(-1, 3), places, taking))
    x = np.arange(6.0, dtype='float32').reshape(2, 3)
    values = dict(zip(function.input_names, [x, np.int32([[1, 2], [0, 1]])]))
    assert [5.0, 1.0] == function(list(values.values())).tolist()
    with pytest.raises(KerasBackendError):
        function([x, np.int32([[0, 4]])])
    known = graph(tmp_path, placeholder(-1, 3), constant('c', [[0, 3]]), node('y', 'GatherNd', 'x', 'c', Tparams=FLOAT))
    with pytest.raises(LayerConfigError, match='takes a place'):
        files.function(known)
