"""Losses of embeddings, pairs and triplets, of adversaries and of codes."""

from idioms.harness import binary, bits, classes, feed, halves, of_layer, of_loss, reals


def idiom_contrastive_loss(K, np):
    """Siamese nets: the distance of two embeddings, and Hadsell's loss."""

    def euclidean_distance(vects):
        x, y = vects
        sum_square = K.sum(K.square(x - y), axis=1, keepdims=True)
        return K.sqrt(K.maximum(sum_square, K.epsilon()))

    def contrastive(y_true, y_pred, margin=1.5):
        square_pred = K.square(y_pred)
        margin_square = K.square(K.maximum(margin - y_pred, 0))
        return K.mean(y_true * square_pred + (1 - y_true) * margin_square)

    def loss(y_true, both):
        return contrastive(y_true, euclidean_distance([both[:, :3], both[:, 3:]]))

    return of_loss(K, loss, bits((5, 1), 3), reals((5, 6), 4, 0.6))


def idiom_triplet_loss(K, np):
    def triplet_loss(y_true, y_pred, alpha=0.4):
        total = K.int_shape(y_pred)[-1]
        anchor = y_pred[:, : total // 3]
        positive = y_pred[:, total // 3 : 2 * total // 3]
        negative = y_pred[:, 2 * total // 3 :]
        pos_dist = K.sum(K.square(anchor - positive), axis=1)
        neg_dist = K.sum(K.square(anchor - negative), axis=1)
        return K.maximum(pos_dist - neg_dist + alpha, 0.0)

    def loss(y_true, y_pred):
        return triplet_loss(y_true, y_pred) + 0 * K.sum(y_true)

    return of_loss(K, loss, bits((5, 1), 3), reals((5, 9), 4))


def idiom_triplet_bpr_loss(K, np):
    def bpr_triplet_loss(user, positive, negative):
        difference = K.sum(user * positive, axis=-1, keepdims=True) - K.sum(user * negative, axis=-1, keepdims=True)
        return 1.0 - K.sigmoid(difference)

    return of_layer(K, bpr_triplet_loss, [reals((4, 3), n) for n in range(3)])


def idiom_triplet_semihard_of_batch(K, np):
    """Hard positives and negatives in the batch, by a matrix of distances."""

    def loss(y_true, y_pred):
        labels = K.flatten(y_true)
        same = K.cast(K.equal(K.expand_dims(labels, 0), K.expand_dims(labels, 1)), 'float32')
        squares = K.sum(K.square(y_pred), axis=1, keepdims=True)
        distances = squares - 2 * K.dot(y_pred, K.transpose(y_pred)) + K.transpose(squares)
        hardest_positive = K.max(distances * same, axis=1)
        hardest_negative = K.min(distances + 1e3 * same, axis=1)
        return K.softplus(hardest_positive - hardest_negative)

    return of_loss(K, loss, np.array([[0], [1], [0], [1], [2], [2]], 'float32'), reals((6, 3), 4))


def idiom_n_pairs_loss(K, np):
    def n_pairs(anchors, positives):
        logits = K.dot(anchors, K.transpose(positives))
        logits = logits - K.max(logits, axis=1, keepdims=True)
        log_p = logits - K.log(K.sum(K.exp(logits), axis=1, keepdims=True))
        return -K.mean(K.sum(log_p * K.eye(4), axis=1)) + 0.02 * K.mean(K.sum(K.square(anchors), axis=1))

    return of_layer(K, n_pairs, [reals((4, 3), 1), reals((4, 3), 2)])


def idiom_cosine_proximity_of_siamese(K, np):
    def cosine_distance(x, y):
        x = K.l2_normalize(x, axis=-1)
        y = K.l2_normalize(y, axis=-1)
        return -K.mean(x * y, axis=-1, keepdims=True)

    return of_layer(K, cosine_distance, [reals((4, 5), 1), reals((4, 5), 2)])


def idiom_manhattan_lstm_similarity(K, np):
    def exponent_neg_manhattan_distance(left, right):
        return K.exp(-K.sum(K.abs(left - right), axis=1, keepdims=True))

    return of_layer(K, exponent_neg_manhattan_distance, [reals((4, 3), 1, 0.5), reals((4, 3), 2, 0.5)])


def idiom_center_loss(K, np):
    """The centers move with their own rate by an update; the loss reads them by the labels."""
    features, labels = K.placeholder((None, 2)), K.placeholder((None, 3))
    centers = K.variable(reals((3, 2), 5))
    of_batch = K.dot(labels, centers)
    loss = K.mean(K.sum(K.square(features - of_batch), axis=1))
    delta = K.dot(K.transpose(labels), of_batch - features)
    counts = K.sum(K.transpose(labels), axis=1, keepdims=True) + 1
    new_centers = centers - 0.5 * delta / counts
    step = K.function([features, labels], [loss, new_centers] + K.gradients(loss, [features, centers]))
    targets, _ = classes((5,))
    found = dict(zip(('loss', 'centers', 'features', 'gradient'), step([reals((5, 2), 6), targets])))
    K.set_value(centers, found['centers'])
    found['second loss'] = step([reals((5, 2), 6), targets])[0]
    return found


def idiom_arcface(K, np):
    def arcface(x, labels, w, margin=0.5, scale=8.0):
        cosine = K.dot(K.l2_normalize(x, axis=1), K.l2_normalize(w, axis=0))
        sine = K.sqrt(K.clip(1.0 - K.square(cosine), 1e-9, 1.0))
        shifted = cosine * np.cos(margin) - sine * np.sin(margin)
        logits = scale * (labels * shifted + (1 - labels) * cosine)
        return K.categorical_crossentropy(labels, logits, from_logits=True)

    targets, _ = classes((4,), 3)
    found = of_layer(K, lambda x, w: arcface(x, K.constant(targets), w), [reals((4, 5), 1)], [reals((5, 3), 2)])
    return found


def idiom_cosface_softmax(K, np):
    def call(x, w):
        cosine = K.dot(K.l2_normalize(x, axis=-1), K.l2_normalize(w, axis=0))
        targets = K.one_hot(K.constant([0, 2, 1, 1], dtype='int32'), 3)
        return K.softmax((cosine - 0.35 * targets) * 4.0)

    return of_layer(K, call, [reals((4, 5), 3)], [reals((5, 3), 4)])


def idiom_wasserstein_with_gradient_penalty(K, np):
    """The critic's loss, its penalty by K.gradients in K.gradients, and the gradients for the critic's weights."""
    real, fake, epsilon = K.placeholder((None, 3)), K.placeholder((None, 3)), K.placeholder((None, 1))
    w1, w2 = K.variable(reals((3, 5), 1, 0.7)), K.variable(reals((5, 1), 2, 0.7))

    def critic(x):
        return K.dot(K.tanh(K.dot(x, w1)), w2)

    mixed = epsilon * real + (1 - epsilon) * fake
    gradient = K.gradients(critic(mixed), [mixed])[0]
    norm = K.sqrt(K.sum(K.square(gradient), axis=1))
    penalty = K.mean(K.square(1 - norm))
    loss = K.mean(critic(fake)) - K.mean(critic(real)) + 10.0 * penalty
    run = K.function([real, fake, epsilon], [loss, penalty] + K.gradients(loss, [w1, w2]))
    values = run([reals((4, 3), 3), reals((4, 3), 4), halves((4, 1), 5)])
    return dict(zip(('loss', 'penalty', 'w1', 'w2'), values))


def idiom_wasserstein_clipped_critic(K, np):
    """A critic whose weights are clipped after every step."""
    x, y = K.placeholder((None, 3)), K.placeholder((None, 1))
    w = K.variable(reals((3, 1), 1, 0.05))
    loss = K.mean(y * K.tanh(K.dot(x, w)))
    gradient = K.gradients(loss, [w])[0]
    step = K.function([x, y], [loss], [K.update(w, K.clip(w - 0.1 * gradient, -0.06, 0.06))])
    losses = [step([reals((6, 3), n), bits((6, 1), n) * 2 - 1])[0] for n in range(4)]
    return {'losses': np.array(losses), 'w': K.get_value(w)}


def idiom_gan_losses(K, np):
    """The two losses of a discriminator and a generator from one graph."""
    noise, real = K.placeholder((None, 2)), K.placeholder((None, 3))
    g, d = K.variable(reals((2, 3), 1)), K.variable(reals((3, 1), 2))
    d_real, d_fake = K.dot(real, d), K.dot(K.tanh(K.dot(noise, g)), d)
    d_loss = K.mean(K.softplus(-d_real)) + K.mean(K.softplus(d_fake))
    g_loss = K.mean(K.softplus(-d_fake))
    outputs = [d_loss, g_loss] + K.gradients(d_loss, [d]) + K.gradients(g_loss, [g])
    values = K.function([noise, real], outputs)([reals((4, 2), 3), reals((4, 3), 4)])
    return dict(zip(('d loss', 'g loss', 'd', 'g'), values))


def idiom_lsgan_losses(K, np):
    noise, real = K.placeholder((None, 2)), K.placeholder((None, 3))
    g, d = K.variable(reals((2, 3), 1)), K.variable(reals((3, 1), 2))
    d_real, d_fake = K.dot(real, d), K.dot(K.relu(K.dot(noise, g), alpha=0.2), d)
    d_loss = 0.5 * (K.mean((d_real - 1) ** 2) + K.mean(d_fake**2))
    g_loss = 0.5 * K.mean((d_fake - 1) ** 2)
    outputs = [d_loss, g_loss] + K.gradients(d_loss, [d, real]) + K.gradients(g_loss, [g])
    values = K.function([noise, real], outputs)([reals((4, 2), 3), reals((4, 3), 4)])
    return dict(zip(('d loss', 'g loss', 'd', 'real', 'g'), values))


def idiom_cycle_consistency(K, np):
    def call(a, b, ab, ba):
        fake_b, fake_a = K.tanh(K.dot(a, ab)), K.tanh(K.dot(b, ba))
        cycle = K.mean(K.abs(K.dot(fake_b, ba) - a)) + K.mean(K.abs(K.dot(fake_a, ab) - b))
        identity = K.mean(K.abs(K.dot(a, ba) - a))
        return 10 * cycle + 5 * identity

    return of_layer(K, call, [reals((4, 3), 1), reals((4, 3), 2)], [reals((3, 3), 3), reals((3, 3), 4)])


def idiom_vae_loss(K, np):
    """Reparametrisation with noise that is fed, reconstruction and KL divergence."""

    def call(x, noise, w_mean, w_log_var, w_out):
        z_mean, z_log_var = K.dot(x, w_mean), K.dot(x, w_log_var)
        z = z_mean + K.exp(0.5 * z_log_var) * noise
        decoded = K.sigmoid(K.dot(z, w_out))
        reconstruction = 4 * K.mean(K.square(x - decoded), axis=-1)
        kl = -0.5 * K.sum(1 + z_log_var - K.square(z_mean) - K.exp(z_log_var), axis=-1)
        return K.mean(reconstruction + kl)

    weights = [reals((4, 2), 3, 0.5), reals((4, 2), 4, 0.3), reals((2, 4), 5)]
    return of_layer(K, call, [halves((5, 4), 1), reals((5, 2), 2)], weights)


def idiom_mmd_loss(K, np):
    """Maximum mean discrepancy with a Gaussian kernel, as in InfoVAE."""

    def compute_kernel(x, y):
        x_size, y_size, dim = K.shape(x)[0], K.shape(y)[0], K.shape(x)[1]
        tiled_x = K.tile(K.reshape(x, K.stack([x_size, 1, dim])), K.stack([1, y_size, 1]))
        tiled_y = K.tile(K.reshape(y, K.stack([1, y_size, dim])), K.stack([x_size, 1, 1]))
        return K.exp(-K.mean(K.square(tiled_x - tiled_y), axis=2) / K.cast(dim, 'float32'))

    def mmd(x, y):
        return K.mean(compute_kernel(x, x)) + K.mean(compute_kernel(y, y)) - 2 * K.mean(compute_kernel(x, y))

    return of_layer(K, mmd, [reals((4, 2), 1), reals((3, 2), 2)])


def idiom_deep_coral_loss(K, np):
    def coral(source, target):
        def covariance(x):
            n = K.cast(K.shape(x)[0], 'float32')
            mean = K.mean(x, axis=0, keepdims=True)
            return K.dot(K.transpose(x - mean), x - mean) / (n - 1)

        return K.sum(K.square(covariance(source) - covariance(target))) / (4.0 * 3 * 3)

    return of_layer(K, coral, [reals((5, 3), 1), reals((6, 3), 2)])


def idiom_gradient_reversal(K, np):
    """The features see the opposite of the gradient of the domain's loss: stop_gradient makes a backward sign."""

    def reverse(x, factor=0.7):
        return K.stop_gradient((1 + factor) * x) - factor * x

    return of_layer(K, lambda x, w: K.dot(reverse(x), w), [reals((4, 3), 1)], [reals((3, 2), 2)])


def idiom_deep_cluster_target(K, np):
    """Student's t similarity to centers, its sharpened target, and the divergence (DEC)."""

    def call(x, centers):
        q = 1.0 / (1.0 + K.sum(K.square(K.expand_dims(x, axis=1) - centers), axis=2))
        q = K.transpose(K.transpose(q) / K.sum(q, axis=1))
        weight = q**2 / K.sum(q, axis=0)
        p = K.stop_gradient(K.transpose(K.transpose(weight) / K.sum(weight, axis=1)))
        return q, K.sum(p * K.log(p / q))

    return of_layer(K, call, [reals((5, 2), 1)], [reals((3, 2), 2)])


def idiom_pairwise_ranking_loss(K, np):
    def ranknet(y_true, y_pred):
        difference = K.flatten(y_pred)[:, None] - K.flatten(y_pred)[None, :]
        order = K.flatten(y_true)[:, None] - K.flatten(y_true)[None, :]
        pairs = K.cast(K.greater(order, 0), 'float32')
        return K.sum(pairs * K.softplus(-difference)) / (K.sum(pairs) + K.epsilon())

    return of_loss(K, ranknet, np.array([[0], [2], [1], [2]], 'float32'), reals((4, 1), 4))


def idiom_sigmoid_rank_auc_loss(K, np):
    """A smooth Wilcoxon-Mann-Whitney statistic."""

    def loss(y_true, y_pred):
        positive = K.expand_dims(K.flatten(y_pred), 0)
        negative = K.expand_dims(K.flatten(y_pred), -1)
        mask = K.expand_dims(K.flatten(y_true), 0) * (1 - K.expand_dims(K.flatten(y_true), -1))
        difference = K.relu(0.2 - (positive - negative))
        return K.sum(mask * K.pow(difference, 3)) / K.sum(mask)

    return of_loss(K, loss, *binary((6, 1), 3))


def idiom_policy_gradient_with_entropy(K, np):
    """Actor and critic: advantages, log probabilities of the actions, and an entropy bonus."""

    def call(states, actions, returns, w_policy, w_value):
        policy, value = K.softmax(K.dot(states, w_policy)), K.dot(states, w_value)
        log_prob = K.log(K.sum(policy * actions, axis=1, keepdims=True) + 1e-10)
        advantage = returns - value
        policy_loss = -log_prob * K.stop_gradient(advantage)
        entropy = 0.01 * K.sum(policy * K.log(policy + 1e-10), axis=1, keepdims=True)
        return K.mean(policy_loss + 0.5 * K.square(advantage) + entropy)

    actions, _ = classes((5,))
    return of_layer(K, call, [reals((5, 4), 1), actions, reals((5, 1), 2)], [reals((4, 3), 3), reals((4, 1), 4)])


def idiom_ppo_clipped_loss(K, np):
    def ppo(y_true, y_pred):
        advantage, old, action = y_true[:, :1], y_true[:, 1:4], y_true[:, 4:]
        prob = K.sum(action * y_pred, axis=-1, keepdims=True)
        old_prob = K.sum(action * old, axis=-1, keepdims=True)
        r = prob / (old_prob + 1e-10)
        clipped = K.clip(r, min_value=0.8, max_value=1.2) * advantage
        return -K.mean(K.minimum(r * advantage, clipped) + 5e-3 * -(prob * K.log(prob + 1e-10)))

    actions, probabilities = classes((6,), 3, 5)
    _, old = classes((6,), 3, 9)
    return of_loss(K, ppo, np.concatenate([reals((6, 1), 2), old, actions], 1), probabilities)


def idiom_dqn_masked_huber(K, np):
    x, mask, target = K.placeholder((None, 3)), K.placeholder((None, 2)), K.placeholder((None,))
    w = K.variable(reals((3, 2), 4))
    q = K.sum(K.dot(x, w) * mask, axis=-1)
    error = K.abs(target - q)
    quadratic = K.clip(error, 0.0, 1.0)
    loss = K.mean(0.5 * K.square(quadratic) + (error - quadratic))
    run = K.function([x, mask, target], [q, loss] + K.gradients(loss, [w]))
    values = run([reals((4, 3), 1), np.eye(2, dtype='float32')[[0, 1, 1, 0]], reals((4,), 3)])
    return dict(zip(('q', 'loss', 'gradient'), values))


def idiom_feature_matching_perceptual_loss(K, np):
    """The mean square of differences of features of a fixed convolution at two depths."""

    def call(image, target, k1, k2):
        def features(x):
            first = K.relu(K.conv2d(x, k1, padding='same'))
            return first, K.conv2d(K.pool2d(first, (2, 2), strides=(2, 2), pool_mode='avg'), k2)

        return sum(w * K.mean(K.square(a - b)) for w, a, b in zip((1.0, 0.5), features(image), features(target)))

    weights = [reals((3, 3, 2, 3), 3, 0.4), reals((2, 2, 3, 2), 4, 0.4)]
    return of_layer(K, call, [reals((2, 4, 4, 2), 1), reals((2, 4, 4, 2), 2)], weights)


def idiom_distillation_loss(K, np):
    def distillation(y_true, y_pred, temperature=3.0):
        labels, teacher = y_true[:, :3], y_true[:, 3:]
        soft = K.softmax(teacher / temperature)
        student = K.softmax(y_pred / temperature)
        hard = K.categorical_crossentropy(labels, y_pred, from_logits=True)
        return hard + temperature**2 * -K.sum(soft * K.log(student), axis=-1)

    labels, _ = classes((4,))
    return of_loss(K, distillation, np.concatenate([labels, reals((4, 3), 3)], 1), reals((4, 3), 4))


def idiom_uncertainty_weighted_tasks(K, np):
    """Kendall's weights of several losses by their learned log variances."""
    ys, ps = [K.placeholder((None, n)) for n in (2, 3)], [K.placeholder((None, n)) for n in (2, 3)]
    log_vars = [K.variable([v]) for v in (0.3, -0.2)]
    loss = 0
    for y, p, log_var in zip(ys, ps, log_vars):
        loss += K.sum(K.exp(-log_var[0]) * (y - p) ** 2.0 + log_var[0], -1)
    loss = K.mean(loss)
    arrays = [reals((4, n), s) for s, n in enumerate((2, 3, 2, 3))]
    values = K.function(ys + ps, [loss] + K.gradients(loss, log_vars + ps))(arrays)
    return dict(zip(('loss', 'log var 1', 'log var 2', 'p 1', 'p 2'), values))


def idiom_loss_with_output_of_layer(K, np):
    """A loss closed over another tensor of the model."""
    x = feed(K, reals((4, 3)))
    w = K.variable(reals((3, 3), 2))
    hidden = K.elu(K.dot(x, w))

    def loss_with_hidden(layer):
        def loss(y_true, y_pred):
            return K.mean(K.square(y_pred - y_true) + K.square(layer), axis=-1)

        return loss

    value = K.mean(loss_with_hidden(hidden)(x, K.softsign(hidden)))
    return dict(zip(('loss', 'w'), K.function([x], [value] + K.gradients(value, [w]))([reals((4, 3), 1)])))
