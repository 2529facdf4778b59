"""Runs a case on a K, writes its outcome as a line of text, and compares two such outcomes."""

import json
import math
import re
import sys
import warnings
from collections import namedtuple

import numpy as np

# Cases after which the graph is dropped: it grows, and each run of the original gets slower with it.
TOGETHER = 50
DIGITS = {'float64': 13, 'float16': 4}
# Relative, and of the largest number beside it.
TOLERANCES = {'float64': 1e-9, 'float16': 1e-2}


def error(raised):
    """The kind of an error."""
    if isinstance(raised, ValueError):
        return '!ValueError'
    return '!TypeError' if isinstance(raised, TypeError) else '!other'


RAW = re.compile(r'!\w+ raw')


def error_of_ours(raised):
    """The kind of an error, and whether it is raw: of no class of keras_backend.errors."""
    from keras_backend.errors import KerasBackendError

    return error(raised) + ('' if isinstance(raised, KerasBackendError) else ' raw')


def is_raw(outcome):
    """Whether an outcome as text has a raw error."""
    return bool(RAW.search(outcome))


def is_alone(case):
    """Whether the case needs a fresh graph, and leaves one behind that no other should see."""
    return 'clear_session' in case.program or 'learning_phase' in case.program or 'phase' in case.id


def groups(cases):
    """The cases in the groups that share a graph."""
    return [cases[start : start + TOGETHER] for start in range(0, len(cases), TOGETHER)]


class Built(namedtuple('Built', 'feeds leaves tensors by gradients')):
    """A case whose graph is there: (placeholder, value) pairs, results, those to compute, and gradients or an error."""

    __slots__ = ()

    def wanted(self):
        """The gradients that there are."""
        return [] if isinstance(self.gradients, str) else [one for one in self.gradients if one is not None]


class Runner:
    """Runs cases on one K."""

    def __init__(self, K, dense=lambda tensor: tensor, opened=lambda: None, error=error):
        self.K = K
        self.error = error  # gives the text of an error
        self.opened = opened  # is called whenever the graph is a new one
        self.dense = dense  # makes a plain tensor of a gradient that is none
        opened()

    def fresh(self):
        """Back to where a process starts, as far as cases change it."""
        K = self.K
        K.set_floatx('float32')
        K.set_epsilon(1e-7)
        K.set_image_data_format('channels_last')

    def clear(self):
        """A new graph."""
        self.K.clear_session()
        self.opened()

    def together(self, cases):
        """{id: outcome} of several cases, computed in one run of the graph unless one of them fails.

        An outcome is a str that starts with '!' for an error, or a list with an entry for each result, then the
        gradients.
        """
        outcomes, pending, again = {}, [], {case.id for case in cases if is_alone(case)}
        for case in cases:
            if case.id in again:
                continue
            built = self._built(case)
            failed = isinstance(built, str)
            if failed:
                outcomes[case.id] = built
            else:
                pending.append((case, built))
                failed = isinstance(built.gradients, str) and built.gradients.startswith('!')
            if not failed:
                continue
            # A function that fails in the middle of a loop leaves the graph of the original in that loop.
            self._halves(pending, outcomes, again)
            pending = []
            self.clear()
        self._halves(pending, outcomes, again)
        self.clear()
        for case in cases:
            # A case may fail in a run because another one has made the graph impossible for TensorFlow.
            if case.id in again:
                built = self._built(case)
                outcomes[case.id] = built if isinstance(built, str) else self._computed(built)
                self.clear()
        return outcomes

    def _halves(self, pending, outcomes, again):
        """Computes all, or each half where that fails; the ids of those that fail alone go into `again`."""
        if len(pending) < 2:
            for case, built in pending:
                found = outcomes[case.id] = self._computed(built)
                if isinstance(found, str) or (found and found[-1] != built.gradients and isinstance(found[-1], str)):
                    again.add(case.id)
            return
        feeds = [feed for _, built in pending for feed in built.feeds]
        tensors = [tensor for _, built in pending for tensor in built.tensors + built.wanted()]
        try:
            values = iter(self._values(feeds, tensors))
        except Exception:
            half = len(pending) // 2
            self._halves(pending[:half], outcomes, again)
            self._halves(pending[half:], outcomes, again)
            return
        for case, built in pending:
            taken = [next(values) for _ in built.tensors + built.wanted()]
            outcomes[case.id] = self._computed(built, taken)

    def _built(self, case):
        """What is to be computed for a case, or the text of an error."""
        self.fresh()
        with warnings.catch_warnings(), np.errstate(all='ignore'):
            warnings.simplefilter('ignore')
            try:
                return self._outcome(case)
            except Exception as raised:
                return self.error(raised)
            finally:
                self.fresh()

    def _values(self, feeds, tensors):
        if not tensors:
            return []
        with warnings.catch_warnings(), np.errstate(all='ignore'):
            warnings.simplefilter('ignore')
            return self.K.function([pair[0] for pair in feeds], tensors)([pair[1] for pair in feeds])

    def _computed(self, built, values=None):
        """The outcome of a case that is built, whose values may be known."""
        if values is None:
            try:
                values = self._values(built.feeds, built.tensors + built.wanted())
            except Exception as raised:
                if not built.wanted():
                    return self.error(raised)
                return self._computed(built._replace(gradients=self.error(raised)))
        count, gradients = len(built.tensors), built.gradients
        if not isinstance(gradients, str):
            computed = iter(values[count:])
            gradients = [None if one is None else value_entry(np.asarray(next(computed))) for one in gradients]
        tensors = iter(values[:count])
        try:
            lines = [
                self._tensor_entry(leaf, next(tensors)) if self._tensor(leaf) else value_entry(leaf)
                for leaf in built.leaves
            ]
        except Exception as raised:
            return self.error(raised)
        if built.by:
            lines.append(gradients if isinstance(gradients, str) else dict(zip(built.by, gradients)))
        return lines

    def _inputs(self, case):
        """The inputs by name, and the pairs of placeholder and value."""
        K, inputs, feeds = self.K, {}, []
        for name, given in case.inputs.items():
            value = given.value(name)
            if given.kind == 'array':
                inputs[name] = value
            elif given.kind in ('variable', 'constant'):
                inputs[name] = getattr(K, given.kind)(value, given.dtype)
            else:
                inputs[name] = K.placeholder(given.static(), dtype=given.dtype)
                feeds.append((inputs[name], value))
        return inputs, feeds

    def _outcome(self, case):
        K = self.K
        inputs, feeds = self._inputs(case)
        names = dict(inputs, K=K, np=np)
        *statements, expression = case.program.split('\n')
        exec('\n'.join(statements), names)
        result = eval(expression, names)
        # The original does not compute what is fed.
        leaves = [K.identity(leaf) if any(leaf is pair[0] for pair in feeds) else leaf for leaf in self._leaves(result)]
        tensors = [leaf for leaf in leaves if self._tensor(leaf)]
        by = self._differentiable(case, inputs)
        gradients = self._gradients(tensors, list(by.values())) if by else []
        return Built(feeds, leaves, tensors, list(by), gradients)

    def _tensor(self, leaf):
        if isinstance(leaf, (np.ndarray, np.generic, int, float, str, tuple, list, dict)) or leaf is None:
            return False
        return self.K.is_tensor(leaf)

    def _leaves(self, result):
        """The tensors and values in a result, one after another."""
        if isinstance(result, (list, tuple)) and any(self._holds(item) for item in result):
            for item in result:
                yield from self._leaves(item)
        else:
            yield result

    def _holds(self, item):
        if isinstance(item, (list, tuple)):
            return any(self._holds(inner) for inner in item)
        return isinstance(item, (np.ndarray, np.generic)) or self._tensor(item)

    def _differentiable(self, case, inputs):
        if not case.gradient:
            return {}
        floats = {name for name, given in case.inputs.items() if given.dtype.startswith('float')}
        return {
            name: inputs[name]
            for name in inputs
            if name in floats and case.inputs[name].kind not in ('array', 'constant')
        }

    def _gradients(self, tensors, by):
        """Of half the sum of the squares of (result + 1/2): each number of the result has a weight of its own."""
        K = self.K
        floats = [tensor for tensor in tensors if K.dtype(tensor).startswith('float')]
        if not floats:
            return ''
        try:
            loss = None
            for tensor in floats:
                part = K.sum(K.square(tensor + 0.5)) * 0.5
                if len({K.dtype(tensor) for tensor in floats}) > 1:
                    part = K.cast(part, 'float64')
                loss = part if loss is None else loss + part
            return [None if gradient is None else self.dense(gradient) for gradient in K.gradients(loss, by)]
        except Exception as raised:
            return self.error(raised)

    def _tensor_entry(self, tensor, value):
        dtype, static = self.K.dtype(tensor), self.K.int_shape(tensor)
        if not hasattr(value, 'dtype'):  # sparse, in the original's own form
            return ['not a plain array', type(value).__name__]
        if hasattr(value, 'todense'):
            return ['sparse', dtype]
        entry = value_entry(np.asarray(value))
        if entry[0] != dtype:
            entry[0] = f'{dtype}, in truth {entry[0]}'
        return ['tensor', entry[0], None if static is None else list(static)] + entry[1:]


def value_entry(value):
    """An entry for what is no tensor: [dtype, shape, numbers] of an array, else [type, text]."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        dtype = value.dtype.name
        return [dtype, list(value.shape), [number(item, dtype) for item in value.ravel().tolist()]]
    if isinstance(value, np.generic):
        return ['scalar ' + value.dtype.name, number(value.item(), value.dtype.name)]
    if isinstance(value, float):
        return ['float', number(value, 'float32')]
    for kind in bool, int, str, tuple, list, type(None):
        if isinstance(value, kind):
            return [kind.__name__, repr(value)]
    return ['object']


def number(value, dtype):
    """A number with as many digits as are compared."""
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, float):
        return value if isinstance(value, int) else str(value)
    if math.isnan(value) or math.isinf(value):
        return str(value)
    short = float(f'{value:.{DIGITS.get(dtype, 7)}g}')
    return int(short) if short == int(short) and abs(short) < 1e6 else short


def line(outcome):
    """An outcome as text."""
    return outcome if isinstance(outcome, str) else json.dumps(outcome, separators=(',', ':'))


def read(path):
    """The outcomes of a file, by id."""
    with open(path, encoding='utf-8') as stream:
        return dict(text.rstrip('\n').split(' ', 1) for text in stream if not text.startswith('#'))


def unlike(expected, found):
    """What differs between two outcomes as text, in a few words, or ''. Errors are alike, whatever their class."""
    if expected == found:
        return ''
    if expected.startswith('!') or found.startswith('!'):
        if expected.startswith('!') and found.startswith('!'):
            return ''
        return 'error' if found.startswith('!') else 'no error'
    return _unlike(json.loads(expected), json.loads(found))


def _unlike(expected, found):
    if len(expected) != len(found):
        return 'number of results'
    for one, other in zip(expected, found):
        if isinstance(one, dict) and isinstance(other, dict):
            for name in one:
                difference = _entry(one[name], other.get(name))
                if difference:
                    return f'gradient by {name}: {difference}'
        elif isinstance(one, list) and isinstance(other, list):
            difference = _entry(one, other)
            if difference:
                return difference
        elif one != other:
            if isinstance(one, str) and isinstance(other, str) and one and other:
                continue  # two errors
            return 'gradient: error' if isinstance(other, str) else 'gradient: no error'
    return ''


def _entry(one, other):
    if one == other:
        return ''
    if one is None or other is None:
        return 'None'
    if len(one) != len(other) or one[0].split()[0] != other[0].split()[0] or len(one) < 2:
        return 'kind of result'
    if one[0] == 'tensor':
        if one[1] != other[1]:
            return 'dtype'
        if one[2] != other[2]:
            return 'static shape'
        return _numbers(one[1], one[3:], other[3:])
    if one[0] != other[0]:
        return 'dtype'
    if len(one) == 3:
        return _numbers(one[0], one[1:], other[1:])
    if one[0].startswith('scalar') or one[0] == 'float':
        return _numbers(one[0].split()[-1], [[], [one[1]]], [[], [other[1]]])
    return 'value'


def _numbers(dtype, one, other):
    if one[0] != other[0]:
        return 'shape'
    one, other = (np.array([float(item) for item in entry[1]]) for entry in (one, other))
    finite = np.abs(one[np.isfinite(one)])
    tolerance = TOLERANCES.get(dtype, 1e-5 if dtype.startswith('float') else 0)
    scale = min(finite.max(), 1.0) if finite.size else 0
    near = np.isclose(other, one, rtol=tolerance, atol=tolerance * scale, equal_nan=True)
    return '' if near.all() else 'value'


def quiet():
    """Logs of libraries off."""
    import logging
    import os

    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
    os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')
    logging.getLogger('tensorflow').setLevel(logging.ERROR)
    warnings.simplefilter('ignore')
    sys.stderr.flush()
