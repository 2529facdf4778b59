"""Losses of one target and one prediction."""

from idioms.harness import binary, bits, classes, halves, of_loss, pair, reals


def idiom_focal_loss_binary(K, np):
    def focal(y_true, y_pred, gamma=2.0, alpha=0.25):
        y_pred = K.clip(y_pred, K.epsilon(), 1.0 - K.epsilon())
        pt = y_true * y_pred + (1 - y_true) * (1 - y_pred)
        weight = y_true * alpha + (1 - y_true) * (1 - alpha)
        return K.mean(-weight * K.pow(1.0 - pt, gamma) * K.log(pt), axis=-1)

    return of_loss(K, focal, *binary())


def idiom_focal_loss_categorical(K, np):
    def focal(gamma=2.0, alpha=0.5):
        def loss(y_true, y_pred):
            y_pred /= K.sum(y_pred, axis=-1, keepdims=True)
            y_pred = K.clip(y_pred, K.epsilon(), 1.0 - K.epsilon())
            cross_entropy = -y_true * K.log(y_pred)
            return K.sum(alpha * K.pow(1 - y_pred, gamma) * cross_entropy, axis=1)

        return loss

    return of_loss(K, focal(1.5), *classes())


def idiom_focal_loss_with_where(K, np):
    def focal(y_true, y_pred, gamma=2.0, alpha=0.75):
        pt_1 = K.switch(K.equal(y_true, 1), y_pred, K.ones_like(y_pred))
        pt_0 = K.switch(K.equal(y_true, 0), y_pred, K.zeros_like(y_pred))
        return -K.mean(alpha * K.pow(1.0 - pt_1, gamma) * K.log(pt_1 + 1e-7)) - K.mean(
            (1 - alpha) * K.pow(pt_0, gamma) * K.log(1.0 - pt_0 + 1e-7)
        )

    return of_loss(K, focal, *binary((3, 4), 7))


def idiom_dice_loss(K, np):
    def dice_coef(y_true, y_pred, smooth=1.0):
        y_true_f = K.flatten(y_true)
        y_pred_f = K.flatten(y_pred)
        intersection = K.sum(y_true_f * y_pred_f)
        return (2.0 * intersection + smooth) / (K.sum(y_true_f) + K.sum(y_pred_f) + smooth)

    return of_loss(K, lambda t, p: 1 - dice_coef(t, p), *binary((2, 4, 4, 1)))


def idiom_dice_loss_per_channel(K, np):
    def loss(y_true, y_pred):
        axes = tuple(range(1, K.ndim(y_pred) - 1))
        numerator = 2.0 * K.sum(y_pred * y_true, axes)
        denominator = K.sum(K.square(y_pred) + K.square(y_true), axes)
        return 1 - K.mean((numerator + K.epsilon()) / (denominator + K.epsilon()), axis=-1)

    return of_loss(K, loss, *binary((2, 3, 4, 2)))


def idiom_bce_dice_loss(K, np):
    def loss(y_true, y_pred):
        t, p = K.batch_flatten(y_true), K.batch_flatten(y_pred)
        dice = (2.0 * K.sum(t * p, axis=1) + 1.0) / (K.sum(t, axis=1) + K.sum(p, axis=1) + 1.0)
        return 0.5 * K.mean(K.binary_crossentropy(t, p), axis=1) + 0.5 * (1.0 - dice)

    return of_loss(K, loss, *binary((3, 4, 2), 3))


def idiom_jaccard_distance(K, np):
    def jaccard_distance(y_true, y_pred, smooth=100):
        intersection = K.sum(K.abs(y_true * y_pred), axis=-1)
        sum_ = K.sum(K.abs(y_true) + K.abs(y_pred), axis=-1)
        jac = (intersection + smooth) / (sum_ - intersection + smooth)
        return (1 - jac) * smooth

    return of_loss(K, jaccard_distance, *binary((3, 6)))


def idiom_tversky_loss(K, np):
    def tversky(y_true, y_pred, alpha=0.3, beta=0.7, smooth=1e-3):
        ones = K.ones_like(y_true)
        p0, p1, g0, g1 = y_pred, ones - y_pred, y_true, ones - y_true
        num = K.sum(p0 * g0, (0, 1, 2))
        den = num + alpha * K.sum(p0 * g1, (0, 1, 2)) + beta * K.sum(p1 * g0, (0, 1, 2))
        total = K.sum(num / (den + smooth))
        count = K.cast(K.shape(y_true)[-1], 'float32')
        return count - total

    return of_loss(K, tversky, *binary((2, 3, 3, 2)))


def idiom_focal_tversky_loss(K, np):
    def loss(y_true, y_pred, gamma=0.75):
        t, p = K.flatten(y_true), K.flatten(y_pred)
        tp = K.sum(t * p)
        fn = K.sum(t * (1 - p))
        fp = K.sum((1 - t) * p)
        return K.pow(1 - (tp + 1.0) / (tp + 0.7 * fn + 0.3 * fp + 1.0), gamma)

    return of_loss(K, loss, *binary((3, 5), 4))


def idiom_huber_switch(K, np):
    def huber(y_true, y_pred, clip_delta=1.0):
        error = y_true - y_pred
        cond = K.abs(error) < clip_delta
        squared_loss = 0.5 * K.square(error)
        linear_loss = clip_delta * (K.abs(error) - 0.5 * clip_delta)
        return K.mean(K.switch(cond, squared_loss, linear_loss), axis=-1)

    return of_loss(K, huber, *pair())


def idiom_huber_without_switch(K, np):
    def huber(y_true, y_pred, delta=0.8):
        error = K.abs(y_true - y_pred)
        quadratic = K.minimum(error, delta)
        return 0.5 * K.square(quadratic) + delta * (error - quadratic)

    return of_loss(K, huber, *pair((3, 4), 5))


def idiom_smooth_l1_of_boxes(K, np):
    def smooth_l1(y_true, y_pred):
        y_true = K.reshape(y_true, (-1, 4))
        y_pred = K.reshape(y_pred, (-1, 4))
        diff = K.abs(y_true - y_pred)
        less_than_one = K.cast(K.less(diff, 1.0), 'float32')
        return (less_than_one * 0.5 * diff**2) + (1 - less_than_one) * (diff - 0.5)

    return of_loss(K, smooth_l1, *pair((2, 3, 4), 9))


def idiom_logcosh_softplus(K, np):
    def logcosh(y_true, y_pred):
        x = y_pred - y_true
        return K.mean(x + K.softplus(-2.0 * x) - K.log(2.0 + 0.0 * x), axis=-1)

    return of_loss(K, logcosh, *pair())


def idiom_quantile_loss(K, np):
    def tilted_loss(q, y, f):
        e = y - f
        return K.mean(K.maximum(q * e, (q - 1) * e), axis=-1)

    found = {}
    for q in (0.1, 0.5, 0.9):
        values = of_loss(K, lambda y, f, q=q: tilted_loss(q, y, f), *pair((4, 2), 2))
        found.update((name + f' at {q}', value) for name, value in values.items())
    return found


def idiom_root_mean_squared_error(K, np):
    return of_loss(K, lambda t, p: K.sqrt(K.mean(K.square(p - t), axis=-1)), *pair())


def idiom_rmsle(K, np):
    def rmsle(y_true, y_pred):
        first_log = K.log(K.clip(y_pred, K.epsilon(), None) + 1.0)
        second_log = K.log(K.clip(y_true, K.epsilon(), None) + 1.0)
        return K.sqrt(K.mean(K.square(first_log - second_log), axis=-1))

    return of_loss(K, rmsle, halves((3, 4), 1) * 9, halves((3, 4), 2) * 9)


def idiom_mape(K, np):
    def mape(y_true, y_pred):
        diff = K.abs((y_true - y_pred) / K.clip(K.abs(y_true), K.epsilon(), None))
        return 100.0 * K.mean(diff, axis=-1)

    return of_loss(K, mape, *pair((3, 4), 4))


def idiom_smape(K, np):
    def smape(y_true, y_pred):
        return K.mean(200 * K.abs(y_pred - y_true) / (K.abs(y_pred) + K.abs(y_true) + 0.1))

    return of_loss(K, smape, *pair((3, 4), 6))


def idiom_weighted_binary_crossentropy(K, np):
    def create(zero_weight, one_weight):
        def loss(y_true, y_pred):
            b_ce = K.binary_crossentropy(y_true, y_pred)
            weight_vector = y_true * one_weight + (1.0 - y_true) * zero_weight
            return K.mean(weight_vector * b_ce)

        return loss

    return of_loss(K, create(0.3, 1.7), *binary())


def idiom_weighted_categorical_crossentropy(K, np):
    def weighted(weights):
        weights = K.variable(weights)

        def loss(y_true, y_pred):
            y_pred /= K.sum(y_pred, axis=-1, keepdims=True)
            y_pred = K.clip(y_pred, K.epsilon(), 1 - K.epsilon())
            return -K.sum(y_true * K.log(y_pred) * weights, -1)

        return loss

    return of_loss(K, weighted(np.array([0.5, 2.0, 10.0])), *classes())


def idiom_weighted_crossentropy_of_pairs(K, np):
    """The snippet with a matrix of weights for (true, predicted) classes."""

    def w_categorical_crossentropy(y_true, y_pred, weights):
        nb_cl = len(weights)
        final_mask = K.zeros_like(y_pred[:, 0])
        y_pred_max = K.max(y_pred, axis=1)
        y_pred_max = K.reshape(y_pred_max, (K.shape(y_pred)[0], 1))
        y_pred_max_mat = K.cast(K.equal(y_pred, y_pred_max), 'float32')
        for c_t in range(nb_cl):
            for c_p in range(nb_cl):
                final_mask += weights[c_t, c_p] * y_true[:, c_t] * y_pred_max_mat[:, c_p]
        return K.categorical_crossentropy(y_true, y_pred) * final_mask

    weights = 1 + np.arange(9).reshape(3, 3) / 10.0
    return of_loss(K, lambda t, p: w_categorical_crossentropy(t, p, weights), *classes((6,)))


def idiom_masked_mse(K, np):
    def masked_mse(y_true, y_pred, mask_value=-1.0):
        mask = K.cast(K.not_equal(y_true, mask_value), K.floatx())
        return K.sum(K.square(y_true - y_pred) * mask) / K.sum(mask)

    y_true, y_pred = pair()
    y_true[0, 1] = y_true[2, 2] = -1.0
    return of_loss(K, masked_mse, y_true, y_pred)


def idiom_masked_crossentropy(K, np):
    def loss(y_true, y_pred):
        mask = K.all(K.equal(y_true, 0), axis=-1)
        mask = 1 - K.cast(mask, K.floatx())
        value = K.categorical_crossentropy(y_true, y_pred) * mask
        return K.sum(value) / K.sum(mask)

    y_true, y_pred = classes((3, 4))
    y_true[0, 2:] = 0
    y_true[2, 1:] = 0
    return of_loss(K, loss, y_true, y_pred)


def idiom_pixelwise_softmax_crossentropy(K, np):
    def softmax_over_channels(x):
        e = K.exp(x - K.max(x, axis=-1, keepdims=True))
        return e / K.sum(e, axis=-1, keepdims=True)

    def loss(y_true, y_pred):
        p = K.clip(softmax_over_channels(y_pred), 1e-7, 1 - 1e-7)
        return -K.mean(K.sum(y_true * K.log(p), axis=-1), axis=[1, 2])

    y_true, _ = classes((2, 3, 3), 4)
    return of_loss(K, loss, y_true, reals((2, 3, 3, 4), 5))


def idiom_bootstrapped_crossentropy(K, np):
    def soft_bootstrap(y_true, y_pred, beta=0.95):
        y_pred = K.clip(y_pred, K.epsilon(), 1 - K.epsilon())
        return -K.sum((beta * y_true + (1.0 - beta) * y_pred) * K.log(y_pred), axis=-1)

    return of_loss(K, soft_bootstrap, *classes((4,), 4))


def idiom_label_smoothing(K, np):
    def loss(y_true, y_pred, smoothing=0.1):
        count = K.int_shape(y_pred)[-1]
        y_true = (1 - smoothing) * y_true + smoothing / count
        return K.categorical_crossentropy(y_true, y_pred)

    return of_loss(K, loss, *classes((4,), 5))


def idiom_hinge_losses(K, np):
    def hinges(y_true, y_pred):
        hinge = K.mean(K.maximum(1.0 - y_true * y_pred, 0.0), axis=-1)
        return hinge + K.mean(K.square(K.maximum(1.0 - y_true * y_pred, 0.0)), axis=-1)

    return of_loss(K, hinges, bits((4, 3), 1) * 2 - 1, reals((4, 3), 2))


def idiom_categorical_hinge(K, np):
    def hinge(y_true, y_pred):
        pos = K.sum(y_true * y_pred, axis=-1)
        neg = K.max((1.0 - y_true) * y_pred, axis=-1)
        return K.maximum(0.0, neg - pos + 1.0)

    return of_loss(K, hinge, *classes((5,), 4))


def idiom_kullback_leibler(K, np):
    def kld(y_true, y_pred):
        y_true = K.clip(y_true, K.epsilon(), 1)
        y_pred = K.clip(y_pred, K.epsilon(), 1)
        return K.sum(y_true * K.log(y_true / y_pred), axis=-1)

    return of_loss(K, kld, classes((4,), 4, 5)[1], classes((4,), 4, 8)[1])


def idiom_capsule_margin_loss(K, np):
    def margin_loss(y_true, y_pred):
        value = y_true * K.square(K.maximum(0.0, 0.9 - y_pred))
        value += 0.5 * (1 - y_true) * K.square(K.maximum(0.0, y_pred - 0.1))
        return K.mean(K.sum(value, 1))

    return of_loss(K, margin_loss, *classes((4,), 5))


def idiom_poisson_and_cosine(K, np):
    def loss(y_true, y_pred):
        poisson = K.mean(y_pred - y_true * K.log(y_pred + K.epsilon()), axis=-1)
        cosine = -K.sum(K.l2_normalize(y_true, axis=-1) * K.l2_normalize(y_pred, axis=-1), axis=-1)
        return poisson + cosine

    return of_loss(K, loss, halves((3, 4), 1) * 4, halves((3, 4), 2) * 4)


def idiom_mixture_density_loss(K, np):
    """Negative log likelihood of a mixture of three Gaussians in two dimensions."""

    def mdn_loss(c=2, m=3):
        def loss(y_true, y_pred):
            y_pred = K.reshape(y_pred, (-1, (c + 2) * m))
            mu = K.reshape(y_pred[:, : c * m], (-1, c, m))
            sigma = K.exp(y_pred[:, c * m : (c + 1) * m])
            alpha = K.softmax(y_pred[:, (c + 1) * m :])
            squares = K.sum(K.square(K.expand_dims(y_true, -1) - mu), axis=1)
            exponent = K.log(alpha) - c * 0.5 * np.log(2 * np.pi) - c * K.log(sigma) - squares / (2 * K.square(sigma))
            log_gauss = K.logsumexp(exponent, axis=1)
            return -K.mean(log_gauss)

        return loss

    return of_loss(K, mdn_loss(), reals((4, 2), 1), reals((4, 12), 2, 0.5))


def idiom_gaussian_nll(K, np):
    def nll(y_true, y_pred):
        mu, log_var = y_pred[:, :2], y_pred[:, 2:]
        return 0.5 * K.sum(log_var + K.square(y_true - mu) * K.exp(-log_var), axis=-1)

    return of_loss(K, nll, reals((4, 2), 1), reals((4, 4), 2, 0.5))


def idiom_total_loss_of_yolo(K, np):
    """Coordinates, confidence and classes of the cells of a grid, with a mask of objects."""

    def yolo(y_true, y_pred):
        mask = y_true[..., 4:5]
        xy = K.sigmoid(y_pred[..., 0:2])
        wh = K.exp(y_pred[..., 2:4])
        conf = K.sigmoid(y_pred[..., 4:5])
        xy_loss = K.sum(mask * K.square(y_true[..., 0:2] - xy))
        wh_loss = K.sum(mask * K.square(K.sqrt(y_true[..., 2:4]) - K.sqrt(wh)))
        conf_loss = K.sum(mask * K.square(1 - conf)) + 0.5 * K.sum((1 - mask) * K.square(conf))
        class_loss = mask * K.expand_dims(
            K.categorical_crossentropy(y_true[..., 5:], y_pred[..., 5:], from_logits=True)
        )
        return 5 * xy_loss + 5 * wh_loss + conf_loss + K.sum(class_loss)

    boxes, objects = halves((2, 2, 2, 4), 1), bits((2, 2, 2, 1), 2)
    labels, _ = classes((2, 2, 2), 3)
    return of_loss(K, yolo, np.concatenate([boxes, objects, labels], -1), reals((2, 2, 2, 8), 3, 0.5))


def idiom_crossentropies_on_activations(K, np):
    """The crossentropy right behind softmax and sigmoid, with scores that saturate them."""
    scores = np.array([[50.0, 0.0, -50.0], [1.0, 2.0, 3.0], [-30.0, 5.0, 4.0]], 'float32')
    targets = np.eye(3, dtype='float32')[[2, 0, 1]]
    found = of_loss(K, lambda t, p: K.categorical_crossentropy(t, K.softmax(p)), targets, scores)
    more = of_loss(K, lambda t, p: K.binary_crossentropy(t, K.sigmoid(p)), targets, scores)
    found.update(('binary ' + name, value) for name, value in more.items())
    return found


def idiom_crossentropies_from_logits(K, np):
    scores = reals((3, 4), 2) * 3
    targets, _ = classes((3,), 4)
    found = of_loss(K, lambda t, p: K.categorical_crossentropy(t, p, from_logits=True), targets, scores)
    more = of_loss(K, lambda t, p: K.binary_crossentropy(t, p, from_logits=True), targets, scores)
    found.update(('binary ' + name, value) for name, value in more.items())
    return found


def idiom_sparse_crossentropy_with_ignored_class(K, np):
    def loss(y_true, y_pred):
        log_p = K.log(K.clip(K.reshape(y_pred, (-1, K.int_shape(y_pred)[-1])), 1e-7, 1.0))
        y_true = K.one_hot(K.cast(K.flatten(y_true), 'int32'), K.int_shape(y_pred)[-1] + 1)
        y_true = y_true[:, :-1]
        value = -K.sum(y_true * log_p, axis=1)
        return K.sum(value) / K.sum(y_true)

    labels = np.array([[0, 3, 1], [2, 2, 3]], 'float32')  # 3 is to be ignored
    return of_loss(K, loss, labels, classes((2, 3))[1])


def idiom_sample_weights_in_loss(K, np):
    """A last column of the targets holds the weights of the samples."""

    def loss(y_true, y_pred):
        weights = y_true[:, -1]
        value = K.mean(K.square(y_pred - y_true[:, :-1]), axis=-1)
        return K.mean(value * weights) / K.mean(K.cast(K.not_equal(weights, 0), K.floatx()))

    y_true = np.concatenate([reals((5, 2), 1), np.array([[1], [0], [2], [0.5], [0]], 'float32')], 1)
    return of_loss(K, loss, y_true, reals((5, 2), 2))
