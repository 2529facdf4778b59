"""Optimizers in K: their steps on a small network, with the weights after them.

The original has no order between an update and a read of the same variable elsewhere in the function. So each variable
of an optimizer is read once, for its new value, and all else reads that new value.
"""

from idioms.harness import reals, regression, trained


def idiom_sgd(K, np):
    x, y, weights, loss, values = regression(K)
    updates = [K.update_sub(w, 0.1 * g) for w, g in zip(weights, K.gradients(loss, weights))]
    return trained(K, weights, K.function([x, y], [loss], updates), values)


def idiom_sgd_with_pairs_of_updates(K, np):
    """Updates as pairs of (variable, value)."""
    x, y, weights, loss, values = regression(K)
    updates = [(w, w - 0.1 * g) for w, g in zip(weights, K.gradients(loss, weights))]
    return trained(K, weights, K.function([x, y], [loss], updates=updates), values)


def _momentum(K, nesterov):
    x, y, weights, loss, values = regression(K)
    updates = []
    for p, g in zip(weights, K.gradients(loss, weights)):
        m = K.zeros(K.int_shape(p))
        v = 0.9 * m - 0.1 * g
        updates.append(K.update(m, v))
        updates.append(K.update(p, p + 0.9 * v - 0.1 * g if nesterov else p + v))
    return trained(K, weights, K.function([x, y], [loss], updates), values)


def idiom_sgd_with_momentum(K, np):
    return _momentum(K, False)


def idiom_sgd_with_nesterov(K, np):
    return _momentum(K, True)


def idiom_rmsprop(K, np):
    x, y, weights, loss, values = regression(K)
    updates = []
    for p, g in zip(weights, K.gradients(loss, weights)):
        a = K.zeros(K.int_shape(p), dtype=K.dtype(p))
        new_a = 0.9 * a + 0.1 * K.square(g)
        updates += [K.update(a, new_a), K.update(p, p - 0.01 * g / (K.sqrt(new_a) + 1e-3))]
    return trained(K, weights, K.function([x, y], [loss], updates), values)


def idiom_adagrad(K, np):
    x, y, weights, loss, values = regression(K)
    updates = []
    for p, g in zip(weights, K.gradients(loss, weights)):
        a = K.zeros(K.int_shape(p))
        new_a = a + K.square(g)
        updates += [K.update(a, new_a), K.update(p, p - 0.05 * g / (K.sqrt(new_a) + 1e-3))]
    return trained(K, weights, K.function([x, y], [loss], updates), values)


def idiom_adadelta(K, np):
    x, y, weights, loss, values = regression(K)
    updates = []
    for p, g in zip(weights, K.gradients(loss, weights)):
        a, d = K.zeros(K.int_shape(p)), K.zeros(K.int_shape(p))
        old_d = K.identity(d)
        new_a = 0.95 * a + 0.05 * K.square(g)
        update = g * K.sqrt(old_d + 1e-3) / K.sqrt(new_a + 1e-3)
        updates.append(K.update(d, 0.95 * old_d + 0.05 * K.square(update)))
        updates += [K.update(a, new_a), K.update(p, p - update)]
    return trained(K, weights, K.function([x, y], [loss], updates), values)


def _adam(K, amsgrad=False, decay=0.0):
    x, y, weights, loss, values = regression(K)
    iterations = K.variable(0, dtype='int64')
    new_iterations = iterations + 1
    t = K.cast(new_iterations, K.floatx())
    lr = 0.02 * K.sqrt(1.0 - K.pow(0.999 + 0 * t, t)) / (1.0 - K.pow(0.9 + 0 * t, t))
    updates = [K.update(iterations, new_iterations)]
    for p, g in zip(weights, K.gradients(loss, weights)):
        m, v, vhat = [K.zeros(K.int_shape(p)) for _ in range(3)]
        m_t = 0.9 * m + 0.1 * g
        v_t = 0.999 * v + 0.001 * K.square(g)
        if amsgrad:
            vhat_t = K.maximum(vhat, v_t)
            p_t = p - lr * m_t / (K.sqrt(vhat_t) + 1e-4)
            updates.append(K.update(vhat, vhat_t))
        else:
            old = K.identity(p)
            p_t = old - lr * m_t / (K.sqrt(v_t) + 1e-4) - decay * old
        updates += [K.update(m, m_t), K.update(v, v_t), K.update(p, p_t)]
    return trained(K, weights, K.function([x, y], [loss], updates), values)


def idiom_adam(K, np):
    return _adam(K)


def idiom_amsgrad(K, np):
    return _adam(K, amsgrad=True)


def idiom_adamw(K, np):
    return _adam(K, decay=0.01)


def idiom_adamax(K, np):
    x, y, weights, loss, values = regression(K)
    power = K.variable(1.0)
    new_power = power * 0.9
    updates = [K.update(power, new_power)]
    for p, g in zip(weights, K.gradients(loss, weights)):
        m, u = K.zeros(K.int_shape(p)), K.zeros(K.int_shape(p))
        m_t = 0.9 * m + 0.1 * g
        u_t = K.maximum(0.999 * u, K.abs(g))
        updates += [K.update(m, m_t), K.update(u, u_t)]
        updates.append(K.update(p, p - 0.02 / (1.0 - new_power) * m_t / (u_t + 1e-4)))
    return trained(K, weights, K.function([x, y], [loss], updates), values)


def idiom_nadam(K, np):
    x, y, weights, loss, values = regression(K)
    iterations, schedule = K.variable(0.0), K.variable(1.0)
    t = iterations + 1
    mu_t = 0.9 * (1.0 - 0.5 * K.pow(0.96 + 0 * t, t * 0.004))
    mu_next = 0.9 * (1.0 - 0.5 * K.pow(0.96 + 0 * t, (t + 1) * 0.004))
    new_schedule = schedule * mu_t
    updates = [K.update(iterations, t), K.update(schedule, new_schedule)]
    for p, g in zip(weights, K.gradients(loss, weights)):
        m, v = K.zeros(K.int_shape(p)), K.zeros(K.int_shape(p))
        g_prime = g / (1.0 - new_schedule)
        m_t = 0.9 * m + 0.1 * g
        m_prime = m_t / (1.0 - new_schedule * mu_next)
        v_t = 0.999 * v + 0.001 * K.square(g)
        v_prime = v_t / (1.0 - K.pow(0.999 + 0 * t, t))
        m_bar = (1.0 - mu_t) * g_prime + mu_next * m_prime
        updates += [K.update(m, m_t), K.update(v, v_t), K.update(p, p - 0.02 * m_bar / (K.sqrt(v_prime) + 1e-4))]
    return trained(K, weights, K.function([x, y], [loss], updates), values)


def idiom_clipping_by_global_norm(K, np):
    x, y, weights, loss, values = regression(K)
    gradients = K.gradients(loss, weights)
    norm = K.sqrt(sum([K.sum(K.square(g)) for g in gradients]))
    clipped = [K.switch(norm >= 0.5, g * 0.5 / norm, g) for g in gradients]
    updates = [K.update_sub(w, 0.2 * g) for w, g in zip(weights, clipped)]
    return trained(K, weights, K.function([x, y], [loss], updates), values)


def idiom_clipping_by_value_and_normalised_gradients(K, np):
    x, y, weights, loss, values = regression(K)
    updates = []
    for n, (w, g) in enumerate(zip(weights, K.gradients(loss, weights))):
        if n % 2:
            g = K.clip(g, -0.05, 0.05)
        else:
            g = g / (K.sqrt(K.mean(K.square(g))) + 1e-5)
        updates.append(K.update(w, w - 0.05 * g))
    return trained(K, weights, K.function([x, y], [loss], updates), values)


def idiom_accumulation_of_gradients(K, np):
    """The weights move at every second step; a flag of floats decides."""
    x, y, weights, loss, values = regression(K)
    iterations = K.variable(0, dtype='int32')
    new_iterations = iterations + 1
    last = K.equal(new_iterations % 2, 0)
    flag = K.cast(last, 'float32')
    updates = [K.update(iterations, new_iterations)]
    for w, g in zip(weights, K.gradients(loss, weights)):
        collected = K.zeros(K.int_shape(w))
        total = collected + g
        updates.append(K.update(collected, (1 - flag) * total))
        updates.append(K.update(w, K.switch(last, w - 0.1 * total / 2.0, w)))
    return trained(K, weights, K.function([x, y], [loss], updates), values, 5)


def idiom_lookahead(K, np):
    """Slow weights follow the fast ones every two steps, by a function of their own."""
    x, y, weights, loss, values = regression(K)
    slow = [K.variable(K.get_value(w)) for w in weights]
    fast = K.function([x, y], [loss], [K.update_sub(w, 0.2 * g) for w, g in zip(weights, K.gradients(loss, weights))])
    mixed = [0.5 * s + 0.5 * w for s, w in zip(slow, weights)]
    follow = K.function([], mixed)
    losses = []
    for n in range(4):
        losses.append(fast(values)[0])
        if n % 2:
            new = follow([])
            K.batch_set_value(list(zip(slow, new)) + list(zip(weights, new)))
    return {'losses': np.array(losses), 'w': K.get_value(weights[0]), 'b': K.get_value(slow[3])}


def idiom_moving_average_of_weights(K, np):
    x, y, weights, loss, values = regression(K)
    step = K.function([x, y], [loss], [K.update_sub(w, 0.2 * g) for w, g in zip(weights, K.gradients(loss, weights))])
    averages = [K.zeros(K.int_shape(w)) for w in weights]
    K.batch_set_value(list(zip(averages, K.batch_get_value(weights))))
    follow = K.function([], [K.constant(0.0)], [K.moving_average_update(a, w, 0.8) for a, w in zip(averages, weights)])
    for _ in range(3):
        step(values)
        follow([])
    return {f'average {n}': K.get_value(a) for n, a in enumerate(averages)}


def idiom_learning_rate_schedule(K, np):
    """A rate in a variable, set from outside as callbacks do, and a decay by the iterations."""
    x, y, weights, loss, values = regression(K)
    rate, iterations = K.variable(0.1), K.variable(0, dtype='int64')
    new_iterations = iterations + 1
    lr = rate * (1.0 / (1.0 + 0.3 * K.cast(new_iterations, 'float32')))
    updates = [K.update(iterations, new_iterations)]
    updates += [K.update_sub(w, lr * g) for w, g in zip(weights, K.gradients(loss, weights))]
    step = K.function([x, y], [loss], updates)
    losses = []
    for epoch in range(4):
        K.set_value(rate, K.get_value(rate) * (0.5 if epoch == 2 else 1.0))
        losses.append(step(values)[0])
    return {'losses': np.array(losses), 'rate': K.get_value(rate), 'count': K.get_value(iterations),
            'w': K.get_value(weights[0])}  # fmt: skip


def idiom_layerwise_learning_rates(K, np):
    """Factors for single weights, and LARS' trust ratio."""
    x, y, weights, loss, values = regression(K)
    updates = []
    for factor, w, g in zip((1.0, 0.1, 2.0, 0.0), weights, K.gradients(loss, weights)):
        old = K.identity(w)
        ratio = K.sqrt(K.sum(K.square(old))) / (K.sqrt(K.sum(K.square(g))) + 1e-3)
        updates.append(K.update(w, old - 0.05 * factor * ratio * g))
    return trained(K, weights, K.function([x, y], [loss], updates), values)


def idiom_sign_and_rprop_steps(K, np):
    x, y, weights, loss, values = regression(K)
    updates = []
    for w, g in zip(weights, K.gradients(loss, weights)):
        size, before = K.variable(np.full(K.int_shape(w), 0.02)), K.zeros(K.int_shape(w))
        product = before * g
        faster = K.switch(K.greater(product, 0), size * 1.2, size)
        new = K.clip(K.switch(K.less(product, 0), size * 0.5, faster), 1e-4, 0.5)
        # What is kept has to come after the product: nothing else orders the two.
        kept = K.switch(K.less(product, 0), K.zeros_like(g), g)
        updates += [K.update(before, kept), K.update(w, w - K.sign(kept) * new)]
        # The size is read three times, so it is not updated here.
    return trained(K, weights, K.function([x, y], [loss], updates), values)


def idiom_langevin_noise_that_is_fed(K, np):
    w, noise = K.variable(reals((3,), 1)), K.placeholder((3,))
    energy = K.sum(K.square(w) * 0.5 + K.cos(w))
    step = K.function([noise], [energy], [K.update(w, w - 0.1 * K.gradients(energy, [w])[0] + 0.2 * noise)])
    energies = [step([reals((3,), n)])[0] for n in range(2, 6)]
    return {'energies': np.array(energies), 'w': K.get_value(w)}
