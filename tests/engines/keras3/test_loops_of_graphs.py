"""K.rnn, map_fn, folds and lazy choices: recorded over KerasTensors, run over computed tensors."""

import keras
import numpy as np
import pytest
from keras import layers, ops
from slopes import slope, weight_slope

import keras_backend.keras3 as K
from keras_backend.conformance.truth import rnn

RNG = np.random.RandomState(5)


def array(*shape):
    return RNG.randn(*shape).astype('float32')


def numpy(x):
    return np.asarray(ops.convert_to_numpy(x))


def truth(x, h, w, mask=None, backwards=False, zero=False):
    """A simple recurrence over axis 1, with what K.rnn does where the mask is false."""
    x, h, w = [np.asarray(v, 'float64') for v in (x, h, w)]

    def step(a, states):
        new = np.tanh(a + states[0] @ w)
        return new, [new]

    last, outputs, (state,) = rnn(step, x, [h], backwards, mask, zero_output_for_mask=zero)
    return last, outputs, state


CASES = [
    dict(),
    dict(go_backwards=True),
    dict(unroll=True),
    dict(mask=True),
    dict(mask=True, go_backwards=True),
    dict(mask=True, zero_output_for_mask=True),
    dict(mask=True, unroll=True),
    dict(steps=1, mask=True),
]


@pytest.mark.parametrize('case', CASES, ids=str)
@pytest.mark.parametrize('how', ['graph', 'values', 'layer'])
def test_a_recurrence_as_numpy_says(case, how):
    case = dict(case)
    steps = case.pop('steps', 4)
    x, h, w = array(3, steps, 2), array(3, 2), array(2, 2)
    mask = RNG.rand(3, steps) > 0.4 if case.pop('mask', False) else None
    wanted = truth(x, h, w, mask, case.get('go_backwards', False), case.get('zero_output_for_mask', False))

    def step(a, states):
        new = K.tanh(a + K.dot(states[0], K.constant(w)))
        return new, [new]

    def run(x, h, m=None):
        last, outputs, states = K.rnn(step, x, [h], mask=m, **case)
        return last, outputs, states[0]

    given = [x, h] if mask is None else [x, h, mask]
    if how == 'values':
        found = [
            numpy(v)
            for v in run(*map(K.constant, given[:2]), *([K.constant(mask, 'bool')] if mask is not None else []))
        ]
    else:
        inputs = [
            keras.Input((None if how == 'graph' and 'unroll' not in case and not mask is not None else steps, 2)),
            keras.Input((2,)),
        ]
        if mask is not None:
            inputs.append(keras.Input((steps,), dtype='bool'))
        if how == 'graph':
            found = K.function(inputs, list(run(*inputs)))(given)
        else:

            class Recurrent(layers.Layer):
                def call(self, tensors):
                    return run(*tensors)

            model = keras.Model(inputs, Recurrent()(inputs))
            found = model.predict(given, verbose=0)
    for a, b in zip(found, wanted):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def recurrent_model(steps=None):
    x, other = keras.Input((steps, 2)), keras.Input((3,))
    dense, scale = layers.Dense(3), layers.Dense(3, activation='sigmoid')
    gate = scale(other)  # captured by the step

    def step(a, states):
        new = K.tanh(dense(a) + states[0] * gate)
        return new, [new]

    last, outputs, _ = K.rnn(step, x, [K.zeros_like(other)])
    return keras.Model([x, other], [last, outputs]), dense, scale


def test_a_recorded_step_has_weights_is_trained_saved_loaded_and_differentiated(tmp_path):
    keras.utils.set_random_seed(2)
    model, dense, scale = recurrent_model()
    assert len(model.trainable_weights) == 4
    given = [array(2, 5, 2), array(2, 3)]
    before = model.predict(given, verbose=0)
    w, b, v, c = [numpy(q).astype('float64') for q in (*dense.weights, *scale.weights)]
    gate = 1 / (1 + np.exp(-(given[1] @ v + c)))
    h = np.zeros((2, 3))
    for t in range(5):
        h = np.tanh(given[0][:, t] @ w + b + h * gate)
    np.testing.assert_allclose(before[0], h, rtol=1e-4, atol=1e-5)
    path = str(tmp_path / 'model.keras')
    model.save(path)
    loaded = keras.models.load_model(path)
    for p, q in zip(before, loaded.predict(given, verbose=0)):
        np.testing.assert_array_equal(p, q)
    f = K.function(
        model.inputs, [K.sum(model.outputs[0]), *K.gradients(K.sum(model.outputs[0]), [model.inputs[0], dense.kernel])]
    )
    _, by_x, by_w = f(given)
    np.testing.assert_allclose(
        by_x[1, 2, 0], slope(lambda value: f([value, given[1]])[0], given[0], (1, 2, 0)), rtol=1e-2, atol=1e-4
    )
    s = weight_slope(lambda: f(given)[0], dense.kernel, (1, 2))
    np.testing.assert_allclose(by_w[1, 2], s, rtol=1e-2, atol=1e-4)
    start = numpy(dense.kernel)[1, 2]
    model.compile(keras.optimizers.SGD(0.1), loss=[lambda t, p: K.sum(p), lambda t, p: 0.0 * K.mean(p)])
    model.train_on_batch(given, [np.zeros((2, 3)), np.zeros((2, 5, 3))])
    np.testing.assert_allclose(numpy(dense.kernel)[1, 2], start - 0.1 * s, rtol=1e-2, atol=1e-3)


def test_a_variable_read_in_a_step_is_a_weight():
    w = K.variable(array(2, 2))
    x = keras.Input((4, 2))

    def step(a, states):
        new = K.tanh(a + K.dot(states[0], w))
        return new, [new]

    last, _, _ = K.rnn(step, x, [K.zeros_like(x[:, 0])])
    model = keras.Model(x, last)
    assert len(model.trainable_weights) == 1
    value = array(3, 4, 2)
    for _ in range(2):
        wanted = truth(value, np.zeros((3, 2)), K.get_value(w))[0]
        np.testing.assert_allclose(model.predict(value, verbose=0), wanted, rtol=1e-4, atol=1e-5)
        K.set_value(w, array(2, 2))


@pytest.mark.parametrize('how', ['graph', 'layer'])
def test_dropout_in_a_step_drops_in_training(how):
    drop = layers.Dropout(0.5)

    def run(x, training=None):
        def step(a, states):
            new = states[0] + (drop(a) if training is None else drop(a, training=training))
            return new, [new]

        return K.rnn(step, x, [K.zeros_like(x[:, 0])])[0]

    class Adding(layers.Layer):
        def __init__(self):
            super().__init__()
            self.drop = drop

        def call(self, x, training=False):
            return run(x, training)

    x = keras.Input((6, 50))
    model = keras.Model(x, run(x) if how == 'graph' else Adding()(x))
    ones = np.ones((2, 6, 50), 'float32')
    np.testing.assert_array_equal(model.predict(ones, verbose=0), 6)
    f = K.function([x, K.learning_phase()], [model.output])
    np.testing.assert_array_equal(f([ones, 0])[0], 6)
    found = [f([ones, 1])[0] for _ in range(2)]
    assert set(np.unique(found[0])) <= {0, 2, 4, 6, 8, 10, 12}
    assert len(np.unique(found[0])) > 3
    assert (found[0] != found[1]).any()
    model.compile('sgd', loss=lambda t, p: K.mean(p))
    losses = [float(model.train_on_batch(ones, np.zeros((2, 50)))) for _ in range(2)]
    assert losses[0] != losses[1]


def test_a_step_that_returns_its_input_and_a_constant():
    x = keras.Input((3, 2))
    last, outputs, (state, fixed) = K.rnn(lambda a, s: (a, [s[0], K.ones((2,))]), x, [x[:, 0], K.zeros((2,))])
    value = array(2, 3, 2)
    found = K.function([x], [last, outputs, state, fixed])([value])
    for a, b in zip(found, [value[:, -1], value, value[:, 0], np.ones(2)]):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize('symbolic', [True, False])
def test_maps_and_folds_of_keras_3(symbolic):
    value, other = array(4, 3), array(4, 3)
    x, y = (K.placeholder((4, 3)), K.placeholder((4, 3))) if symbolic else (K.constant(value), K.constant(other))
    tensors = [
        K.map_fn(lambda row: 2 * row, x),
        K.map_fn(lambda rows: K.sum(rows[0] * rows[1]), [x, y], dtype='float32'),
        K.foldl(lambda a, row: a + row, x),
        K.foldl(lambda a, row: 0.5 * a + row, x, initializer=K.zeros((3,))),
        K.foldr(lambda a, row: 0.5 * a - row, x),
    ]
    found = K.function([x, y], tensors)([value, other]) if symbolic else [numpy(t) for t in tensors]
    left = np.zeros(3)
    for row in value:
        left = 0.5 * left + row
    right = value[-1]
    for row in value[-2::-1]:
        right = 0.5 * right - row
    for a, b in zip(found, [2 * value, (value * other).sum(1), value.sum(0), left, right]):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_a_map_over_numbers_that_captures_a_tensor_of_the_graph():
    x = keras.Input((3,))
    y = K.map_fn(lambda i: x * K.cast(i, 'float32'), K.arange(4))
    value = array(2, 3)
    np.testing.assert_allclose(K.function([x], [y])([value])[0], [i * value for i in range(4)], rtol=1e-6)


def test_a_choice_computes_one_branch_and_its_gradient_is_that_of_the_branch(tmp_path):
    x, positive = keras.Input((2,)), K.placeholder((), dtype='bool')
    y = K.switch(positive, lambda: K.log(x), lambda: 2 * x)
    f = K.function([x, positive], [y, K.gradients(K.sum(y), x)[0]])
    value, g = f([[[1.0, 4.0]], True])
    np.testing.assert_allclose([value, g], [[np.log([1, 4])], [[1, 0.25]]], rtol=1e-5)
    # The other branch would be NaN here.
    value, g = f([[[0.0, -4.0]], False])
    np.testing.assert_array_equal([value, g], [[[0, -8]], [[2, 2]]])


def test_a_choice_holds_weights_is_trained_saved_and_loaded(tmp_path):
    x = keras.Input((2,))
    a, b = layers.Dense(2), layers.Dense(2)
    shared = K.tanh(x)
    y = K.switch(K.sum(x) > 0, lambda: a(shared) + shared, lambda: b(x))
    model = keras.Model(x, y)
    assert len(model.trainable_weights) == 4
    value = np.abs(array(1, 2))
    for sign, layer in ((1, a), (-1, b)):
        given = sign * value
        w, c = layer.get_weights()
        wanted = np.tanh(given) @ w + c + np.tanh(given) if sign > 0 else given @ w + c
        np.testing.assert_allclose(model.predict(given, verbose=0), wanted, rtol=1e-4, atol=1e-5)
    path = str(tmp_path / 'model.keras')
    model.save(path)
    loaded = keras.models.load_model(path)
    np.testing.assert_array_equal(loaded.predict(value, verbose=0), model.predict(value, verbose=0))
    model.compile(keras.optimizers.SGD(0.1), loss=lambda t, p: K.sum(p))
    before = a.get_weights(), b.get_weights()
    model.train_on_batch(value, np.zeros((1, 2)))
    np.testing.assert_allclose(a.get_weights()[0], before[0][0] - 0.1 * np.tanh(value).T, rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(b.get_weights()[0], before[1][0])


def test_a_choice_in_a_layer_and_over_values():
    class Chooses(layers.Layer):
        def call(self, x):
            return K.switch(K.sum(x) > 0, lambda: x * 2, lambda: -x)

    x = keras.Input((2,))
    model = keras.Model(x, Chooses()(x))
    value = np.abs(array(1, 2))
    np.testing.assert_allclose(model.predict(value, verbose=0), 2 * value)
    np.testing.assert_allclose(model.predict(-value, verbose=0), value)
    t = K.constant(value)
    np.testing.assert_allclose(numpy(K.switch(K.sum(t) > 0, lambda: t * 2, lambda: -t)), 2 * value)


def test_branches_of_unlike_dtype_meet():
    x = keras.Input((2,))
    y = K.switch(K.sum(x) > 0, lambda: K.cast(x, 'int32'), lambda: x)
    assert K.dtype(y) == 'float32'
    found = K.function([x], [y])([[[1.5, 2.5]]])[0]
    assert found.tolist() == [[1, 2]]
    assert found.dtype == 'float32'


def test_dropout_in_a_branch_drops():
    x = keras.Input((100,))
    drop = layers.Dropout(0.5)
    y = K.switch(K.sum(x) > 0, lambda: drop(x), lambda: x)
    f = K.function([x, K.learning_phase()], [y])
    found = [f([np.ones((1, 100)), 1])[0] for _ in range(2)]
    assert 0.2 < (found[0] == 0).mean() < 0.8
    assert (found[0] != found[1]).any()
