"""The work for a model file grows with its length, not with the square: lines of the package that run are counted."""

import json
import os

import growth
import hostile_files
import numpy as np
import pytest

import keras_backend as K
from keras_backend import files
from keras_backend.files.reading import saved_model
from keras_backend.files.reading.limits import Budget


def _entry(kind, name, config, nodes):
    return {'class_name': kind, 'name': name, 'config': {'name': name, **config}, 'inbound_nodes': nodes}


def _input(name):
    return _entry('InputLayer', name, {'batch_input_shape': [None, 2], 'dtype': 'float64'}, [])


def _program(folder, layers, inputs, output, fed, expected):
    path = os.path.join(folder, f'{len(layers)}.json')
    model = hostile_files.functional('m', layers, [[name, 0, 0] for name in inputs], [output])
    with open(path, 'w', encoding='utf-8') as stream:
        json.dump(model, stream)
    predict = files.function(path, K=K)
    return (lambda arrays: [predict(*arrays)]), fed, [expected]


X = np.array([[0.5, -0.25]])


def _in_a_row(n):
    names = ['i', *[f'a{number}' for number in range(n)]]
    rows = zip(names, names[1:])
    return [_input('i'), *[_entry('Activation', to, {'activation': 'relu'}, [[[of, 0, 0, {}]]]) for of, to in rows]]


def layers(folder, n):
    """n layers in a row."""
    return _program(folder, _in_a_row(n), ['i'], [f'a{n - 1}', 0, 0], [X], np.maximum(X, 0))


def layers_backwards(folder, n):
    """The same, the last layer first."""
    return _program(folder, _in_a_row(n)[::-1], ['i'], [f'a{n - 1}', 0, 0], [X], np.maximum(X, 0))


def inputs(folder, n):
    """n inputs, added up."""
    names = [f'i{number}' for number in range(n)]
    add = _entry('Add', 'add', {}, [[[name, 0, 0, {}] for name in names]])
    return _program(folder, [*map(_input, names), add], names, ['add', 0, 0], [X] * n, X * n)


def calls(folder, n):
    """One layer that is called n times, each time with its last output."""
    nodes = [[['i', 0, 0, {}]], *[[['a', number, 0, {}]] for number in range(n - 1)]]
    shared = _entry('Activation', 'a', {'activation': 'relu'}, nodes)
    return _program(folder, [_input('i'), shared], ['i'], ['a', n - 1, 0], [X], np.maximum(X, 0))


@pytest.mark.parametrize(('case', 'size'), [(layers, 20), (layers_backwards, 20), (inputs, 200), (calls, 20)])
def test_work_grows_with_the_length(tmp_path, case, size):
    growth.check_growth(K, lambda _, n: case(str(tmp_path), n), size)


@pytest.mark.parametrize('case', [layers, layers_backwards, calls])
def test_the_order_of_calls_grows_with_their_number(tmp_path, case):
    """What the models of Keras 2 and Keras 3 are built by."""

    def ordered(_, n):
        _function, fed, _expected = case(str(tmp_path), n)
        model = files.read(os.path.join(str(tmp_path), f'{n + 1 if case is not calls else 2}.json')).model
        found = model.calls()
        names = [layer.name for layer, _ in found]
        assert (len(found), names[0]) == (n + 1, 'i')
        assert case is calls or names[1:] == [f'a{number}' for number in range(n)]
        return (lambda arrays: arrays), fed, fed

    growth.check_growth(K, ordered, 20)


def test_the_keys_of_a_table(tmp_path):
    def keys(_, n):
        entries = [hostile_files.entry(0, b'%08d' % place, b'\x08\x01') for place in range(n)]
        content = hostile_files.table(*[b''.join(entries[place : place + 10]) for place in range(0, n, 10)])
        (tmp_path / 'a.index').write_bytes(content)
        found = saved_model.Checkpoint(str(tmp_path), 'a', Budget('a', len(content)))
        return (lambda arrays: [len(found.entries)]), [], [n]

    growth.check_growth(K, keys, 50)
