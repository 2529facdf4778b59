"""K.function over KerasTensors, updates, values and the learning phase."""

import threading

import keras
import numpy as np
import pytest
from keras import layers

import keras_backend.keras3 as K
from keras_backend.errors import ArgumentTypeError, ArgumentValueError, FeedError

RNG = np.random.RandomState(11)


def array(*shape):
    return RNG.randn(*shape).astype('float32')


@pytest.fixture(autouse=True)
def _phase():
    yield
    K.set_learning_phase(0)
    K.clear_session()


@pytest.fixture
def mlp():
    x = keras.Input((3,), name='features')
    hidden = layers.Dense(4, activation='tanh', name='hidden')(x)
    return keras.Model(x, layers.Dense(2)(hidden))


def test_layers_of_a_model_as_numpy_says_and_after_new_weights(mlp):
    f = K.function([mlp.input], [mlp.get_layer('hidden').output, mlp.output])
    x = array(5, 3)
    for factor in (1, 2):
        mlp.set_weights([factor * w for w in mlp.get_weights()])
        w, b, v, c = mlp.get_weights()
        hidden, y = f([x])
        np.testing.assert_allclose(hidden, np.tanh(x @ w + b), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(y, np.tanh(x @ w + b) @ v + c, rtol=1e-4, atol=1e-5)
        assert isinstance(y, np.ndarray)


def test_an_intermediate_tensor_as_input(mlp):
    hidden = mlp.get_layer('hidden').output
    _, _, v, c = mlp.get_weights()
    value = array(2, 4)
    np.testing.assert_allclose(K.function([hidden], [mlp.output])([value])[0], value @ v + c, rtol=1e-4, atol=1e-5)
    # Also as an output, and beside what it is made of.
    found = K.function([mlp.input, hidden], [hidden, mlp.input])([array(2, 3), value])
    np.testing.assert_array_equal(found[0], value)


def test_a_single_output_and_no_inputs():
    x = K.placeholder((2, 2))
    assert K.function([x], 2 * x)([np.ones((2, 2))]).tolist() == [[2, 2], [2, 2]]
    v = K.variable([1.0, 2.0])
    assert K.function([], [v])([])[0].tolist() == [1, 2]
    K.set_value(v, [3.0, 4.0])
    f = K.function([], [v])
    assert f([])[0].tolist() == [3, 4]
    K.set_value(v, [5.0, 6.0])
    assert f([])[0].tolist() == [5, 6]


def test_outputs_and_updates_see_the_old_values():
    x, a, b = K.placeholder(()), K.variable(1.0), K.variable(10.0)
    read_a = a * (x * 0 + 1)
    f = K.function([x], [read_a, b], [(a, b * (x * 0 + 1)), (b, read_a + x)])
    assert [float(v) for v in f([5.0])] == [1, 10]
    assert [K.get_value(a), K.get_value(b)] == [10, 6]
    assert [float(v) for v in f([1.0])] == [10, 6]
    assert [K.get_value(a), K.get_value(b)] == [6, 11]


def test_increments_add_up_and_an_assignment_replaces_what_came_before():
    x, v = K.placeholder(()), K.variable(1.0)
    f = K.function([x], [], [K.update_add(v, x), K.update_sub(v, 3 * x), K.update_add(v, 10.0)])
    f([2.0])
    assert K.get_value(v) == 1 + 2 - 6 + 10
    g = K.function([x], [], [K.update_add(v, x), K.update(v, x * 100.0)])
    g([2.0])
    assert K.get_value(v) == 200


def test_an_update_with_numbers_is_made_at_once_or_belongs_to_the_function_that_takes_it():
    v, x = K.variable(1.0), K.placeholder(())
    K.update_add(v, 2.0)
    assert K.get_value(v) == 3
    f = K.function([x], [x], [K.update_add(v, 1.0), K.update_add(v, 4.0)])
    assert K.get_value(v) == 3
    f([0.0])
    f([0.0])
    assert K.get_value(v) == 13


def test_moving_average_update():
    x, v = K.placeholder((2,)), K.variable([1.0, 2.0])
    f = K.function([x], [], [K.moving_average_update(v, x, 0.75)])
    f([[5.0, -2.0]])
    np.testing.assert_allclose(K.get_value(v), [0.75 + 1.25, 1.5 - 0.5], rtol=1e-6)
    K.moving_average_update(v, K.constant([0.0, 0.0]), 0.5)
    np.testing.assert_allclose(K.get_value(v), [1.0, 0.5], rtol=1e-6)


def test_values_in_batches():
    a, b = K.variable([1.0]), K.variable([[2.0]])
    K.batch_set_value([(a, [3.0]), (b, np.array([[4.0]]))])
    assert [v.tolist() for v in K.batch_get_value([a, b])] == [[3], [[4]]]
    got = K.get_value(a)
    got[...] = 7
    assert K.get_value(a) == 3
    with pytest.raises(ValueError, match=r'K\.function'):
        K.get_value(keras.Input((2,)))


def test_the_learning_phase_is_fed_or_set():
    x = keras.Input((200,))
    y = layers.Dropout(0.5)(x)
    f = K.function([x, K.learning_phase()], [y, K.in_train_phase(2 * x, x), K.in_test_phase(x, -x)])
    ones = np.ones((4, 200), 'float32')
    test, plain, tested = f([ones, 0])
    train, doubled, trained = f([ones, 1])
    assert (test == 1).all()
    assert 0.3 < (train == 0).mean() < 0.7
    assert (plain.max(), tested.max(), doubled.max(), trained.max()) == (1, 1, 2, -1)
    g = K.function([x], [y])
    assert (g([ones])[0] == 1).all()
    K.set_learning_phase(1)
    assert 0.3 < (g([ones])[0] == 0).mean() < 0.7


def test_monte_carlo_dropout_drops_without_a_phase():
    x = keras.Input((200,))
    f = K.function([x], [layers.Dropout(0.5)(x, training=True)])
    found = [f([np.ones((1, 200))])[0] for _ in range(2)]
    assert 0.3 < (found[0] == 0).mean() < 0.7
    assert (found[0] != found[1]).any()


class Phased(layers.Layer):
    """It has no argument `training`, as layers of the time before it had none."""

    def call(self, x):
        return K.in_train_phase(lambda: 2 * x, x)


@pytest.mark.parametrize('layer', [Phased, lambda: layers.Lambda(lambda x: K.in_train_phase(2 * x, x))])
def test_the_phase_reaches_layers_without_an_argument_training(layer):
    x = keras.Input((1,))
    model = keras.Model(x, layer()(x))
    one = np.ones((1, 1), 'float32')
    f = K.function([x, K.learning_phase()], [model.output])
    assert (f([one, 0])[0], f([one, 1])[0]) == (1, 2)
    assert model.predict(one, verbose=0) == 1
    model.compile('sgd', loss=lambda t, p: K.mean(p))
    assert float(model.evaluate(one, one, verbose=0)) == 1
    model.reset_metrics()  # an older Keras gives the mean of all batches
    assert float(model.train_on_batch(one, one)) == 2


def test_in_train_phase_between_layers_is_trained_tested_and_saved(tmp_path):
    x = keras.Input((1,))
    model = keras.Model(x, K.in_train_phase(3 * x, x))
    model.compile('sgd', loss=lambda t, p: K.mean(p))
    one = np.ones((1, 1), 'float32')
    path = str(tmp_path / 'model.keras')
    model.save(path)
    loaded = keras.models.load_model(path, compile=False)
    loaded.compile('sgd', loss=lambda t, p: K.mean(p))
    for each in (model, loaded):
        assert float(each.train_on_batch(one, one)) == 3
        assert float(each.evaluate(one, one, verbose=0)) == 1


def test_nothing_is_computed_from_the_phase_itself():
    with pytest.raises(TypeError, match='K.in_train_phase'):
        1.0 - K.learning_phase()
    with pytest.raises(TypeError, match='K.in_train_phase'):
        bool(K.learning_phase())


def test_computed_outputs_and_missing_inputs_are_named(mlp):
    x = keras.Input((3,), name='forgotten')
    with pytest.raises(ArgumentValueError, match='computed already'):
        K.function([x], [keras.ops.square(K.variable([1.0]))])
    with pytest.raises(FeedError, match='forgotten'):
        K.function([], [2 * x])
    base = keras.Model(x, layers.Dense(2)(x), name='base')
    outer = keras.Input((3,))
    y = K.sum(base(outer))
    with pytest.raises(FeedError, match="the model 'base'"):
        K.function([outer], [base.layers[-1].output, y])
    with pytest.raises(FeedError, match='twice'):
        K.function([x, x], [2 * x])
    with pytest.raises(ArgumentTypeError, match=r'inputs\[0\]'):
        K.function([K.variable(1.0)], [2 * x])


def test_what_does_not_fit_is_refused(mlp):
    f = K.function([mlp.input], [mlp.output])
    with pytest.raises(FeedError, match=r'features of shape \(None, 3\).*\(2, 4\)'):
        f([array(2, 4)])
    with pytest.raises(FeedError, match='KerasTensor'):
        f([keras.Input((3,))])
    with pytest.raises(FeedError):
        f([])
    assert f([[[1, 2, 3]]])[0].shape == (1, 2)


def test_arguments_of_sessions_are_refused(mlp):
    with pytest.raises(ArgumentValueError, match='run_metadata'):
        K.function([mlp.input], [mlp.output], run_metadata=None)


def test_four_threads(mlp):
    f = K.function([mlp.input], [mlp.output])
    xs = [array(2, 3) for _ in range(4)]
    truth = [f([x])[0] for x in xs]
    wrong = []

    def work(i):
        for _ in range(20):
            if not np.allclose(f([xs[i]])[0], truth[i], rtol=1e-5, atol=1e-6):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_results_keep_their_values_when_variables_change():
    v, x = K.variable([1.0, 2.0]), K.placeholder((2,))
    f = K.function([x], [v], [K.update_add(v, x)])
    first = f([[1.0, 1.0]])[0]
    f([[1.0, 1.0]])
    assert first.tolist() == [1, 2]


def test_learning_phase_1_leaves_the_averages_of_batch_normalization():
    """As in tf_keras, K.function changes no variable that is not among its updates; dropout draws anew in each call."""
    x = keras.Input((3,))
    layer = keras.layers.BatchNormalization()
    y = layer(x)
    z = keras.layers.Dropout(0.5)(y)
    f = K.function([x, K.learning_phase()], [y, z])
    before = [K.get_value(v) for v in layer.variables]
    value = np.arange(60, dtype='float32').reshape(20, 3)
    (first, dropped), (_, again) = f([value, 1]), f([value, 1])
    np.testing.assert_allclose(first, (value - value.mean(0)) / np.sqrt(value.var(0) + 1e-3), atol=1e-5)
    for v, old in zip(layer.variables, before):
        np.testing.assert_array_equal(K.get_value(v), old)
    assert not np.array_equal(dropped, again)
