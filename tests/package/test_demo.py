"""`python -m keras_backend demo`: what it says, what it needs, and what it leaves alone."""

import functools
import importlib.util
import os
import re
import signal
import subprocess
import sys
import types

import numpy as np
import pytest
from processes import environment, python

from keras_backend import __main__ as entrance
from keras_backend import loader
from keras_backend.commands.demo import command, network, training
from keras_backend.commands.demo.training import digits, table
from keras_backend.comparison import on
from keras_backend.engines.table import ENGINES
from keras_backend.errors import EngineImportFailed

HAS_MATPLOTLIB = importlib.util.find_spec('matplotlib') is not None
EPOCH = re.compile(r'^epoch +(\d+)  loss (\d\.\d{4})  read right +([\d.]+) %  +[\d.]+ s$', re.MULTILINE)
NUMPY = on(loader.load('numpy'), network)


@pytest.fixture(scope='module')
def demo(tmp_path_factory):
    """(status, stdout, stderr, the folder, the home) of a demo where nothing was chosen; warnings are errors."""
    folder = tmp_path_factory.mktemp('demo')
    (folder / 'work').mkdir()
    told = python('-W', 'error', '-m', 'keras_backend', 'demo', home=folder / 'home', cwd=folder / 'work')
    return (*told, folder / 'work', folder / 'home')


def test_what_one_training_is_given(monkeypatch):
    """The picture is asked for, and each line is said."""
    said, shown = [], []
    monkeypatch.setattr(command, 'train', lambda namespace, seed, say: seed)
    monkeypatch.setattr(command, 'show', lambda outcome, picture, say: shown.append((outcome, picture)) or 1)
    assert command.run([], 7, 'a.png', said.append) == 1
    assert shown == [(7, 'a.png')]
    assert said[:2] == ['', 'Next']


@pytest.fixture
def outcome():
    """A training of one epoch on the NumPy engine."""
    return training.train(NUMPY, 'mlp', epochs=1, say=lambda line: None)


@pytest.mark.slow
def test_demo_learns(demo):
    """The loss falls, nearly all digits are read, and the table has each of them once."""
    status, out, err, _work, _home = demo
    assert (0, '') == (status, err)
    assert 'on NumPy.' in out.splitlines()[0]
    epochs, losses, accuracies = zip(*EPOCH.findall(out))
    assert [int(number) for number in epochs] == list(range(1, 13))
    assert float(losses[-1]) < 0.1 * float(losses[0])
    assert float(accuracies[-1]) > 95
    rows = re.findall(r'^(?:written|       ) (\d)((?: +(?:\d+|\.)){10})$', out, re.MULTILINE)
    matrix = np.array([[int(cell) for cell in cells.replace('.', '0').split()] for _digit, cells in rows])
    assert [str(digit) for digit in range(10)] == [digit for digit, _cells in rows]
    assert f'{matrix.trace()} of {matrix.sum()} digits are read right.' in out
    assert (359, accuracies[-1]) == (matrix.sum(), f'{100 * matrix.trace() / 359:.1f}')


@pytest.mark.slow
def test_demo_says_what_to_type_next(demo):
    """The last lines have commands."""
    out = demo[1].partition('\nNext\n')[2]
    for words in 'demo --engines', 'use ENGINE', 'keras_backend.keras2 train.py', 'keras_backend.keras3 train.py':
        assert f'  python -m keras_backend {words}'.replace('keras_backend keras_backend', 'keras_backend') in out
    assert network.__file__ in out


@pytest.mark.slow
def test_demo_through_a_pipe(demo):
    """Where no terminal watches there are no characters that only a terminal understands."""
    assert '' == re.sub(r'[ -~\n]', '', demo[1])


@pytest.mark.slow
def test_demo_chooses_nothing(demo):
    """Where nothing was chosen the demo runs on NumPy, with TensorFlow installed or not, and writes no settings."""
    assert not demo[4].exists()
    assert (['digits.png'] if HAS_MATPLOTLIB else []) == os.listdir(str(demo[3]))


def test_demo_of_the_chosen_engine(tmp_path):
    """An engine that was chosen is used; where its library is absent the demo says what to type."""
    hide = 'import sys; sys.modules["torch"] = None\nfrom keras_backend.__main__ import main; sys.exit(main(["demo"]))'
    status, out, err = python('-c', hide, home=tmp_path, backend='torch')
    assert (1, '') == (status, out)
    assert 'PyTorch is not installed' in err
    assert 'Traceback' not in err


def test_seed_decides_all_numbers():
    """The same seed gives the same numbers, another one gives others."""
    runs = [training.train(NUMPY, epochs=1, batch=256, seed=seed, say=lambda line: None) for seed in (3, 3, 4)]
    assert runs[0].losses == runs[1].losses != runs[2].losses
    assert (runs[0].predicted == runs[1].predicted).all()


def test_engines_side_by_side(capsys, monkeypatch):
    """Each engine that is installed has a column, each other one a line that says what to type."""
    monkeypatch.setattr(command, 'train', functools.partial(training.train, model='mlp', epochs=2))
    monkeypatch.setattr(loader, 'has_library', lambda name: name == 'numpy')
    monkeypatch.setattr(command.report, 'state', lambda name: 'not installed; type: ...')
    assert 0 == entrance.main(['demo', '--engines', 'NumPy', 'torch', 'keras_backend.engines.numpy_backend', 'numpy'])
    out, err = capsys.readouterr()
    assert '' == err
    assert 'torch: not installed; type: ...' in out.splitlines()
    table = out[out.index('\n\n') : out.index('Next')].split('\n')
    rows = {line[:22].strip(): line[22:].split() for line in table if line.strip()}
    assert ['numpy', 'numpy'] == rows['']
    assert rows['loss of epoch 2'][0] == rows['loss of epoch 2'][1] == EPOCH.findall(out)[1][1]
    assert {'read right', 'until the first step', 'a step', 'in all'} <= set(rows)


@pytest.mark.parametrize(('engine', 'words'), [('tensorfow', "Did you mean 'tensorflow'?"), ('', 'must be')])
def test_engines_that_do_not_exist(capsys, engine, words):
    """The name of no engine stops the demo before it trains."""
    assert 2 == entrance.main(['demo', '--engines', 'numpy', engine])
    out, err = capsys.readouterr()
    assert '' == out
    assert words in err


def test_engine_that_fails(capsys, monkeypatch):
    """An engine that fails is told; without any other there is nothing to show, and that is a failure."""

    def fail(name, source):
        raise EngineImportFailed('libneeded.so is nowhere; install it.', name)

    monkeypatch.setattr(loader, 'namespace_of', fail)
    assert 1 == entrance.main(['demo', '--engines', 'numpy'])
    assert 'numpy: libneeded.so is nowhere; install it.' in capsys.readouterr().out.splitlines()


def test_it_says_that_it_compiles(monkeypatch):
    """An engine that compiles is announced before its first step."""
    assert {'jax', 'tensorflow'} <= set(training.COMPILING) <= set(ENGINES)
    monkeypatch.setitem(training.COMPILING, 'numpy', 'It compiles.')
    said = []
    training.train(NUMPY, 'mlp', epochs=1, batch=512, say=said.append)
    assert 'It compiles.' == said[1]
    assert EPOCH.match(said[2])


@pytest.mark.slow
@pytest.mark.skipif(os.name != 'posix', reason='needs signals of POSIX')
def test_control_c(tmp_path):
    """Ctrl-C ends the demo with one line."""
    process = subprocess.Popen(
        [sys.executable, '-m', 'keras_backend', 'demo'],
        env=environment(tmp_path),
        cwd=str(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell lets its background processes ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    process.stdout.readline()  # training begins
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=300)
    assert (130, b'Stopped.\n') == (process.returncode, err)


def test_data():
    """The digits are those of UCI: how many there are of each, what is in the first, and no value out of range."""
    images, labels, test_images, test_labels = digits(1)
    assert ((1438, 8, 8), (1438,), (359, 8, 8), (359,)) == tuple(x.shape for x in digits(1))
    counted = np.bincount(np.concatenate([labels, test_labels]))
    assert [178, 182, 177, 183, 181, 182, 181, 179, 174, 180] == counted.tolist()
    pixels = 16 * np.concatenate([images, test_images])
    assert set(range(17)) == set(pixels.ravel())
    zero = [0, 0, 5, 13, 9, 1, 0, 0, 0, 0, 13, 15, 10, 15, 5, 0, 0, 3, 15, 2, 0, 11, 8, 0, 0, 4, 12, 0, 0, 8, 8, 0]
    zero += [0, 5, 8, 0, 0, 9, 8, 0, 0, 4, 11, 0, 1, 12, 7, 0, 0, 2, 14, 5, 10, 12, 0, 0, 0, 0, 6, 13, 10, 0, 0, 0]
    assert (pixels.reshape(-1, 64) == zero).all(axis=1).sum() == 1


def test_table():
    """A row for each digit written, a column for each digit read."""
    labels, predicted = np.array([0, 1, 1, 1, 9]), np.array([0, 1, 7, 7, 8])
    outcome = training.Outcome('numpy', [], [], np.zeros((5, 8, 8)), labels, predicted, 0.0, 0.0, 0.0)
    assert {(0, 0): 1, (1, 1): 1, (1, 7): 2, (9, 8): 1} == {
        tuple(place): outcome.counts[tuple(place)] for place in np.argwhere(outcome.counts).tolist()
    }
    rows = list(table(outcome))
    assert ['1', '.', '1', '.', '.', '.', '.', '.', '2', '.', '.'] == rows[3].split()
    assert '2 of 5 digits are read right.' == rows[-1]


# -- the picture -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_picture_leaves_other_files_alone(outcome, tmp_path, monkeypatch):
    """A picture of the demo is written over by the next one. A file of the same name that is none is kept."""
    pytest.importorskip('matplotlib')
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'digits.png').write_bytes(b'mine')
    second = str(tmp_path / 'digits-2.png')
    assert [second, second] == [os.path.realpath(training.save(outcome)) for _ in range(2)]
    assert b'mine' == (tmp_path / 'digits.png').read_bytes()
    assert (tmp_path / 'digits-2.png').read_bytes().startswith(b'\x89PNG')
    assert str(tmp_path / 'digits.png') == training.save(outcome, 'digits.png')
    assert (tmp_path / 'digits.png').read_bytes().startswith(b'\x89PNG')


@pytest.mark.slow
def test_picture_that_cannot_be_written(outcome, tmp_path, capsys):
    """One sentence says why there is no picture. It is a failure only where a picture was asked for."""
    pytest.importorskip('matplotlib')
    (tmp_path / 'file').write_text('')
    wanted = str(tmp_path / 'file' / 'digits.png')
    with pytest.raises(training.NoPicture, match=r'file is no folder\. Give a path in a folder\.'):
        training.save(outcome, wanted)
    assert 1 == command.show(outcome, wanted, print)
    assert f'There is no picture. {wanted} cannot be there: ' in capsys.readouterr().out
    unknown = str(tmp_path / 'digits.nothing')
    with pytest.raises(training.NoPicture, match=r'cannot be written \(.*\)\. Add: --picture PATH'):
        training.save(outcome, unknown)
    assert 1 == command.show(outcome, unknown, print)
    assert f'There is no picture: {unknown} cannot be written' in capsys.readouterr().out


def test_picture_without_matplotlib(outcome, monkeypatch, capsys):
    """Without Matplotlib the table is all there is, and a sentence says what to type."""
    for name in [name for name in sys.modules if name.split('.')[0] == 'matplotlib'] + ['matplotlib']:
        monkeypatch.setitem(sys.modules, name, None)
    assert 0 == command.show(outcome, '', print)
    out = capsys.readouterr().out
    assert (
        'digits are read right.\nThere is no picture: Matplotlib is not installed. Type: pip install matplotlib\n'
        in out
    )


def lstm_by_hand(x, kernel, recurrent, bias):
    """The last output of an LSTM: gates i, f, c, o, one step after the other, in float64."""

    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    units = len(recurrent)
    h = c = np.zeros((len(x), units))
    for step in range(x.shape[1]):
        z = x[:, step] @ kernel + h @ recurrent + bias
        i, f, new, o = [z[:, place * units : (place + 1) * units] for place in range(4)]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(new)
        h = sigmoid(o) * np.tanh(c)
    return h


def test_networks_of_the_demo():
    """The LSTM gives what its formulas give, and the dense network has as many results."""
    import keras_backend as K
    from keras_backend.commands.demo.network import LSTMNet, MLPNet

    x = np.random.RandomState(1).normal(size=(3, 8, 8))
    images = K.placeholder((None, 8, 8))
    lstm, mlp = LSTMNet(np.random.RandomState(0)), MLPNet(np.random.RandomState(0))
    found, other = K.function([images], [lstm.logits(images), mlp.logits(images)])([x])
    *of_lstm, kernel, bias = [K.get_value(w).astype('float64') for w in lstm.weights]
    np.testing.assert_allclose(lstm_by_hand(x, *of_lstm) @ kernel + bias, found, rtol=1e-5, atol=1e-5)
    assert other.shape == (3, 10)


def test_the_hook_of_pyinstaller_is_in_its_folder():
    from keras_backend.commands.frozen import hook_folders

    (folder,) = hook_folders()
    assert 'hook-keras_backend.py' in os.listdir(folder)


@pytest.mark.parametrize(
    ('source', 'value', 'name'),
    [('default', 'tensorflow', 'numpy'), ('default', 'numpy', 'numpy'), ('the file', 'jax', 'jax')],
)
def test_engine_of_the_demo(source, value, name, monkeypatch):
    """A demo makes no choice: where nothing was chosen it takes the engine that is always there."""
    setting = command.settings.get('backend')._replace(source=source, value=value, danger='a danger')
    monkeypatch.setattr(command, 'settings', types.SimpleNamespace(get=lambda key: setting))
    monkeypatch.setattr(command, 'loader', types.SimpleNamespace(namespace_of=lambda *asked: asked))
    monkeypatch.setattr(command, 'on', lambda K, module: (K, module))
    monkeypatch.setattr(command, 'train', lambda module, seed, say: (module, seed))
    monkeypatch.setattr(command, 'show', lambda outcome, picture, say: (outcome, picture))
    told = command._one(7, 'a.png', print)
    assert told == ((((name, source, 'a danger'), network), 7), 'a.png')


def test_status_of_the_picture(monkeypatch):
    """It is a failure only where a picture was asked for in vain."""
    said = []
    monkeypatch.setattr(command, 'table', lambda outcome: ['a line'])
    monkeypatch.setattr(command, 'save', lambda outcome, picture: '/there/' + picture)
    assert command.show('outcome', 'a.png', said.append) == 0
    assert said == ['', 'a line', 'Picture: /there/a.png']

    def failing(outcome, picture):
        raise training.NoPicture('no picture today')

    monkeypatch.setattr(command, 'save', failing)
    assert [command.show('outcome', picture, said.append) for picture in ('', 'a.png')] == [0, 1]
    assert said[-1] == 'no picture today'


class Axes:
    """Notes what is drawn."""

    def __init__(self, place):
        self.place, self.images, self.texts, self.settings = place, [], [], {}

    def imshow(self, image, **style):
        self.images.append((image, style))

    def text(self, x, y, text, color, **style):
        self.texts.append((x, y, text, color))

    def set(self, **settings):
        self.settings.update(settings)

    def set_title(self, title, **style):
        self.settings['title'] = title


def test_what_the_picture_shows(monkeypatch):
    """How often each digit was read as each other, and the first twelve that were misread; without pixels."""
    made = []

    class Figure:
        def __init__(self, figsize):
            self.axes, self.saved = [], []
            made.append(self)

        def add_axes(self, place):
            self.axes.append(Axes(place))
            return self.axes[-1]

        def savefig(self, path, format, metadata, **options):
            self.saved.append((path, format, metadata))

    monkeypatch.setitem(sys.modules, 'matplotlib.backends.backend_agg', types.SimpleNamespace(FigureCanvasAgg=id))
    monkeypatch.setitem(sys.modules, 'matplotlib.colors', types.SimpleNamespace(PowerNorm=lambda power: power))
    monkeypatch.setitem(sys.modules, 'matplotlib.figure', types.SimpleNamespace(Figure=Figure))
    images, labels = np.arange(40).reshape(20, 2, 1), np.array([3] * 5 + [7] * 15)
    predicted = np.array([3, 3, 8, 3, 3] + [7] * 3 + [1] * 12)
    outcome = training.Outcome('numpy', [], [], images, labels, predicted, 0.0, 0.0, 0.0)
    training.draw(outcome, 'digits.PNG')
    training.draw(outcome, 'digits')
    training.draw(outcome, 'digits.pdf')
    mark = {'Description': training.MARK}
    saved = [('digits.PNG', 'png', mark), ('digits', 'png', mark), ('digits.pdf', 'pdf', None)]
    assert [figure.saved for figure in made] == [[entry] for entry in saved]
    table, *misread = made[0].axes
    ((matrix, _style),) = table.images
    assert (matrix == outcome.counts).all()
    # White letters are on what is darker than a third of the most.
    assert sorted(table.texts) == [(1, 7, 12, 'white'), (3, 3, 4, 'black'), (7, 7, 3, 'black'), (8, 3, 1, 'black')]
    assert table.settings == {
        'xlabel': 'read as',
        'ylabel': 'written',
        'xticks': range(10),
        'yticks': range(10),
        'title': '7 of 20 test digits are read right',
    }
    assert [axes.settings['title'] for axes in misread] == ['3 read as 8', *['7 read as 1'] * 11]
    assert all(axes.settings['xticks'] == axes.settings['yticks'] == [] for axes in misread)
    first, *others = [axes.images[0][0].tolist() for axes in misread]
    assert first == images[2].tolist()
    assert others == images[8:19].tolist()
    # Four in a row from left to right, three rows from top to bottom, beside the table and apart from each other.
    places = [axes.place for axes in misread]
    left, bottom, width, height = table.place
    assert len({tuple(place) for place in places}) == 12
    for row in range(3):
        in_row = places[4 * row : 4 * row + 4]
        assert len({place[1] for place in in_row}) == 1
        assert in_row[0][0] > left + width
        assert all(after[0] > place[0] + place[2] for place, after in zip(in_row, in_row[1:]))
        assert in_row[-1][0] + in_row[-1][2] <= 1
    assert all(above[1] > below[1] + below[3] for above, below in zip(places, places[4:]))
    assert min(place[1] for place in places) >= 0
    assert max(place[1] + place[3] for place in places) <= 1
    assert (bottom >= 0, bottom + height <= 1) == (True, True)


def test_pictures_of_others_are_kept(tmp_path, monkeypatch):
    """The first name that is free, or that of a picture of an earlier demo."""
    monkeypatch.chdir(tmp_path)
    assert 'digits.png' == training._free('digits')
    for name in 'digits.png', 'digits-2.png':
        (tmp_path / name).write_bytes(b'of somebody')
    assert 'digits-3.png' == training._free('digits')
