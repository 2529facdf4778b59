"""K.gradients of KerasTensors against finite differences."""

import keras
import numpy as np
import pytest
from keras import layers, ops
from slopes import slope, weight_slope

import keras_backend.keras3 as K
from keras_backend.errors import ArgumentTypeError, ArgumentValueError

RNG = np.random.RandomState(7)
NEAR = {'rtol': 5e-3, 'atol': 2e-5}


def array(*shape):
    return RNG.randn(*shape).astype('float32')


def numpy(x):
    return np.asarray(ops.convert_to_numpy(x))


@pytest.fixture
def cnn():
    keras.utils.set_random_seed(3)
    inputs = keras.Input((6, 6, 2))
    features = layers.Conv2D(3, 3, activation='tanh', name='features')(inputs)
    classes = layers.Dense(4, activation='softmax')(layers.Flatten()(features))
    return keras.Model(inputs, classes)


def test_grad_cam_is_the_slope_of_a_class_score(cnn):
    layer = cnn.get_layer('features')
    grads = K.gradients(cnn.output[:, 1], layer.output)[0]
    f = K.function([cnn.input], [layer.output, grads])
    x = array(2, 6, 6, 2)
    features, found = f([x])
    head = keras.Function(layer.output, cnn.output[:, 1])
    for place in [(0, 1, 2, 0), (1, 3, 3, 2)]:
        np.testing.assert_allclose(found[place], slope(lambda v: numpy(head(v)), features, place), **NEAR)


def test_saliency_is_the_slope_of_the_largest_score_and_follows_new_weights(cnn):
    found = K.function([cnn.input], K.gradients(K.max(cnn.output, axis=-1), [cnn.input]))
    x = array(1, 6, 6, 2)

    def truth(place):
        return slope(lambda v: numpy(cnn(v)).max(-1), x, place)

    np.testing.assert_allclose(found([x])[0][0, 2, 3, 1], truth((0, 2, 3, 1)), **NEAR)
    before = found([x])[0]
    cnn.set_weights([2 * w for w in cnn.get_weights()])
    after = found([x])[0]
    assert np.abs(after - before).max() > 1e-3
    np.testing.assert_allclose(after[0, 2, 3, 1], truth((0, 2, 3, 1)), **NEAR)


def test_gradient_by_a_kernel(cnn):
    kernel = cnn.get_layer('features').kernel
    loss = K.mean(K.square(cnn.output))
    f = K.function([cnn.input], K.gradients(loss, [kernel]))
    x = array(3, 6, 6, 2)
    found = f([x])[0]
    assert found.shape == tuple(kernel.shape)
    truth = weight_slope(lambda: np.mean(np.square(numpy(cnn(x)))), kernel, (1, 1, 0, 2))
    np.testing.assert_allclose(found[1, 1, 0, 2], truth, **NEAR)


def test_several_tensors_of_which_one_depends_on_the_other_have_the_gradients_that_each_has_alone(cnn):
    layer = cnn.get_layer('features')
    loss = K.sum(cnn.output[:, 2]) + K.sum(K.square(cnn.input)) * 0.1
    by = [layer.output, cnn.input, layer.kernel]
    x = array(2, 6, 6, 2)
    joint = K.function([cnn.input], K.gradients(loss, by))([x])
    alone = [K.function([cnn.input], K.gradients(loss, [t]))([x])[0] for t in by]
    for a, b in zip(joint, alone):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    truth = slope(lambda v: numpy(cnn(v))[:, 2].sum() + 0.1 * np.square(v).sum(), x, (0, 1, 1, 1))
    np.testing.assert_allclose(joint[1][0, 1, 1, 1], truth, rtol=5e-3, atol=5e-4)


def test_second_order_by_input_and_kernel(cnn):
    first = K.gradients(K.sum(cnn.output[:, 0] * cnn.output[:, 1]), cnn.input)[0]
    energy = K.sum(K.square(first))
    kernel = cnn.get_layer('features').kernel
    f = K.function([cnn.input], [energy, *K.gradients(energy, [cnn.input, kernel])])
    x = array(2, 6, 6, 2)
    _, by_input, by_kernel = f([x])
    assert np.abs(by_kernel).max() > 1e-6
    np.testing.assert_allclose(by_input[1, 2, 2, 0], slope(lambda v: f([v])[0], x, (1, 2, 2, 0)), rtol=2e-2, atol=1e-6)
    np.testing.assert_allclose(
        by_kernel[0, 2, 1, 1], weight_slope(lambda: f([x])[0], kernel, (0, 2, 1, 1)), rtol=2e-2, atol=1e-6
    )


def test_what_the_loss_does_not_depend_on_has_no_gradient(cnn):
    other, stranger = keras.Input((2,)), K.variable([1.0, 2.0])
    found = K.gradients(cnn.output, [other, cnn.input, stranger])
    assert found[0] is None
    assert found[2] is None
    assert tuple(found[1].shape) == tuple(cnn.input.shape)
    assert K.gradients(cnn.output, stranger) == [None]


def test_integers_have_no_gradient():
    words = keras.Input((3,), dtype='int32')
    assert K.gradients(layers.Embedding(5, 2)(words), words) == [None]


def test_the_gradient_of_an_embedding_is_dense():
    words = keras.Input((2,), dtype='int32')
    embedding = layers.Embedding(4, 2)
    f = K.function([words], K.gradients(K.sum(embedding(words)), [embedding.embeddings]))
    np.testing.assert_array_equal(f([[[1, 3], [3, 3]]])[0], [[0, 0], [1, 1], [0, 0], [3, 3]])


def test_a_tensor_itself_and_several_losses():
    x = keras.Input((2,))
    f = K.function([x], [K.gradients(x, x)[0], K.gradients([K.square(x), 3.0 * x], x)[0]])
    ones, sums = f([[[1.0, 2.0]]])
    np.testing.assert_array_equal(ones, [[1, 1]])
    np.testing.assert_array_equal(sums, [[5, 7]])


def test_one_of_several_outputs_of_a_layer():
    x = keras.Input((4,))
    a, b = ops.split(K.tanh(x), 2, axis=-1)
    f = K.function([x], [a, b, K.gradients(K.sum(K.square(a) * b), a)[0]])
    one, two, found = f([array(3, 4)])
    np.testing.assert_allclose(found, 2 * one * two, rtol=1e-5)


def test_a_tensor_inside_of_a_nested_model_is_named(cnn):
    x = keras.Input((6, 6, 2))
    outer = K.sum(cnn(x))
    with pytest.raises(ArgumentValueError, match='inside of the model .*functional'):
        K.gradients(outer, cnn.get_layer('features').output)
    found = K.function([x], K.gradients(K.sum(K.square(cnn(x))), [x]))
    value = array(1, 6, 6, 2)
    truth = slope(lambda v: np.square(numpy(cnn(v))).sum(), value, (0, 2, 2, 0))
    np.testing.assert_allclose(found([value])[0][0, 2, 2, 0], truth, **NEAR)


@pytest.mark.parametrize('suffix', ['.keras', '.h5'])
def test_of_a_model_that_was_loaded(cnn, tmp_path, suffix):
    path = str(tmp_path / ('model' + suffix))
    cnn.save(path)
    loaded = keras.models.load_model(path)
    x = array(1, 6, 6, 2)
    found = [
        K.function([m.input], K.gradients(m.output[:, 0], m.get_layer('features').output))([x])[0]
        for m in (cnn, loaded)
    ]
    assert np.abs(found[0]).max() > 0
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)


def test_a_model_that_holds_a_gradient_is_not_saved_and_its_weights_are(cnn, tmp_path):
    model = keras.Model(cnn.input, K.gradients(K.sum(cnn.output[:, 0]), cnn.input)[0])
    assert len(model.trainable_weights) == len(cnn.trainable_weights)
    model.save_weights(str(tmp_path / 'model.weights.h5'))
    with pytest.raises(ArgumentValueError, match='save_weights'):
        model.save(str(tmp_path / 'model.keras'))


def test_in_phase_1_dropout_drops_and_batch_normalization_uses_the_batch_and_does_not_move():
    x = keras.Input((6,))
    normal = layers.BatchNormalization(momentum=0.5)
    y = layers.Dropout(0.5)(normal(x))
    g = K.gradients(K.sum(K.square(y)), x)[0]
    f = K.function([x, K.learning_phase()], [y, g])
    value = array(64, 6) + 3
    still, g0 = f([value, 0])
    assert np.count_nonzero(still) == still.size
    np.testing.assert_allclose(g0, 2 * still / np.sqrt(1 + 1e-3), rtol=1e-3)
    np.testing.assert_array_equal(numpy(normal.moving_mean), 0)
    dropped, g1 = f([value, 1])
    assert 0.3 < np.mean(dropped == 0) < 0.7
    np.testing.assert_array_equal(numpy(normal.moving_mean), 0)
    # By the batch: every column of the gradient sums up to nothing.
    np.testing.assert_allclose(g1.sum(0), 0, atol=1e-2)


def test_of_a_function_of_computed_tensors():
    x, w = array(3, 2), K.variable(array(2, 2))
    by_x, by_w = K.gradients(lambda a, v: K.sum(K.tanh(K.dot(a, v))), [K.constant(x), w])
    weights = numpy(w.value)
    inner = 1 - np.tanh(x @ weights) ** 2
    np.testing.assert_allclose(numpy(by_x), inner @ weights.T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(numpy(by_w), x.T @ inner, rtol=1e-4, atol=1e-5)


def test_of_a_function_in_the_call_of_a_layer_while_a_model_is_trained():
    class Penalised(layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(shape=(shape[-1], 1), initializer='ones')

        def call(self, x):
            g = K.gradients(lambda t: K.tanh(K.dot(t, self.w)), x)[0]
            self.add_loss(K.sum(K.square(g)))
            return K.dot(x, self.w)

    x = array(4, 3)
    inputs = keras.Input((3,))
    layer = Penalised()
    model = keras.Model(inputs, layer(inputs))
    model.compile(keras.optimizers.SGD(0.01), loss=lambda t, p: 0.0 * K.mean(p))
    model.train_on_batch(x, np.zeros((4, 1), 'float32'))

    def penalty(w):
        return np.sum(np.square((1 - np.tanh(x @ w) ** 2) * w.T))

    start = np.ones((3, 1))
    for i in range(3):
        np.testing.assert_allclose(numpy(layer.w)[i, 0], 1 - 0.01 * slope(penalty, start, (i, 0), 1e-4), rtol=1e-4)


def test_where_nobody_looks_back_the_error_names_the_function():
    x = K.constant([1.0, 2.0])
    with pytest.raises(ArgumentValueError, match=r'pass a function, K\.gradients\(lambda'):
        K.gradients(K.square(x), x)


def test_a_computed_loss_and_a_keras_tensor():
    with pytest.raises(ArgumentTypeError, match='output of the model'):
        K.gradients(K.constant([1.0]), keras.Input((2,)))


def wasserstein_trainer(critic):
    real, fake = keras.Input((3,)), keras.Input((3,))
    middle = (real + fake) * 0.5
    norm = K.sqrt(K.sum(K.square(K.gradients(critic(middle), middle)[0]), axis=1))
    return keras.Model([real, fake], [critic(real), critic(fake), K.square(1.0 - norm)])


def test_a_gradient_penalty_is_trained_exactly_as_finite_differences_say():
    keras.utils.set_random_seed(5)
    x = keras.Input((3,))
    critic = keras.Model(x, layers.Dense(1)(layers.Dense(4, activation='tanh')(x)))
    trainer = wasserstein_trainer(critic)
    assert len(trainer.trainable_weights) == 4
    trainer.compile(
        keras.optimizers.SGD(0.1),
        loss=[lambda t, p: K.mean(t * p), lambda t, p: K.mean(t * p), lambda t, p: 10.0 * K.mean(p)],
    )
    real, fake = array(8, 3), array(8, 3)
    ones = np.ones((8, 1), 'float32')
    targets = [-ones, ones, np.zeros(8, 'float32')]
    before = [w.copy() for w in critic.get_weights()]

    def total():
        a, b, c = [numpy(y).astype('float64') for y in trainer([real, fake])]
        return np.mean(-a) + np.mean(b) + 10 * np.mean(c)

    places = [(0, (1, 2)), (2, (3, 0))]
    slopes = [weight_slope(total, critic.weights[i], place) for i, place in places]
    trainer.fit([real, fake], targets, batch_size=8, epochs=1, verbose=0)
    for (i, place), s in zip(places, slopes):
        assert abs(s) > 1e-3
        np.testing.assert_allclose(critic.get_weights()[i][place], before[i][place] - 0.1 * s, rtol=2e-3, atol=1e-4)
    # A second batch, with the weights of now.
    middle = [w.copy() for w in critic.get_weights()]
    slopes = [weight_slope(total, critic.weights[i], place) for i, place in places]
    trainer.train_on_batch([real, fake], targets)
    for (i, place), s in zip(places, slopes):
        np.testing.assert_allclose(critic.get_weights()[i][place], middle[i][place] - 0.1 * s, rtol=2e-3, atol=2e-4)


def test_batch_normalization_below_a_trained_gradient_moves_once_in_fit():
    x = keras.Input((3,))
    normal = layers.BatchNormalization(momentum=0.5)
    g = K.gradients(K.sum(K.square(normal(x))), x)[0]
    model = keras.Model(x, g)
    model.compile(keras.optimizers.SGD(0.0), loss=lambda t, p: K.mean(p))
    value = array(16, 3) + 2
    model.fit(value, np.zeros((16, 3)), batch_size=16, verbose=0)
    np.testing.assert_allclose(numpy(normal.moving_mean), 0.5 * value.mean(0), rtol=1e-4)
