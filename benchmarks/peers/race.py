"""Processes that run the works on request, and races between them."""

import json
import os
import subprocess
import sys
import tempfile

BENCHMARKS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TITLES = {
    'k': 'ours',
    'numpy': 'K on NumPy',
    'tf_function': 'tf.function',
    'keras': 'Keras 3',
    'tf_keras': 'tf_keras',
    'jax': 'JAX (jit)',
    'torch': 'PyTorch eager',
    'torch_loop': 'PyTorch, loops by hand',
    'original': 'Keras 2.3.1 on TF 1.15',
    'original_cntk': 'Keras 2.3.1 on CNTK 2.7',
    'original_theano': 'Keras 2.3.1 on Theano 1.0.5',
}


class Missing(Exception):
    """A peer whose library is not there. The message is None where a library has no such work."""


class Competitor:
    """Who runs a work: the kind of peer, the Python that runs it, the checkout that holds keras_backend, the engine."""

    def __init__(self, kind, python=None, tree=None, title=None, engine='tensorflow'):
        self.kind, self.python = kind, python or sys.executable
        self.tree = os.path.abspath(tree or os.path.dirname(BENCHMARKS))
        self.title = title or TITLES[kind]
        self.engine = {'numpy': 'numpy', 'original_cntk': 'cntk', 'original_theano': 'theano'}.get(kind, engine)

    def environment(self):
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL='3', KERAS_BACKEND_QUIET='1')
        environment['KERAS_BACKEND'] = self.engine
        ours = [self.tree] if self.kind in ('k', 'numpy', 'original_cntk') else []
        environment['PYTHONPATH'] = os.pathsep.join([*ours, BENCHMARKS])
        return environment


class Peer:
    """A process that runs one work on request."""

    def __init__(self, name, competitor, clock='wall', threads=1):
        self.name, self.competitor = name, competitor
        self._errors = tempfile.TemporaryFile('w+')
        self._process = subprocess.Popen(
            [competitor.python, '-m', 'peers', name, competitor.kind, clock, str(threads)],
            env=competitor.environment(),
            # Else a checkout that is the working folder would come before the one to be measured.
            cwd=BENCHMARKS,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            universal_newlines=True,
        )

    def prepare(self):
        """Wait for the first calls. Raise Missing if there is nothing to call."""
        answer = self._answer()
        if 'missing' in answer:
            raise Missing(answer['missing'])
        self.library, self.value = answer['library'], answer['value']

    def seconds(self, number):
        """The seconds that `number` calls took."""
        return self._ask(str(number))

    def memory(self):
        """The bytes that the work takes at its peak during five calls, without those of the library."""
        return self._ask('memory')

    def _ask(self, line):
        self._process.stdin.write(f'{line}\n')
        self._process.stdin.flush()
        return self._answer()

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def _answer(self):
        line = self._process.stdout.readline()
        if line:
            return json.loads(line)
        self._errors.seek(0)
        tail = ''.join(self._errors.readlines()[-5:])
        raise RuntimeError(
            f'{self.name} of {self.competitor.title} has ended with status {self._process.wait()}. '
            f'Its last lines:\n{tail}'
        )


def compete(name, competitors, rounds=9, least=0.15, say=None, clock='wall', threads=1):
    """A row of figures for each of `competitors`, None for those that do not run. They take turns.

    A row holds the title, the library, the value after some calls and the seconds a call in each round.
    """
    running, rows = {}, [None] * len(competitors)
    try:
        # One after the other, because several that start at once would wait for each other's CPU.
        for i, competitor in enumerate(competitors):
            peer = Peer(name, competitor, clock, threads)
            try:
                peer.prepare()
            except (Missing, RuntimeError) as error:
                peer.close()
                if say is not None and error.args[0]:
                    say(f'{competitor.title} is left out of {name}: {error} ({competitor.python})')
                continue
            running[i] = peer
        numbers = {}
        for i, peer in running.items():
            number = max(1, min(5, int(least / peer.seconds(1))))
            numbers[i] = 1 if number == 1 else max(1, int(least / (peer.seconds(number) / number)))
            rows[i] = {'title': peer.competitor.title, 'library': peer.library, 'value': peer.value, 'seconds': []}
        for _ in range(rounds):
            for i, peer in running.items():
                rows[i]['seconds'].append(peer.seconds(numbers[i]) / numbers[i])
        return rows
    finally:
        for peer in running.values():
            peer.close()


def race(name, *kinds, **options):
    """The best seconds per call of each kind of peer, None for those that are missing."""
    rows = compete(name, [Competitor(kind) for kind in kinds], say=lambda line: print(line, file=sys.stderr), **options)
    return [row and min(row['seconds']) for row in rows]
