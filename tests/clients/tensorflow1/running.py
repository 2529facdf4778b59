"""Runs the programs of `cases_*.py` on what `import tensorflow` gives: TensorFlow 1.15, or what stands for it.

A program gets a `Bench` and returns a dict of tensors, arrays, numbers and words.
"""

import cases_contrib
import cases_layers
import cases_numbers
import cases_recurrent
import numpy as np
import tensorflow as tf

CASES = {
    name: function
    for module in (cases_contrib, cases_layers, cases_numbers, cases_recurrent)
    for name, function in vars(module).items()
    if callable(function) and getattr(function, '__module__', '') == module.__name__ and not name.startswith('_')
}


class Bench:
    """Inputs, and a session whose variables have values that do not depend on the version of TensorFlow."""

    def __init__(self, session):
        self.session = session

    def array(self, *shape, seed=0):
        """Numbers between -1 and 1."""
        return np.random.RandomState(seed).uniform(-1, 1, shape).astype('float32')

    def placeholder(self, *shape):
        """A placeholder for any number of rows."""
        return tf.placeholder(tf.float32, (None,) + shape)

    def fill(self):
        """Set all variables: variances between 0.5 and 1.5, all else between -1 and 1."""
        for number, variable in enumerate(tf.global_variables()):
            start = variable.initializer.inputs[1]
            value = np.random.RandomState(number).uniform(-1, 1, variable.shape.as_list())
            if 'variance' in variable.name or 'Adam' in variable.name:
                value = 1 + value / 2
            self.session.run(variable.initializer, {start: value.astype(start.dtype.as_numpy_dtype)})

    def run(self, tensors, feed=None):
        """The values of tensors."""
        return self.session.run(tensors, feed)


def run(function):
    """What a program computes, as it is written to JSON."""
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        tf.set_random_seed(1)
        results = function(Bench(session))
        tensors = []
        gather(results, tensors)
        found = session.run(tensors) if tensors else []  # all at once, which is faster
        values = {id(tensor): value for tensor, value in zip(tensors, found)}
        return {name: plain(value, values) for name, value in sorted(results.items())}


TENSORS = (tf.Tensor, tf.Variable, tf.SparseTensor)


def gather(value, tensors):
    """Add all tensors in a structure to a list."""
    if isinstance(value, TENSORS):
        tensors.append(value)
    elif isinstance(value, dict):
        gather(list(value.values()), tensors)
    elif isinstance(value, (list, tuple)):
        for each in value:
            gather(each, tensors)


def plain(value, values):
    """A value as numbers, words and lists."""
    if isinstance(value, TENSORS):
        value = values[id(value)]
    if isinstance(value, dict):
        return {key: plain(each, values) for key, each in value.items()}
    if hasattr(value, '_fields') or isinstance(value, (list, tuple)):
        return [plain(each, values) for each in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist(), values) if value.dtype.kind != 'S' else value.tolist().decode()
    if isinstance(value, float):
        return float(f'{value:.7g}')
    return value


def largest(value):
    """The size of the largest float in a result."""
    if isinstance(value, (list, dict)):
        return max([largest(each) for each in (value.values() if isinstance(value, dict) else value)] or [0.0])
    return abs(value) if isinstance(value, float) and abs(value) < np.inf else 0.0


def differences(found, wanted, path='', scale=1.0):
    """Where two results differ, a line each. Numbers may differ by what float32 rounds away.

    scale: the largest number of the result. A gradient that is 0 is what is left of a sum of such numbers.
    """
    if isinstance(wanted, dict) and isinstance(found, dict):
        lines = [f'{path}: {set(found) ^ set(wanted)}'] if set(found) != set(wanted) else []
        return lines + [
            line
            for key in sorted(set(found) & set(wanted))
            for line in differences(found[key], wanted[key], f'{path}/{key}', max(1.0, largest(wanted[key])))
        ]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [
            line
            for number, each in enumerate(wanted)
            for line in differences(found[number], each, f'{path}[{number}]', scale)
        ]
    if (
        isinstance(wanted, (int, float))
        and isinstance(found, (int, float))
        and isinstance(found, bool) == isinstance(wanted, bool)
    ):
        same = abs(found - wanted) <= 2e-6 * scale + 3e-5 * abs(wanted) or (found != found and wanted != wanted)
        return [] if same or found == wanted else [f'{path}: {found}, and it was {wanted}']
    return [] if found == wanted else [f'{path}: {found!r}, and it was {wanted!r}']
