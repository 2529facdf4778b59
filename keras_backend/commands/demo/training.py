"""The training of the demo: its data, its table and its steps."""

import gzip
import itertools
import os
import pkgutil
import time
import warnings
from types import ModuleType
from typing import Callable, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np

from ...basics.exit_status import in_words
from ...basics.terminal import Progress

# -- data --------------------------------------------------------------------------------------------------------------
# The handwritten digits. `digits.LICENSE.txt` says where they come from.


Digits = Tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

PIXELS = 64


def digits(seed: int) -> Digits:
    """Images to learn, their labels, images to read, their labels. Pixels are in [0, 1]. A fifth is to be read."""
    # Also out of a zip file.
    packed = pkgutil.get_data('keras_backend.commands.demo', 'digits.txt.gz')
    assert packed is not None
    lines = np.frombuffer(gzip.decompress(packed), 'uint8').reshape(-1, PIXELS + 2)  # the digit, the end of the line
    order = np.random.RandomState(seed).permutation(len(lines))
    images = ((lines[:, :PIXELS] - ord('A')) / 16.0).reshape(-1, 8, 8)[order]
    labels = (lines[:, PIXELS] - ord('0')).astype('int64')[order]
    n = len(labels) // 5
    return images[n:], labels[n:], images[:n], labels[:n]


Say = Callable[[str], None]

# Engines that prepare code at the first calls of a function. Without a word, that looks like a standstill.
COMPILING = {
    'jax': 'JAX compiles the first step of each size. That takes some seconds, on a busy machine up to a minute.',
    'tensorflow': 'TensorFlow compiles the first step. That takes some seconds.',
    'theano': 'Theano compiles the first step in C. That takes from some seconds to some minutes.',
}


class Outcome(NamedTuple):
    """The results of a training: a loss and an accuracy for each epoch, the digits read, and times in seconds."""

    engine: str
    losses: List[float]
    accuracies: List[float]
    images: np.ndarray
    labels: np.ndarray
    predicted: np.ndarray
    preparation: float  # until the end of the first step
    training: float
    step: float

    @property
    def counts(self) -> np.ndarray:
        """How often each digit (a row) was read as each digit (a column)."""
        matrix = np.zeros((10, 10), int)
        np.add.at(matrix, (self.labels, self.predicted), 1)
        return matrix


def train(
    network: ModuleType,
    model: str = 'conv',
    seed: int = 1,
    epochs: Optional[int] = None,
    batch: int = 32,
    say: Say = print,
) -> Outcome:
    """Train a model of `network`, which is the module or its copy for another K. The seed decides all numbers."""
    K = vars(network)['K']
    images, labels, test_images, test_labels = digits(seed)
    make, rate, usual = vars(network)['MODELS'][model]
    epochs = epochs or usual
    start = time.perf_counter()
    classifier = vars(network)['Classifier'](make, rate, seed)
    count = sum(K.count_params(w) for w in classifier.weights)
    say(
        f'The model {model!r} ({count:,} weights) learns {len(labels):,} digits and reads {len(test_labels)} others, '
        f'on {K._engine.title}.'
    )
    if K.backend() in COMPILING:
        say(COMPILING[K.backend()])
    done: List[float] = []
    losses, accuracies = [], []
    with Progress() as progress:

        def tell(epoch: int, step: int, steps: int) -> None:
            done.append(time.perf_counter())
            progress.show(f'epoch {epoch + 1} of {epochs}, step {step + 1} of {steps}')

        for loss in classifier.fit(images, labels, epochs, batch, np.random.RandomState(seed), tell):
            predicted = classifier.predict(test_images)
            losses.append(loss)
            accuracies.append(float(np.mean(predicted == test_labels)))
            progress.clear()
            say(
                f'epoch {len(losses):2}  loss {loss:.4f}  read right {100 * accuracies[-1]:5.1f} %  '
                f'{time.perf_counter() - start:5.1f} s'
            )
    seconds = time.perf_counter() - start
    step = float(np.median(np.diff(done)))
    return Outcome(K.backend(), losses, accuracies, test_images, test_labels, predicted, done[0] - start, seconds, step)


# -- the table ---------------------------------------------------------------------------------------------------------
# The table of the digits read beside the digits written, as text.


def table(outcome: Outcome) -> Iterator[str]:
    """The table, line by line. A digit that was read right is on the diagonal."""
    counts = outcome.counts
    yield ' ' * 12 + 'read as'
    yield ' ' * 9 + ''.join(f'{digit:4}' for digit in range(10))
    for digit, row in enumerate(counts):
        yield f'{"written" if digit == 0 else "":7}{digit:2}' + ''.join(f'{n or ".":>4}' for n in row)
    yield f'{counts.trace()} of {counts.sum()} digits are read right.'


# -- picture -----------------------------------------------------------------------------------------------------------
# The same table as a picture, with some of the digits that were misread. It needs Matplotlib.


# Stands in the files that this module writes, so that it knows them again.
MARK = 'A picture of the demo of keras_backend'


class NoPicture(Exception):
    """Says in a sentence why there is no picture, and what to type."""


def save(outcome: Outcome, wanted: str = '') -> str:
    """Save the picture and return its path.

    Without a path it becomes digits.png in the current folder. A file of this name that is not from here is kept, and
    the picture gets another name.
    """
    path = os.path.abspath(wanted or _free('digits'))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # what Matplotlib is warned of is not the reader's business
            draw(outcome, path)
    except ImportError:
        raise NoPicture('There is no picture: Matplotlib is not installed. Type: pip install matplotlib') from None
    except OSError as error:
        raise NoPicture(f'There is no picture. {in_words(error, path)}') from error
    except ValueError as error:  # a suffix that Matplotlib does not know
        raise NoPicture(f'There is no picture: {path} cannot be written ({error}). Add: --picture PATH') from error
    return path


def _free(name: str) -> str:
    """The first of name.png, name-2.png ... that is not there, or that an earlier demo has written."""
    for number in itertools.count(1):
        path = f'{name}.png' if number == 1 else f'{name}-{number}.png'
        if not os.path.lexists(path) or _ours(path):
            return path
    raise AssertionError


def _ours(path: str) -> bool:
    try:
        with open(path, 'rb') as stream:
            return MARK.encode() in stream.read(4096)
    except OSError:
        return False


def draw(outcome: Outcome, path: str) -> None:
    """Draw what was read beside what was written, and up to twelve digits that were misread, into a file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # without pyplot no window is ever opened
    from matplotlib.colors import PowerNorm
    from matplotlib.figure import Figure

    labels, predicted = outcome.labels, outcome.predicted
    matrix = outcome.counts
    figure = Figure(figsize=(11, 5))
    FigureCanvasAgg(figure)
    axes = figure.add_axes([0.05, 0.1, 0.45, 0.8])
    axes.imshow(matrix, cmap='Blues', norm=PowerNorm(0.4))
    for row, column in np.argwhere(matrix):
        axes.text(
            column,
            row,
            matrix[row, column],
            ha='center',
            va='center',
            fontsize=8,
            color='white' if matrix[row, column] > matrix.max() / 3 else 'black',
        )
    axes.set(
        xlabel='read as',
        ylabel='written',
        xticks=range(10),
        yticks=range(10),
        title=f'{(labels == predicted).sum()} of {len(labels)} test digits are read right',
    )
    for position, i in enumerate(np.flatnonzero(labels != predicted)[:12]):
        axes = figure.add_axes([0.53 + 0.115 * (position % 4), 0.62 - 0.28 * (position // 4), 0.1, 0.2])
        axes.imshow(outcome.images[i], cmap='gray_r')
        axes.set(xticks=[], yticks=[])
        axes.set_title(f'{labels[i]} read as {predicted[i]}', fontsize=9)
    kind = os.path.splitext(path)[1].lstrip('.').lower() or 'png'
    figure.savefig(path, dpi=100, format=kind, metadata={'Description': MARK} if kind == 'png' else None)
