"""Gradients as values: penalties, Hessian products, gradients of gradients."""

from idioms.harness import feed, of_tensor, reals


def idiom_hessian_vector_product(K, np):
    w, v = K.variable(reals((3,), 1)), K.constant(reals((3,), 2))
    loss = K.sum(K.sin(w) * K.exp(0.3 * w)) + K.prod(w)
    gradient = K.gradients(loss, [w])[0]
    return of_tensor(K, gradient=gradient, product=K.gradients(K.sum(gradient * v), [w])[0])


def idiom_rows_of_a_jacobian(K, np):
    x, w = feed(K, reals((2, 3))), K.variable(reals((3, 3), 2))
    y = K.tanh(K.dot(x, w))
    rows = [K.gradients(y[:, n], x)[0] for n in range(3)]
    return {'jacobian': K.function([x], [K.stack(rows, axis=1)])([reals((2, 3), 1)])[0]}


def idiom_gradient_norm_of_weights(K, np):
    """The metric that callbacks show."""
    x, w = feed(K, reals((4, 3))), [K.variable(reals((3, 2), 2)), K.variable(reals((2,), 3))]
    loss = K.mean(K.square(K.sigmoid(K.dot(x, w[0]) + w[1])))
    norm = K.sqrt(sum(K.sum(K.square(g)) for g in K.gradients(loss, w)))
    return dict(zip(('loss', 'norm'), K.function([x], [loss, norm])([reals((4, 3), 1)])))


def idiom_fast_gradient_sign(K, np):
    x, w = feed(K, reals((4, 3))), K.variable(reals((3, 3), 2))
    loss = K.categorical_crossentropy(K.eye(3)[:1] + K.zeros_like(x), K.dot(x, w), from_logits=True)
    adversarial = K.stop_gradient(x + 0.1 * K.sign(K.gradients(loss, [x])[0]))
    again = K.categorical_crossentropy(K.eye(3)[:1] + K.zeros_like(x), K.dot(adversarial, w), from_logits=True)
    values = K.function([x], [adversarial, again] + K.gradients(K.mean(again), [w]))([reals((4, 3), 1)])
    return dict(zip(('adversarial', 'loss', 'w'), values))


def idiom_virtual_adversarial_direction(K, np):
    x, d, w = feed(K, reals((4, 3))), feed(K, reals((4, 3))), K.variable(reals((3, 3), 2))
    p, q = K.softmax(K.dot(x, w)), K.softmax(K.dot(x + 0.5 * K.l2_normalize(d, axis=1), w))
    kl = K.mean(K.sum(K.stop_gradient(p) * K.log(K.stop_gradient(p) / q), axis=1))
    direction = K.l2_normalize(K.gradients(kl, [d])[0] * 100.0, axis=1)
    return dict(zip(('kl', 'direction'), K.function([x, d], [kl, direction])([reals((4, 3), 1), reals((4, 3), 3)])))


def idiom_integrated_gradients(K, np):
    x, w = feed(K, reals((4, 3))), K.variable(reals((3, 2), 2))
    run = K.function([x], K.gradients(K.sum(K.sigmoid(K.dot(x, w))[:, 0]), [x]))
    image = reals((1, 3), 1)
    steps = [run([image * (n + 1) / 5.0])[0] for n in range(5)]
    return {'attribution': np.mean(steps, axis=0) * image}


def idiom_gradients_that_do_not_exist(K, np):
    """None where the loss does not depend on a weight, as optimizers ask for."""
    a, b = K.variable(1.5), K.variable(2.5)
    gradients = K.gradients(K.square(a), [a, b])
    found = {'there': np.array([g is not None for g in gradients]), 'a': K.eval(gradients[0])}
    stopped = K.gradients(K.stop_gradient(a) * b, [a, b])
    found['stopped'] = np.array([g is not None for g in stopped])
    return found


def idiom_implicit_second_order_penalty(K, np):
    """R1: the squared gradient of the discriminator for real images, and the weights' gradient of it."""
    x, k, w = K.placeholder((None, 4, 4, 1)), K.variable(reals((3, 3, 1, 2), 1)), K.variable(reals((2, 1), 2))
    score = K.dot(K.mean(K.softplus(K.conv2d(x, k)), axis=(1, 2)), w)
    gradient = K.gradients(K.sum(score), [x])[0]
    penalty = K.mean(K.sum(K.square(gradient), axis=[1, 2, 3]))
    values = K.function([x], [penalty] + K.gradients(penalty, [k, w]))([reals((2, 4, 4, 1), 3)])
    return dict(zip(('penalty', 'k', 'w'), values))


def idiom_meta_learning_step(K, np):
    """MAML: the gradient of the loss after one step of descent, through that step."""
    x, y, w = feed(K, reals((4, 3))), feed(K, reals((4, 2))), K.variable(reals((3, 2), 3))

    def loss_at(weights):
        return K.mean(K.square(K.tanh(K.dot(x, weights)) - y))

    inner = w - 0.3 * K.gradients(loss_at(w), [w])[0]
    outer = loss_at(inner)
    values = K.function([x, y], [outer] + K.gradients(outer, [w]))([reals((4, 3), 1), reals((4, 2), 2)])
    return dict(zip(('loss', 'w'), values))
