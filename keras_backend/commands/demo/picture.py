"""The same table as a picture, with some of the digits that were misread. It needs Matplotlib."""

import itertools
import os
import warnings

import numpy as np

from ...basics.exit_status import in_words
from .training import Outcome

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
