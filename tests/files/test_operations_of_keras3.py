"""Operations of Keras 3 in a model, composed with K: each gives what NumPy gives."""

import numpy as np
import pytest

import keras_backend as K
from keras_backend.files.layers.composition import compose
from keras_backend.files.layers.keras3_operations import OPERATIONS, PREFIX
from keras_backend.files.structure import Call, Layer, Model, Reference

X = np.random.RandomState(0).uniform(0.2, 2.0, (2, 3, 4)).astype('float32')
Y = np.random.RandomState(1).uniform(0.2, 2.0, (2, 3, 4)).astype('float32')
SIGNED = X - 1.0
INDEX = [{'class_name': '__slice__', 'config': {'start': start, 'stop': None, 'step': None}} for start in (None, 1)]


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


ONE = {
    'Negative': np.negative, 'Absolute': np.abs, 'Abs': np.abs, 'Exp': np.exp, 'Square': np.square, 'Sign': np.sign,
    'Round': np.round, 'Sin': np.sin, 'Cos': np.cos, 'Tanh': np.tanh, 'Sigmoid': lambda x: 1 / (1 + np.exp(-x)),
    'Relu': lambda x: np.maximum(x, 0), 'Softplus': lambda x: np.log1p(np.exp(x)),
    'Softsign': lambda x: x / (1 + np.abs(x)),
}  # fmt: skip
TWO = {
    'Add': np.add, 'Subtract': np.subtract, 'Multiply': np.multiply, 'TrueDivide': np.divide, 'Divide': np.divide,
    'Maximum': np.maximum, 'Minimum': np.minimum, 'Equal': np.equal, 'NotEqual': np.not_equal, 'Greater': np.greater,
    'GreaterEqual': np.greater_equal, 'Less': np.less, 'LessEqual': np.less_equal, 'Power': np.power,
}  # fmt: skip
# The operation, the inputs, the configuration, the result.
CASES = [
    *[(kind, [SIGNED], {}, truth(SIGNED)) for kind, truth in ONE.items()],
    *[(kind, [X], {}, truth(X)) for kind, truth in (('Log', np.log), ('Sqrt', np.sqrt))],
    *[(kind, [X, Y], {}, truth(X, Y)) for kind, truth in TWO.items() if kind != 'Power'],
    *[(kind, [X, 0.5], {}, truth(X, np.float32(0.5))) for kind, truth in TWO.items()],
    *[
        (kind, [X], {'axis': axis, 'keepdims': keep}, getattr(np, kind.lower())(X, axis=axis, keepdims=keep))
        for kind in ('Mean', 'Sum', 'Max', 'Min', 'Prod', 'Std', 'Var')
        for axis, keep in ((1, False), (-1, True))
    ],
    *[
        (kind, [SIGNED > 0], {'axis': 1}, getattr(np, kind.lower())(SIGNED > 0, axis=1)) for kind in ('Any', 'All')
    ],
    *[
        ('Logical' + kind, [SIGNED > 0, Y > 1], {}, getattr(np, 'logical_' + kind.lower())(SIGNED > 0, Y > 1))
        for kind in ('Or', 'And', 'Xor')
    ],
    ('LogicalNot', [SIGNED > 0], {}, SIGNED <= 0),
    ('ZerosLike', [SIGNED > 0], {}, np.zeros_like(SIGNED > 0)),
    ('OnesLike', [X], {'dtype': 'int32'}, np.ones((2, 3, 4), 'int32')),
    ('ConvertToTensor', [X], {'dtype': None}, X),
    ('Softmax', [X], {'axis': 1}, softmax(X, 1)),
    ('ExpandDims', [X], {'axis': 1}, X[:, None]),
    ('Squeeze', [X[:, :1]], {'axis': 1}, X[:, 0]),
    ('Clip', [X], {'x_min': 0.5, 'x_max': 1.0}, X.clip(0.5, 1.0)),
    ('Cast', [X], {'dtype': 'int32'}, X.astype('int32')),
    ('Concatenate', [X, Y], {'axis': 1}, np.concatenate([X, Y], 1)),
    ('Stack', [X, Y], {'axis': 1}, np.stack([X, Y], 1)),
    ('GetItem', [X], {'1': INDEX}, X[:, 1:]),
    ('GetItem', [X], {'1': [{'class_name': '__ellipsis__', 'config': {}}, 2]}, X[..., 2]),
    ('Reshape', [X], {'newshape': [-1, 12]}, X.reshape(-1, 12)),
    ('Transpose', [X], {'axes': [0, 2, 1]}, X.transpose(0, 2, 1)),
]  # fmt: skip


@pytest.mark.parametrize(('kind', 'inputs', 'config', 'wanted'), CASES, ids=[case[0] for case in CASES])
def test_operation_of_keras3(kind, inputs, config, wanted):
    arrays = [one for one in inputs if isinstance(one, np.ndarray)]
    layers = [
        Layer(f'x{number}', 'InputLayer', {'batch_input_shape': [None, *one.shape[1:]], 'dtype': str(one.dtype)})
        for number, one in enumerate(arrays)
    ]
    places = [Reference(layer.name, 0, 0) for layer in layers]
    operation = Layer('operation', PREFIX + kind, config)
    operation.calls.append(Call([*places, *inputs[len(arrays) :]]))
    model = Model('model', [*layers, operation], places, [Reference('operation', 0, 0)])
    found = compose(model, K, library='keras 3').function()(arrays)[0]
    assert found.shape == wanted.shape
    np.testing.assert_allclose(np.asarray(found, 'float64'), np.asarray(wanted, 'float64'), rtol=2e-5, atol=1e-5)


def test_every_operation_of_keras3_has_a_case():
    assert {case[0] for case in CASES} == set(OPERATIONS)
