"""`python -m keras_backend demo`: one engine with a table of what was read, or several engines side by side."""

import os
from typing import Iterator, Sequence

from ... import loader
from ...comparison import on
from ...config import check, settings
from ...engines.table import ENGINES
from ...errors import KerasBackendError
from .. import report
from . import network
from .training import NoPicture, Outcome, Say, save, table, train

SOURCE = 'python -m keras_backend demo --engines'

OTHER_DRAWS = ('tensorflow', 'theano')

NEXT = [
    ('python -m keras_backend demo --engines numpy torch jax', 'train the same on several engines'),
    ('python -m keras_backend', 'see which engines are installed, and which one runs'),
    ('python -m keras_backend use ENGINE', 'choose the engine of your programs'),
    ('python -m keras_backend.keras2 train.py', 'run a program of Keras 2, of 2015 to 2019'),
    ('python -m keras_backend.keras3 train.py', 'run tf.keras code of 2019 to 2023 inside Keras 3'),
]


def run(engines: Sequence[str], seed: int, picture: str, say: Say) -> int:
    """Train on the configured engine, or on each of `engines`, and tell. Returns the exit status."""
    status = _several(engines, seed, say) if engines else _one(seed, picture, say)
    say('')
    say('Next')
    for command, what in NEXT:
        say(f'  {command:57}{what}')
    say(f'The network is {os.path.abspath(str(network.__file__))}, a program in K alone. README.md has K in ten lines.')
    return status


def _one(seed: int, picture: str, say: Say) -> int:
    setting = settings.get('backend')
    # A demo makes no choice: where nothing was chosen it takes the engine that is always there.
    name = 'numpy' if setting.source == 'default' else setting.value
    K = loader.namespace_of(name, setting.source, setting.danger)
    return show(train(on(K, network), seed=seed, say=say), picture, say)


def show(outcome: Outcome, picture: str, say: Say) -> int:
    """The table, and the picture where it can be. Returns the exit status: 1 where a picture was asked for in vain."""
    say('')
    for line in table(outcome):
        say(line)
    try:
        say(f'Picture: {save(outcome, picture)}')
    except NoPicture as error:
        say(str(error))
        return 1 if picture else 0
    return 0


def _several(names: Sequence[str], seed: int, say: Say) -> int:
    engines = [loader.find_here(check('backend', name, SOURCE), SOURCE) for name in names]
    outcomes = []
    for name in dict.fromkeys(engine.name for engine in engines):
        if name in ENGINES and not loader.has_library(name):
            say(f'{name}: {report.state(name)}')
            continue
        try:
            outcomes.append(train(on(loader.namespace_of(name, SOURCE), network), seed=seed, say=say))
        except KerasBackendError as error:
            say(f'{name}: {error}')
    if not outcomes:
        return 1
    say('')
    for line in beside(outcomes):
        say(line)
    if len({outcome.engine in OTHER_DRAWS for outcome in outcomes}) == 2:
        say('TensorFlow and Theano draw other random numbers for the dropout than the other engines.')
    return 0


def beside(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The numbers and times of several trainings, a column each."""
    rows = [('', [outcome.engine for outcome in outcomes])]
    for number, losses in enumerate(zip(*(outcome.losses for outcome in outcomes)), 1):
        rows.append((f'loss of epoch {number}', [f'{loss:.4f}' for loss in losses]))
    rows += [
        ('read right', [f'{100 * outcome.accuracies[-1]:.1f} %' for outcome in outcomes]),
        ('until the first step', [f'{outcome.preparation:.1f} s' for outcome in outcomes]),
        ('a step', [f'{1000 * outcome.step:.1f} ms' for outcome in outcomes]),
        ('in all', [f'{outcome.training:.1f} s' for outcome in outcomes]),
    ]
    width = max(10, *(len(outcome.engine) + 2 for outcome in outcomes))
    for what, cells in rows:
        yield f'{what:22}' + ''.join(f'{cell:>{width}}' for cell in cells)
