"""Loops with K.function and updates for a few steps."""

from idioms.harness import bits, classes, halves, reals


def idiom_logistic_regression(K, np):
    x, y = K.placeholder((None, 3)), K.placeholder((None, 1))
    w, b = K.zeros((3, 1)), K.zeros((1,))
    p = K.sigmoid(K.dot(x, w) + b)
    loss = K.mean(K.binary_crossentropy(y, K.clip(p, 0.001, 0.999)))
    accuracy = K.mean(K.cast(K.equal(K.round(p), y), 'float32'))
    gw, gb = K.gradients(loss, [w, b])
    train = K.function([x, y], [loss, accuracy], [K.update_sub(w, 0.5 * gw), K.update_sub(b, 0.5 * gb)])
    xs, ys = reals((12, 3), 1), bits((12, 1), 2)
    steps = [train([xs, ys]) for _ in range(5)]
    return {'losses': np.array([s[0] for s in steps]), 'accuracies': np.array([s[1] for s in steps]),
            'w': K.get_value(w), 'b': K.get_value(b)}  # fmt: skip


def idiom_softmax_classifier_in_batches(K, np):
    x, y, w = K.placeholder((None, 4)), K.placeholder((None, 3)), K.variable(reals((4, 3), 3, 0.1))
    loss = K.mean(K.categorical_crossentropy(y, K.dot(x, w), from_logits=True))
    train = K.function([x, y], [loss], [(w, w - 0.3 * K.gradients(loss, w)[0])])
    predict = K.function([x], [K.argmax(K.dot(x, w), axis=-1)])
    xs, (ys, _) = reals((10, 4), 1), classes((10,), 3, 2)
    losses = []
    for _ in range(2):
        for start in range(0, 10, 4):
            losses.append(train([xs[start : start + 4], ys[start : start + 4]])[0])
    return {'losses': np.array(losses), 'w': K.get_value(w), 'predicted': np.asarray(predict([xs])[0], 'int32')}


def idiom_autoencoder_with_tied_weights(K, np):
    x, w, b = K.placeholder((None, 5)), K.variable(reals((5, 2), 1, 0.5)), K.zeros((5,))
    decoded = K.sigmoid(K.dot(K.tanh(K.dot(x, w)), K.transpose(w)) + b)
    loss = K.mean(K.square(decoded - x))
    gw, gb = K.gradients(loss, [w, b])
    train = K.function([x], [loss], [K.update(w, w - gw), K.update(b, b - gb)])
    losses = [train([halves((6, 5), 2)])[0] for _ in range(4)]
    return {'losses': np.array(losses), 'w': K.get_value(w), 'b': K.get_value(b)}


def idiom_adversarial_loop(K, np):
    """Two functions that train two sets of weights in turn."""
    z, real = K.placeholder((None, 2)), K.placeholder((None, 3))
    g, d = K.variable(reals((2, 3), 1)), K.variable(reals((3, 1), 2))
    fake = K.tanh(K.dot(z, g))
    d_loss = K.mean(K.softplus(-K.dot(real, d))) + K.mean(K.softplus(K.dot(fake, d)))
    g_loss = K.mean(K.softplus(-K.dot(fake, d)))
    train_d = K.function([z, real], [d_loss], [K.update_sub(d, 0.2 * K.gradients(d_loss, d)[0])])
    train_g = K.function([z], [g_loss], [K.update_sub(g, 0.2 * K.gradients(g_loss, g)[0])])
    losses = []
    for n in range(3):
        losses.append([train_d([reals((4, 2), n), reals((4, 3), n + 5)])[0], train_g([reals((4, 2), n + 9)])[0]])
    return {'losses': np.array(losses), 'g': K.get_value(g), 'd': K.get_value(d)}


def idiom_target_network(K, np):
    """Q learning: a second set of weights that follows slowly."""
    s, a, r, s2 = K.placeholder((None, 3)), K.placeholder((None, 2)), K.placeholder((None,)), K.placeholder((None, 3))
    w, target = K.variable(reals((3, 2), 1)), K.variable(reals((3, 2), 1))
    wanted = r + 0.9 * K.max(K.dot(s2, target), axis=1)
    loss = K.mean(K.square(K.stop_gradient(wanted) - K.sum(K.dot(s, w) * a, axis=1)))
    train = K.function([s, a, r, s2], [loss], [K.update_sub(w, 0.1 * K.gradients(loss, w)[0])])
    losses = []
    for n in range(3):
        actions, _ = classes((5,), 2, n)
        losses.append(train([reals((5, 3), n), actions, reals((5,), n + 4), reals((5, 3), n + 7)])[0])
        K.set_value(target, 0.5 * K.get_value(target) + 0.5 * K.get_value(w))
    return {'losses': np.array(losses), 'w': K.get_value(w), 'target': K.get_value(target)}


def idiom_counters_and_confusion_over_batches(K, np):
    """A metric that sums over batches in variables and is reset."""
    y, p = K.placeholder((None, 1)), K.placeholder((None, 1))
    tp, total = K.variable(0.0), K.variable(0, dtype='int32')
    positives = K.sum(K.round(y * p))
    run = K.function([y, p], [positives], [K.update_add(tp, positives), K.update_add(total, K.shape(y)[0])])
    for n in range(3):
        run([bits((4 + n, 1), n), halves((4 + n, 1), n + 5)])
    found = {'tp': K.get_value(tp), 'total': K.get_value(total)}
    K.batch_set_value([(tp, 0.0), (total, 0)])
    run([bits((4, 1), 9), halves((4, 1), 8)])
    found.update({'tp after reset': K.get_value(tp), 'total after reset': K.get_value(total)})
    return found


def idiom_lbfgs_style_evaluator(K, np):
    """Loss and flat gradients as float64 for scipy, by hand with a fixed rate."""
    x, w = K.placeholder((1, 3, 3, 1)), K.variable(reals((2, 2, 1, 2), 1))
    loss = K.sum(K.square(K.conv2d(x, w) - 0.4))
    outputs = [loss]
    gradients = K.gradients(loss, x)
    outputs += gradients if isinstance(gradients, (list, tuple)) else [gradients]
    run = K.function([x], outputs)
    flat, losses = reals((9,), 2).astype('float64'), []
    for _ in range(4):
        found = run([flat.reshape((1, 3, 3, 1))])
        losses.append(float(found[0]))
        flat = flat - 0.05 * np.array(found[1]).flatten().astype('float64')
    return {'losses': np.array(losses), 'x': flat}


def idiom_contrastive_divergence(K, np):
    """A restricted Boltzmann machine with probabilities in place of samples."""
    v, w, b, c = K.placeholder((None, 4)), K.variable(reals((4, 3), 1, 0.3)), K.zeros((4,)), K.zeros((3,))
    h = K.sigmoid(K.dot(v, w) + c)
    v1 = K.sigmoid(K.dot(h, K.transpose(w)) + b)
    h1 = K.sigmoid(K.dot(v1, w) + c)
    dw = (K.dot(K.transpose(v), h) - K.dot(K.transpose(v1), h1)) / 6.0
    error = K.mean(K.square(v - v1))
    updates = [(w, w + 0.5 * dw), (b, b + 0.5 * K.mean(v - v1, axis=0))]
    train = K.function([v], [error, dw], updates)
    # The hidden bias is moved from outside, for its reads have no order beside an update.
    steps = [train([bits((6, 4), 2)]) for _ in range(1)]
    return {'error': steps[0][0], 'dw': steps[0][1], 'w': K.get_value(w), 'b': K.get_value(b)}


def idiom_self_organising_map(K, np):
    """The winner by argmin, and its neighbours by a Gaussian."""
    x, w = K.placeholder((1, 2)), K.variable(reals((4, 2), 1))
    old = K.identity(w)
    winner = K.argmin(K.sum(K.square(old - x), axis=1), axis=0)
    distance = K.cast(K.arange(0, 4), 'float32') - K.cast(winner, 'float32')
    neighbours = K.expand_dims(K.exp(-K.square(distance) / 2.0))
    train = K.function([x], [K.cast(winner, 'int32')], [K.update(w, old + 0.3 * neighbours * (x - old))])
    winners = [train([reals((1, 2), n)])[0] for n in range(4)]
    return {'winners': np.array(winners), 'w': K.get_value(w)}
