"""Call bodies of layers: capsules, gates, pooling, noise by phase."""

from idioms.harness import feed, halves, of_layer, reals


def _squash(K, x, axis=-1):
    s_squared_norm = K.sum(K.square(x), axis, keepdims=True) + K.epsilon()
    return K.sqrt(s_squared_norm) / (0.5 + s_squared_norm) * x


def idiom_capsule_squash_and_length(K, np):
    def call(x):
        s = K.sum(K.square(x), -1, keepdims=True)
        squashed = s / (1 + s) / K.sqrt(s + K.epsilon()) * x
        return squashed, K.sqrt(K.sum(K.square(squashed), -1))

    return of_layer(K, call, [reals((2, 3, 4), 1)])


def idiom_capsule_routing(K, np):
    """Routing by agreement over a convolution of one step, as in the capsule layers of blogs."""

    def call(u, w):
        hat = K.reshape(K.conv1d(u, w), (-1, 4, 2, 3))
        hat = K.permute_dimensions(hat, (0, 2, 1, 3))
        b = K.zeros_like(hat[:, :, :, 0])
        for i in range(3):
            c = K.softmax(b, 1)
            o = K.sum(K.expand_dims(c) * hat, axis=2)
            if i < 2:
                o = K.l2_normalize(o, -1)
                b = K.sum(K.expand_dims(o, 2) * hat, axis=-1)
        return _squash(K, o)

    return of_layer(K, call, [reals((2, 4, 2), 1)], [reals((1, 2, 6), 2)])


def idiom_capsule_routing_by_map_fn(K, np):
    """Tiled inputs, and K.map_fn over the batch with K.batch_dot inside."""

    def call(inputs, w):
        tiled = K.tile(K.expand_dims(inputs, 1), [1, 2, 1, 1])
        hat = K.map_fn(lambda x: K.batch_dot(x, w, [2, 3]), elems=tiled)
        c = K.softmax(K.mean(hat, axis=-1), axis=1)
        return _squash(K, K.sum(K.expand_dims(c) * hat, axis=2))

    return of_layer(K, call, [reals((2, 3, 2), 1)], [reals((2, 3, 4, 2), 2)])


def idiom_capsule_mask_by_argmax(K, np):
    def call(x):
        length = K.sqrt(K.sum(K.square(x), -1))
        mask = K.one_hot(indices=K.argmax(length, 1), num_classes=3)
        return K.batch_flatten(x * K.expand_dims(mask, -1))

    return of_layer(K, call, [reals((2, 3, 2), 1)])


def idiom_highway(K, np):
    def call(x, w, w_t, b_t):
        gate = K.sigmoid(K.bias_add(K.dot(x, w_t), b_t))
        return gate * K.tanh(K.dot(x, w)) + (1 - gate) * x

    return of_layer(K, call, [reals((4, 3), 1)], [reals((3, 3), 2), reals((3, 3), 3), reals((3,), 4) - 1])


def idiom_maxout(K, np):
    def call(x, w, b):
        return K.max(K.dot(x, w) + b, axis=1)

    return of_layer(K, call, [reals((4, 3), 1)], [reals((2, 3, 4), 2), reals((2, 4), 3)])


def idiom_gated_linear_unit(K, np):
    def call(x, kernel):
        y = K.conv1d(x, kernel, padding='causal', dilation_rate=2)
        return y[..., :2] * K.sigmoid(y[..., 2:])

    return of_layer(K, call, [reals((2, 5, 3), 1)], [reals((2, 3, 4), 2)])


def idiom_k_max_pooling(K, np):
    """The k largest values in falling order: a maximum, masked away, k times."""

    def call(x):
        found = []
        for _ in range(2):
            largest = K.max(x, axis=1, keepdims=True)
            found.append(largest)
            x = x - 1e4 * K.cast(K.equal(x, largest), K.floatx())
        return K.concatenate(found, axis=1)

    return of_layer(K, call, [reals((2, 5, 3), 1)])


def idiom_activations_of_the_time(K, np):
    """Swish, mish, GELU, SELU, prelu and thresholded relu."""

    def call(x, alpha):
        swish = x * K.sigmoid(1.5 * x)
        mish = x * K.tanh(K.softplus(x))
        gelu = 0.5 * x * (1 + K.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * K.pow(x, 3))))
        selu = 1.0507 * K.elu(x, 1.6733)
        prelu = K.relu(x) - alpha * K.relu(-x)
        thresholded = x * K.cast(K.greater(x, 0.4), K.floatx())
        return [swish, mish, gelu, selu, prelu, thresholded, K.hard_sigmoid(x), K.relu(x, max_value=6.0)]

    return of_layer(K, call, [reals((4, 3), 1)], [halves((3,), 2)])


def idiom_gaussian_noise_by_phase(K, np):
    """Noise in training alone: its values are the library's own, so its moments are looked at, and the test phase."""
    x = K.placeholder((None, 400))

    def noised():
        return x + K.random_normal(shape=K.shape(x), mean=0.0, stddev=0.5)

    y = K.in_train_phase(noised, x)
    run = K.function([x, K.learning_phase()], [y])
    array = np.ones((20, 400), 'float32')
    noise = run([array, 1])[0] - array
    return {
        'tested': run([array[:2], 0])[0][:, :3],
        'near': np.array([abs(noise.mean()) < 0.05, abs(noise.std() - 0.5) < 0.05]),
    }


def idiom_dropout_by_phase(K, np):
    x = K.placeholder((None, 400))
    y = K.in_train_phase(K.dropout(x, 0.25), x)
    z = K.in_train_phase(lambda: K.dropout(x, 0.25, noise_shape=(20, 1)), lambda: x, training=1)
    run = K.function([x, K.learning_phase()], [y, z])
    kept, rows = run([np.ones((20, 400), 'float32'), 1])
    tested = run([np.ones((20, 400), 'float32'), 0])[0]
    return {
        'values': np.unique(np.round(kept, 4)),
        'share': np.array(abs((kept > 0).mean() - 0.75) < 0.05),
        'same in rows': np.array((rows == rows[:, :1]).all()),
        'tested': tested[:1, :3],
    }


def idiom_straight_through_binary_weights(K, np):
    """BinaryNet: rounded forwards, the gradient of a clip backwards."""

    def call(x, w):
        clipped = K.clip((w + 1.0) / 2.0, 0, 1)
        rounded = clipped + K.stop_gradient(K.round(clipped) - clipped)
        return K.dot(x, 2 * rounded - 1)

    return of_layer(K, call, [reals((4, 3), 1)], [reals((3, 2), 2, 0.4)])


def idiom_gumbel_softmax_with_fed_noise(K, np):
    def call(logits, uniform):
        gumbel = -K.log(-K.log(uniform + K.epsilon()) + K.epsilon())
        y = K.softmax((logits + gumbel) / 0.7)
        hard = K.cast(K.equal(y, K.max(y, axis=-1, keepdims=True)), K.floatx())
        return K.stop_gradient(hard - y) + y

    return of_layer(K, call, [reals((4, 3), 1), halves((4, 3), 2)])


def idiom_radial_basis_functions(K, np):
    def call(x, centers, betas):
        difference = K.expand_dims(centers) - K.transpose(x)
        return K.exp(-betas * K.transpose(K.sum(K.square(difference), axis=1)))

    return of_layer(K, call, [reals((4, 2), 1)], [reals((3, 2), 2), halves((3,), 3)])


def idiom_netvlad(K, np):
    def call(x, w, centers):
        assignment = K.softmax(K.dot(x, w))
        residuals = K.batch_dot(K.permute_dimensions(assignment, (0, 2, 1)), x)
        residuals -= K.expand_dims(K.sum(assignment, axis=1)) * centers
        vlad = K.l2_normalize(residuals, axis=2)
        return K.l2_normalize(K.batch_flatten(vlad), axis=1)

    return of_layer(K, call, [reals((2, 4, 3), 1)], [reals((3, 2), 2), reals((2, 3), 3)])


def idiom_noisy_and_pooling(K, np):
    def call(x, b):
        mean = K.mean(x, axis=[1, 2])
        return (K.sigmoid(4.0 * (mean - b)) - K.sigmoid(-4.0 * b)) / (K.sigmoid(4.0 * (1 - b)) - K.sigmoid(-4.0 * b))

    return of_layer(K, call, [halves((2, 3, 3, 2), 1)], [halves((2,), 2)])


def idiom_mixture_of_experts(K, np):
    def call(x, experts, gates):
        outputs = K.stack([K.tanh(K.dot(x, experts[n])) for n in range(3)], axis=1)
        return K.sum(outputs * K.expand_dims(K.softmax(K.dot(x, gates))), axis=1)

    return of_layer(K, call, [reals((4, 2), 1)], [reals((3, 2, 2), 2), reals((2, 3), 3)])


def idiom_dueling_network_head(K, np):
    def call(a):
        return K.expand_dims(a[:, 0], -1) + a[:, 1:] - K.mean(a[:, 1:], axis=1, keepdims=True)

    return of_layer(K, call, [reals((3, 4), 1)])


def idiom_compact_bilinear_features(K, np):
    """Outer products of features, signed square roots, and the norm."""

    def call(x):
        outer = K.batch_dot(K.permute_dimensions(x, (0, 2, 1)), x) / 4.0
        flat = K.batch_flatten(outer)
        return K.l2_normalize(K.sign(flat) * K.sqrt(K.abs(flat) + 1e-9), axis=-1)

    return of_layer(K, call, [reals((2, 4, 3), 1)])


def idiom_learned_threshold_by_switch(K, np):
    x = feed(K, reals((4, 3)))
    low = K.variable(0.3)
    y = K.switch(K.abs(x) > low, x - low * K.sign(x), K.zeros_like(x))
    values = K.function([x], [y] + K.gradients(K.sum(y * y), [x, low]))([reals((4, 3), 1)])
    return dict(zip(('y', 'x', 'low'), values))
