"""Normalisation, constraints and regularisation."""

from idioms.harness import of_layer, of_tensor, reals


def idiom_layer_normalisation(K, np):
    def call(x, gamma, beta):
        mean = K.mean(x, axis=-1, keepdims=True)
        std = K.std(x, axis=-1, keepdims=True)
        return gamma * (x - mean) / (std + 1e-6) + beta

    return of_layer(K, call, [reals((3, 4), 1)], [reals((4,), 2), reals((4,), 3)])


def idiom_instance_normalisation(K, np):
    def call(x, gamma, beta):
        axes = list(range(1, K.ndim(x) - 1))
        mean = K.mean(x, axes, keepdims=True)
        stddev = K.std(x, axes, keepdims=True) + 1e-3
        shape = (1, 1, 1, -1)
        return (x - mean) / stddev * K.reshape(gamma, shape) + K.reshape(beta, shape)

    return of_layer(K, call, [reals((2, 3, 3, 2), 1)], [reals((2,), 2), reals((2,), 3)])


def idiom_group_normalisation(K, np):
    def call(x, gamma, beta):
        shape = K.shape(x)
        groups = K.reshape(x, (shape[0], shape[1], shape[2], 2, 2))
        mean = K.mean(groups, axis=[1, 2, 4], keepdims=True)
        variance = K.var(groups, axis=[1, 2, 4], keepdims=True)
        groups = (groups - mean) / K.sqrt(variance + 1e-5)
        return K.reshape(groups, shape) * gamma + beta

    return of_layer(K, call, [reals((2, 2, 3, 4), 1)], [reals((4,), 2), reals((4,), 3)])


def idiom_batch_normalisation_of_matrices(K, np):
    """Training statistics by normalize_batch_in_training, then moving averages."""
    x, gamma, beta = K.placeholder((None, 3)), K.variable(reals((3,), 2)), K.variable(reals((3,), 3))
    mean, variance = K.zeros((3,)), K.ones((3,))
    y, batch_mean, batch_variance = K.normalize_batch_in_training(x, gamma, beta, [0], epsilon=1e-3)
    updates = [K.moving_average_update(mean, batch_mean, 0.9), K.moving_average_update(variance, batch_variance, 0.9)]
    step = K.function([x], [y], updates)
    outputs = [step([reals((4, 3), n)])[0] for n in range(3)]
    normal = K.function([x], [K.batch_normalization(x, mean, variance, beta, gamma, epsilon=1e-3)])
    found = {'trained': np.array(outputs), 'tested': normal([reals((4, 3), 5)])[0]}
    found.update(mean=K.get_value(mean), variance=K.get_value(variance))
    return found


def idiom_batch_normalisation_in_two_phases(K, np):
    x, gamma, beta = K.placeholder((None, 3)), K.variable(reals((3,), 2)), K.variable(reals((3,), 3))
    mean, variance = K.variable(reals((3,), 4)), K.variable(np.array([0.5, 1, 2]))
    normed, _, _ = K.normalize_batch_in_training(x, gamma, beta, [0])
    y = K.in_train_phase(normed, lambda: K.batch_normalization(x, mean, variance, beta, gamma))
    run = K.function([x, K.learning_phase()], [y] + K.gradients(K.sum(K.square(y)), [x, gamma]))
    found = {}
    for phase in (0, 1):
        found.update(zip([f'{n} in phase {phase}' for n in ('y', 'x', 'gamma')], run([reals((4, 3), 5), phase])))
    return found


def idiom_batch_renormalisation(K, np):
    def call(x, gamma, beta, running_mean, running_std):
        mean, std = K.mean(x, axis=0), K.std(x, axis=0) + 1e-3
        r = K.stop_gradient(K.clip(std / running_std, 0.4, 2.5))
        d = K.stop_gradient(K.clip((mean - running_mean) / running_std, -0.7, 0.7))
        return ((x - mean) / std * r + d) * gamma + beta

    weights = [reals((3,), 2), reals((3,), 3), reals((3,), 4, 0.3), np.array([0.7, 0.9, 1.4], 'float32')]
    # The gradient of what goes through stop_gradient alone is None, so the statistics are constants.
    constants = [K.constant(w) for w in weights[2:]]
    return of_layer(K, lambda x, g, b: call(x, g, b, *constants), [reals((5, 3), 1)], weights[:2])


def idiom_weight_normalisation(K, np):
    def call(x, v, g, b):
        w = K.reshape(g, (1, -1)) * K.l2_normalize(v, axis=0)
        return K.bias_add(K.dot(x, w), b)

    return of_layer(K, call, [reals((4, 3), 1)], [reals((3, 2), 2), reals((2,), 3), reals((2,), 4)])


def idiom_adaptive_instance_normalisation(K, np):
    def call(content, style):
        def moments(x):
            return K.mean(x, axis=[1, 2], keepdims=True), K.sqrt(K.var(x, axis=[1, 2], keepdims=True) + 1e-5)

        (cm, cs), (sm, ss) = moments(content), moments(style)
        return ss * (content - cm) / cs + sm

    return of_layer(K, call, [reals((2, 3, 3, 2), 1), reals((2, 2, 2, 2), 2)])


def idiom_pixel_normalisation(K, np):
    def call(x):
        return x / K.sqrt(K.mean(x**2.0, axis=-1, keepdims=True) + 1.0e-8)

    return of_layer(K, call, [reals((2, 2, 2, 3), 1)])


def idiom_minibatch_standard_deviation(K, np):
    """ProGAN: the mean deviation over the batch as one more feature map."""

    def call(x):
        mean = K.mean(x, axis=0, keepdims=True)
        deviation = K.sqrt(K.mean(K.square(x - mean), axis=0, keepdims=True) + 1.0e-8)
        average = K.mean(deviation, keepdims=True)
        shape = K.shape(x)
        return K.concatenate([x, K.tile(average, (shape[0], shape[1], shape[2], 1))], axis=-1)

    return of_layer(K, call, [reals((3, 2, 2, 2), 1)])


def idiom_minibatch_discrimination(K, np):
    def call(x, w):
        activation = K.reshape(K.dot(x, w), (-1, 2, 3))
        diffs = K.expand_dims(activation, 3) - K.expand_dims(K.permute_dimensions(activation, [1, 2, 0]), 0)
        abs_diffs = K.sum(K.abs(diffs), axis=2)
        return K.concatenate([x, K.sum(K.exp(-abs_diffs), axis=2)], 1)

    # The gradient of abs at the zeros of the diagonal is zero in every library.
    return of_layer(K, call, [reals((3, 4), 1)], [reals((4, 6), 2)])


def idiom_spectral_normalisation(K, np):
    """One step of the power iteration in every call, kept by K.update."""
    x, w, u = K.placeholder((None, 3)), K.variable(reals((3, 4), 1)), K.variable(reals((1, 4), 2))

    def l2(v):
        return v / (K.sum(v**2) ** 0.5 + 1e-12)

    v = l2(K.dot(u, K.transpose(w)))
    new_u = l2(K.dot(v, w))
    sigma = K.sum(K.dot(K.dot(v, w), K.transpose(new_u)))
    y = K.dot(x, w / sigma)
    step = K.function([x], [y, sigma], [K.update(u, new_u)])
    steps = [step([reals((2, 3), 3)]) for _ in range(4)]
    return {'y': steps[-1][0], 'sigmas': np.array([s for _, s in steps]), 'u': K.get_value(u)}


def idiom_max_norm_constraint(K, np):
    w = K.variable(reals((3, 4), 1, 2.0))
    norms = K.sqrt(K.sum(K.square(w), axis=0, keepdims=True))
    desired = K.clip(norms, 0, 1.5)
    return of_tensor(K, norms=norms, w=w * (desired / (K.epsilon() + norms)))


def idiom_unit_and_non_negative_constraints(K, np):
    w = K.variable(reals((3, 4), 1))
    unit = w / (K.epsilon() + K.sqrt(K.sum(K.square(w), axis=0, keepdims=True)))
    positive = w * K.cast(K.greater_equal(w, 0.0), K.floatx())
    norms = K.sqrt(K.sum(K.square(w), axis=1, keepdims=True))
    desired = 0.3 * K.clip(norms, 0.8, 1.2) + 0.7 * norms
    return of_tensor(K, unit=unit, positive=positive, min_max=w * (desired / (K.epsilon() + norms)))


def idiom_l1_l2_regularisation(K, np):
    def call(x, w):
        penalty = 0.0
        penalty += K.sum(K.cast_to_floatx(0.01) * K.abs(w))
        penalty += K.sum(0.02 * K.square(w))
        return K.mean(K.square(K.dot(x, w))) + penalty

    return of_layer(K, call, [reals((4, 3), 1)], [reals((3, 2), 2)])


def idiom_orthogonal_regularisation(K, np):
    def call(w):
        w = K.reshape(w, (-1, 3))
        product = K.dot(K.transpose(w), w)
        return 0.1 * K.sum(K.abs(product * (1.0 - K.eye(3)))) + 0.05 * K.sqrt(K.sum(K.square(product - K.eye(3))))

    return of_layer(K, call, [], [reals((2, 2, 2, 3), 2)])


def idiom_kl_activity_regularisation(K, np):
    """Sparse autoencoders."""

    def call(x, w):
        h = K.sigmoid(K.dot(x, w))
        rho_hat, rho = K.mean(h, axis=0), 0.05
        return K.sum(rho * K.log(rho / rho_hat) + (1 - rho) * K.log((1 - rho) / (1 - rho_hat)))

    return of_layer(K, call, [reals((4, 3), 1)], [reals((3, 2), 2)])


def idiom_contractive_penalty(K, np):
    """The Frobenius norm of the encoder's Jacobian, in closed form."""

    def call(x, w):
        h = K.sigmoid(K.dot(x, w))
        dh = h * (1 - h)
        return 1e-2 * K.sum(dh**2 * K.sum(K.transpose(w) ** 2, axis=1), axis=1)

    return of_layer(K, call, [reals((4, 3), 1)], [reals((3, 2), 2)])


def idiom_zca_whitening_by_power_iteration(K, np):
    """The first principal direction of a batch, by repeated products."""
    x = K.variable(reals((6, 3), 1) * np.array([3, 1, 0.5], 'float32'))
    centred = x - K.mean(x, axis=0, keepdims=True)
    covariance = K.dot(K.transpose(centred), centred) / 6.0
    v = K.ones((3, 1))
    for _ in range(12):
        v = K.l2_normalize(K.dot(covariance, v), axis=0)
    return of_tensor(K, direction=v, variance=K.sum(v * K.dot(covariance, v)), projected=K.dot(centred, v))
