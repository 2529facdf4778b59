"""Metrics of targets and predictions."""

from idioms.harness import binary, bits, classes, halves, of_metric, pair, reals


def idiom_precision_recall_f1(K, np):
    """The snippet of Keras 1 that lived on in every competition."""

    def recall(y_true, y_pred):
        true_positives = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
        possible_positives = K.sum(K.round(K.clip(y_true, 0, 1)))
        return true_positives / (possible_positives + K.epsilon())

    def precision(y_true, y_pred):
        true_positives = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
        predicted_positives = K.sum(K.round(K.clip(y_pred, 0, 1)))
        return true_positives / (predicted_positives + K.epsilon())

    def f1(y_true, y_pred):
        p, r = precision(y_true, y_pred), recall(y_true, y_pred)
        return 2 * ((p * r) / (p + r + K.epsilon()))

    return {name: of_metric(K, m, *binary((6, 3)))['metric'] for name, m in zip('prf', (precision, recall, f1))}


def idiom_f1_with_cast_to_float(K, np):
    def f1(y_true, y_pred):
        y_pred = K.round(y_pred)
        tp = K.sum(K.cast(y_true * y_pred, 'float'), axis=0)
        fp = K.sum(K.cast((1 - y_true) * y_pred, 'float'), axis=0)
        fn = K.sum(K.cast(y_true * (1 - y_pred), 'float'), axis=0)
        p = tp / (tp + fp + K.epsilon())
        r = tp / (tp + fn + K.epsilon())
        return K.mean(2 * p * r / (p + r + K.epsilon()))

    return of_metric(K, f1, *binary((6, 3), 5))


def idiom_fbeta_score(K, np):
    def fbeta(y_true, y_pred, beta=2, threshold=0.4):
        beta_squared = beta**2
        y_pred = K.cast(K.greater(K.clip(y_pred, 0, 1), threshold), K.floatx())
        tp = K.sum(K.round(y_true * y_pred), axis=1) + K.epsilon()
        fp = K.sum(K.round(K.clip(y_pred - y_true, 0, 1)), axis=1)
        fn = K.sum(K.round(K.clip(y_true - y_pred, 0, 1)), axis=1)
        p, r = tp / (tp + fp), tp / (tp + fn)
        return K.mean((beta_squared + 1) * (p * r) / (beta_squared * p + r + K.epsilon()))

    return of_metric(K, fbeta, *binary((6, 4), 2))


def idiom_matthews_correlation(K, np):
    def matthews(y_true, y_pred):
        y_pred_pos = K.round(K.clip(y_pred, 0, 1))
        y_pred_neg = 1 - y_pred_pos
        y_pos = K.round(K.clip(y_true, 0, 1))
        y_neg = 1 - y_pos
        tp, tn = K.sum(y_pos * y_pred_pos), K.sum(y_neg * y_pred_neg)
        fp, fn = K.sum(y_neg * y_pred_pos), K.sum(y_pos * y_pred_neg)
        numerator = tp * tn - fp * fn
        denominator = K.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        return numerator / (denominator + K.epsilon())

    return of_metric(K, matthews, *binary((7, 2), 4))


def idiom_specificity_and_balanced_accuracy(K, np):
    def balanced(y_true, y_pred):
        positive = K.cast(y_pred > 0.5, 'float32')
        tn = K.sum((1 - y_true) * (1 - positive))
        tp = K.sum(y_true * positive)
        return K.stack([tn / K.sum(1 - y_true), tp / K.sum(y_true)]) * 0.5

    return of_metric(K, balanced, *binary((7, 2), 6))


def idiom_r_squared(K, np):
    def r2(y_true, y_pred):
        ss_res = K.sum(K.square(y_true - y_pred))
        ss_tot = K.sum(K.square(y_true - K.mean(y_true)))
        return 1 - ss_res / (ss_tot + K.epsilon())

    return of_metric(K, r2, *pair((5, 2)))


def idiom_pearson_correlation(K, np):
    def pearson(y_true, y_pred):
        xm, ym = y_true - K.mean(y_true), y_pred - K.mean(y_pred)
        r_num = K.sum(xm * ym)
        r_den = K.sqrt(K.sum(K.square(xm)) * K.sum(K.square(ym)))
        return K.maximum(K.minimum(r_num / r_den, 1.0), -1.0)

    return of_metric(K, pearson, *pair((6, 2), 3))


def idiom_concordance_correlation(K, np):
    def ccc(y_true, y_pred):
        mt, mp = K.mean(y_true, axis=0), K.mean(y_pred, axis=0)
        covariance = K.mean((y_true - mt) * (y_pred - mp), axis=0)
        return 2 * covariance / (K.var(y_true, axis=0) + K.var(y_pred, axis=0) + K.square(mt - mp))

    return of_metric(K, ccc, *pair((6, 2), 3))


def idiom_mean_iou_of_classes(K, np):
    def iou(y_true, y_pred):
        true, pred = K.argmax(y_true, axis=-1), K.argmax(y_pred, axis=-1)
        scores = []
        for c in range(3):
            t, p = K.cast(K.equal(true, c), 'int32'), K.cast(K.equal(pred, c), 'int32')
            intersection = K.sum(t * p)
            union = K.sum(t) + K.sum(p) - intersection
            scores.append(
                K.switch(
                    K.equal(union, 0),
                    K.constant(1.0),
                    K.cast(intersection, 'float32') / (K.cast(union, 'float32') + K.epsilon()),
                )
            )
        return K.stack(scores)

    y_true, y_pred = classes((2, 3, 3))
    return of_metric(K, iou, y_true, y_pred)


def idiom_iou_of_boxes(K, np):
    def iou(boxes_a, boxes_b):
        left_top = K.maximum(boxes_a[..., :2], boxes_b[..., :2])
        right_bottom = K.minimum(boxes_a[..., :2] + boxes_a[..., 2:], boxes_b[..., :2] + boxes_b[..., 2:])
        sides = K.maximum(right_bottom - left_top, 0.0)
        intersection = sides[..., 0] * sides[..., 1]
        areas = K.prod(boxes_a[..., 2:], axis=-1) + K.prod(boxes_b[..., 2:], axis=-1)
        return intersection / (areas - intersection)

    return of_metric(K, iou, halves((5, 4), 1), halves((5, 4), 2))


def idiom_competition_iou_thresholds(K, np):
    """The mean over thresholds of the share of masks whose IoU is above."""

    def metric(y_true, y_pred):
        t, p = K.batch_flatten(y_true), K.round(K.batch_flatten(y_pred))
        intersection = K.sum(t * p, axis=1)
        iou = (intersection + 1e-3) / (K.sum(t, axis=1) + K.sum(p, axis=1) - intersection + 1e-3)
        steps = [K.mean(K.cast(K.greater(iou, threshold), 'float32')) for threshold in np.arange(0.22, 0.9, 0.13)]
        return K.mean(K.stack(steps))

    return of_metric(K, metric, *binary((5, 3, 3)))


def idiom_binary_accuracy(K, np):
    def accuracy(y_true, y_pred):
        return K.mean(K.equal(y_true, K.round(y_pred)), axis=-1)

    return of_metric(K, accuracy, *binary((5, 4)))


def idiom_categorical_accuracy(K, np):
    def accuracy(y_true, y_pred):
        return K.cast(K.equal(K.argmax(y_true, axis=-1), K.argmax(y_pred, axis=-1)), K.floatx())

    return of_metric(K, accuracy, *classes((7,), 3))


def idiom_sparse_accuracy(K, np):
    def accuracy(y_true, y_pred):
        found = K.cast(K.argmax(y_pred, axis=-1), K.floatx())
        return K.cast(K.equal(K.max(y_true, axis=-1), found), K.floatx())

    labels = np.array([[0], [2], [1], [1], [0]], 'float32')
    return of_metric(K, accuracy, labels, classes((5,), 3)[1])


def idiom_top_k_accuracy(K, np):
    def top_2(y_true, y_pred):
        return K.cast(K.in_top_k(y_pred, K.argmax(y_true, axis=-1), 2), 'float32')

    return of_metric(K, top_2, *classes((7,), 4))


def idiom_sparse_top_k_accuracy(K, np):
    def top_2(y_true, y_pred):
        return K.mean(K.in_top_k(y_pred, K.cast(K.flatten(y_true), 'int32'), 2), axis=-1)

    return of_metric(K, top_2, np.array([[0], [2], [1], [3], [0]], 'float32'), classes((5,), 4)[1])


def idiom_accuracy_with_ignored_class(K, np):
    def ignore_accuracy(y_true, y_pred, to_ignore=0):
        true, pred = K.argmax(y_true, axis=-1), K.argmax(y_pred, axis=-1)
        mask = K.cast(K.not_equal(pred, to_ignore), 'int32')
        matches = K.cast(K.equal(true, pred), 'int32') * mask
        return K.sum(matches) / K.maximum(K.sum(mask), 1)

    return of_metric(K, ignore_accuracy, *classes((3, 4), 3))


def idiom_exact_sequence_accuracy(K, np):
    def all_equal(y_true, y_pred):
        return K.mean(K.cast(K.all(K.equal(K.argmax(y_true), K.argmax(y_pred)), axis=1), 'float32'))

    y_true, y_pred = classes((4, 2), 2)
    return of_metric(K, all_equal, y_true, y_pred)


def idiom_auc_by_thresholds(K, np):
    """The area under the curve by a trapezoid over fixed thresholds."""

    def auc(y_true, y_pred):
        thresholds = K.constant(np.linspace(0.017, 0.983, 9))
        above = K.cast(K.expand_dims(K.flatten(y_pred), -1) > K.expand_dims(thresholds, 0), 'float32')
        t = K.expand_dims(K.flatten(y_true), -1)
        tpr = K.sum(above * t, axis=0) / K.sum(t)
        fpr = K.sum(above * (1 - t), axis=0) / K.sum(1 - t)
        return K.sum((fpr[:-1] - fpr[1:]) * (tpr[:-1] + tpr[1:]) / 2)

    return of_metric(K, auc, *binary((9, 1), 5))


def idiom_auc_by_pairs(K, np):
    def auc(y_true, y_pred):
        t, p = K.flatten(y_true), K.flatten(y_pred)
        better = K.cast(K.greater(K.expand_dims(p, 1), K.expand_dims(p, 0)), 'float32')
        pairs = K.expand_dims(t, 1) * K.expand_dims(1.0 - t, 0)
        return K.sum(better * pairs) / K.sum(pairs)

    return of_metric(K, auc, *binary((9, 1), 5))


def idiom_psnr(K, np):
    def psnr(y_true, y_pred):
        return -10.0 * K.log(K.mean(K.square(y_pred - y_true))) / np.log(10.0)

    return of_metric(K, psnr, halves((2, 4, 4, 1), 1), halves((2, 4, 4, 1), 2))


def idiom_ssim_of_whole_images(K, np):
    def ssim(y_true, y_pred):
        u_true, u_pred = K.mean(y_true, axis=[1, 2, 3]), K.mean(y_pred, axis=[1, 2, 3])
        var_true, var_pred = K.var(y_true, axis=[1, 2, 3]), K.var(y_pred, axis=[1, 2, 3])
        std_true, std_pred = K.sqrt(var_true), K.sqrt(var_pred)
        c1, c2 = 0.01**2, 0.03**2
        value = (2 * u_true * u_pred + c1) * (2 * std_pred * std_true + c2)
        return value / ((u_true**2 + u_pred**2 + c1) * (var_pred + var_true + c2))

    return of_metric(K, ssim, halves((2, 4, 4, 1), 1), halves((2, 4, 4, 1), 2))


def idiom_ssim_of_windows(K, np):
    """Means and variances of windows by a fixed Gaussian kernel in a depthwise convolution."""

    def ssim(y_true, y_pred):
        grid = np.arange(3) - 1.0
        window = np.exp(-(grid[:, None] ** 2 + grid[None] ** 2) / 2)
        kernel = K.constant((window / window.sum()).reshape(3, 3, 1, 1))

        def blur(x):
            return K.depthwise_conv2d(x, kernel)

        mu_t, mu_p = blur(y_true), blur(y_pred)
        var_t, var_p = blur(y_true**2) - mu_t**2, blur(y_pred**2) - mu_p**2
        covariance = blur(y_true * y_pred) - mu_t * mu_p
        value = (2 * mu_t * mu_p + 1e-4) * (2 * covariance + 9e-4)
        return K.mean(value / ((mu_t**2 + mu_p**2 + 1e-4) * (var_t + var_p + 9e-4)), axis=[1, 2, 3])

    return of_metric(K, ssim, halves((2, 5, 5, 1), 1), halves((2, 5, 5, 1), 2))


def idiom_hamming_and_subset_accuracy(K, np):
    def both(y_true, y_pred):
        equal = K.equal(y_true, K.cast(y_pred > 0.3, 'float32'))
        return K.stack([K.mean(K.cast(equal, 'float32')), K.mean(K.cast(K.all(equal, axis=-1), 'float32'))])

    return of_metric(K, both, *binary((6, 2), 3))


def idiom_confusion_matrix(K, np):
    def confusion(y_true, y_pred):
        found = K.one_hot(K.argmax(y_pred, axis=-1), 3)
        return K.dot(K.transpose(y_true), found)

    return of_metric(K, confusion, *classes((9,), 3, 4))


def idiom_cohens_kappa(K, np):
    """Quadratic weights of the distance of the classes."""

    def kappa(y_true, y_pred):
        found = K.one_hot(K.argmax(y_pred, axis=-1), 3)
        observed = K.dot(K.transpose(y_true), found)
        rows, columns = K.sum(y_true, axis=0), K.sum(found, axis=0)
        expected = K.expand_dims(rows, 1) * K.expand_dims(columns, 0) / K.sum(observed)
        weights = K.constant((np.arange(3)[:, None] - np.arange(3)[None]) ** 2 / 4.0)
        return 1.0 - K.sum(weights * observed) / K.sum(weights * expected)

    return of_metric(K, kappa, *classes((9,), 3, 6))


def idiom_mean_of_predictions(K, np):
    """The names of the first metrics: mean, range and share of predictions."""

    def metric(y_true, y_pred):
        spread = K.max(y_pred) - K.min(y_pred)
        share = K.mean(K.cast(K.not_equal(K.round(y_pred), 0), 'float32'))
        return K.stack([K.mean(y_pred), K.std(y_pred), spread, share, K.mean(y_true)])

    return of_metric(K, metric, *binary())


def idiom_entropy_of_predictions(K, np):
    def entropy(y_true, y_pred):
        return (
            -K.sum(y_pred * K.log(y_pred), axis=-1) / K.log(K.cast(K.shape(y_pred)[-1], 'float32')) + 0 * y_true[:, 0]
        )

    return of_metric(K, entropy, *classes((4,), 3))


def idiom_mean_reciprocal_rank(K, np):
    def mrr(y_true, y_pred):
        score = K.sum(y_true * y_pred, axis=-1, keepdims=True)
        rank = 1 + K.sum(K.cast(y_pred > score, 'int32'), axis=-1)
        return K.mean(1.0 / K.cast(rank, K.floatx()))

    return of_metric(K, mrr, *classes((6,), 4))


def idiom_angle_between_vectors(K, np):
    def angle(y_true, y_pred):
        dot = K.sum(y_true * y_pred, axis=-1)
        cross = y_true[..., :1] * y_pred[..., 1:] - y_true[..., 1:] * y_pred[..., :1]
        return K.sqrt(K.square(dot) + K.square(K.squeeze(cross, -1))) + dot

    return of_metric(K, angle, reals((4, 2), 1), reals((4, 2), 2))


def idiom_counts_as_integers(K, np):
    """Metrics that stay integers to the end."""

    def counts(y_true, y_pred):
        t, p = K.cast(y_true, 'int32'), K.cast(K.greater_equal(y_pred, 0.5), 'int32')
        return K.stack([K.sum(t * p), K.sum(t * (1 - p)), K.sum((1 - t) * p), K.sum((1 - t) * (1 - p))])

    return of_metric(K, counts, bits((6, 2), 1), halves((6, 2), 2))
