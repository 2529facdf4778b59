"""Losses of sequences: CTC, masks over time, and structured outputs."""

from idioms.harness import bits, classes, of_loss, reals, whole


def _ctc_data(np):
    _, p = classes((3, 6), 5, 4)
    labels = np.array([[0, 1, 2], [3, 3, 0], [2, 0, 0]], 'float32')
    return labels, p, np.array([[6], [6], [5]], 'int32'), np.array([[3], [2], [1]], 'int32')


def idiom_ctc_lambda_func(K, np):
    """The wrapper of the OCR examples, which drops the first outputs of the recurrent layer."""

    def ctc_lambda_func(args):
        y_pred, labels, input_length, label_length = args
        y_pred = y_pred[:, 1:, :]
        return K.ctc_batch_cost(labels, y_pred, input_length, label_length)

    labels, p, _, label_length = _ctc_data(np)
    input_length = np.array([[5], [5], [4]], 'int32')
    tensors = [K.placeholder((None, None, 5)), K.placeholder((None, 3))]
    tensors += [K.placeholder((None, 1), dtype='int32'), K.placeholder((None, 1), dtype='int32')]
    cost = ctc_lambda_func(tensors)
    values = K.function(tensors, [cost] + K.gradients(K.sum(cost), [tensors[0]]))(
        [p, labels, input_length, label_length]
    )
    return dict(zip(('cost', 'gradient'), values))


def idiom_ctc_loss_of_padded_labels(K, np):
    """Lengths by counting what is not the padding."""

    def ctc_loss(y_true, y_pred):
        batch = K.shape(y_true)[0]
        input_length = K.shape(y_pred)[1] * K.ones((3, 1), dtype='int32')
        label_length = K.cast(K.sum(K.cast(K.not_equal(y_true, -1), 'int32'), axis=1, keepdims=True), 'int32')
        cost = K.ctc_batch_cost(K.maximum(y_true, 0), y_pred, input_length, label_length)
        return cost + 0 * K.cast(batch, 'float32')

    _, p, _, _ = _ctc_data(np)
    return of_loss(K, ctc_loss, np.array([[0, 1, 2], [3, 3, -1], [2, -1, -1]], 'float32'), p)


def idiom_ctc_greedy_decoding(K, np):
    _, p, input_length, _ = _ctc_data(np)
    x, n = K.placeholder((None, None, 5)), K.placeholder((None,), dtype='int32')
    decoded, log_prob = K.ctc_decode(x, n, greedy=True)
    values = K.function([x, n], [decoded[0], log_prob])([p, input_length[:, 0]])
    return {'labels': np.asarray(values[0], 'int32'), 'log probability': values[1]}


def idiom_ctc_beam_decoding(K, np):
    _, p, input_length, _ = _ctc_data(np)
    decoded, _ = K.ctc_decode(K.variable(p), K.variable(input_length[:, 0], dtype='int32'), greedy=False, beam_width=8)
    return {'labels': np.asarray(K.eval(decoded[0]), 'int32')}


def idiom_masked_sequence_crossentropy(K, np):
    """Words of a sentence, where 0 is the padding."""

    def loss(y_true, y_pred):
        ids = K.cast(K.squeeze(y_true, -1), 'int32')
        mask = K.cast(K.not_equal(ids, 0), 'float32')
        value = K.sparse_categorical_crossentropy(ids, y_pred, from_logits=True) * mask
        return K.sum(value, axis=1) / K.maximum(K.sum(mask, axis=1), 1.0)

    ids = np.array([[1, 3, 0, 0], [2, 2, 1, 0], [0, 0, 0, 0]], 'float32')[..., None]
    return of_loss(K, loss, ids, reals((3, 4, 4), 3))


def idiom_perplexity(K, np):
    def perplexity(y_true, y_pred):
        return K.pow(2.0, K.mean(K.categorical_crossentropy(y_true, y_pred), axis=-1))

    return of_loss(K, perplexity, *classes((3, 4), 4))


def idiom_mse_with_weights_in_time(K, np):
    def loss(y_true, y_pred):
        steps = K.cast(K.arange(0, K.int_shape(y_pred)[1]), 'float32')
        decay = K.reshape(K.pow(0.8 + 0 * steps, steps), (1, -1, 1))
        return K.sum(K.square(y_true - y_pred) * decay, axis=[1, 2])

    return of_loss(K, loss, reals((3, 5, 2), 1), reals((3, 5, 2), 2))


def idiom_total_variation_in_time(K, np):
    def loss(y_true, y_pred):
        steps = K.mean(K.square(y_pred[:, 1:] - y_pred[:, :-1]), axis=[1, 2])
        curvature = y_pred[:, 2:] - 2 * y_pred[:, 1:-1] + y_pred[:, :-2]
        return K.mean(K.square(y_true - y_pred), axis=[1, 2]) + 0.1 * steps + 0.01 * K.mean(K.abs(curvature), [1, 2])

    return of_loss(K, loss, reals((3, 5, 2), 1), reals((3, 5, 2), 2))


def idiom_crf_loss(K, np):
    """A linear chain: the score of the path less the log of the sum over all paths, by K.rnn."""

    def log_partition(scores, transitions):
        def step(x, states):
            alpha = K.expand_dims(states[0], 2) + K.expand_dims(transitions, 0)
            alpha = K.logsumexp(alpha, axis=1) + x
            return alpha, [alpha]

        last, _, _ = K.rnn(step, scores[:, 1:], [scores[:, 0]])
        return K.logsumexp(last, axis=1)

    transitions = K.variable(reals((3, 3), 7, 0.5))

    def loss(y_true, y_pred):
        point = K.sum(K.sum(y_true * y_pred, 2), 1)
        before, after = K.expand_dims(y_true[:, :-1], 3), K.expand_dims(y_true[:, 1:], 2)
        moves = K.expand_dims(K.expand_dims(transitions, 0), 0)
        path = point + K.sum(K.sum(before * after * moves, [2, 3]), 1)
        return log_partition(y_pred, transitions) - path

    targets, _ = classes((2, 4))
    return of_loss(K, loss, targets, reals((2, 4, 3), 4))


def idiom_crf_viterbi_scores(K, np):
    """The best score of the paths, and the argmax of every step."""
    emissions, transitions = K.placeholder((None, 4, 3)), K.variable(reals((3, 3), 7))

    def step(x, states):
        table = K.expand_dims(states[0], 2) + K.expand_dims(transitions, 0)
        best = K.max(table, axis=1) + x
        return K.concatenate([best, K.cast(K.argmax(table, axis=1), K.floatx())], axis=1), [best]

    _, outputs, states = K.rnn(step, emissions[:, 1:], [emissions[:, 0]])
    values = K.function([emissions], [outputs, states[0], K.argmax(states[0])])([reals((2, 4, 3), 5)])
    return dict(zip(('outputs', 'best', 'last'), values))


def idiom_attention_alignment_penalty(K, np):
    """The squared Frobenius norm of A times its transpose less the unit matrix (structured self-attention)."""

    def loss(y_true, y_pred):
        a = K.softmax(y_pred)
        aat = K.batch_dot(a, K.permute_dimensions(a, (0, 2, 1)))
        difference = aat - K.expand_dims(K.eye(2), 0)
        return K.sqrt(K.sum(K.square(difference), axis=[1, 2])) + 0 * K.sum(y_true)

    return of_loss(K, loss, bits((3, 1)), reals((3, 2, 4), 4))


def idiom_skip_gram_negative_sampling(K, np):
    """Two embeddings by K.gather, their dot product, and the crossentropy of its sigmoid."""
    target, context, label = (
        K.placeholder((None, 1), dtype='int32'),
        K.placeholder((None, 1), dtype='int32'),
        K.placeholder((None, 1)),
    )
    e1, e2 = K.variable(reals((6, 3), 1)), K.variable(reals((6, 3), 2))
    product = K.sum(K.gather(e1, target) * K.gather(e2, context), axis=-1)
    loss = K.mean(K.binary_crossentropy(label, product, from_logits=True))
    run = K.function([target, context, label], [product, loss])
    values = run([whole((5, 1), 6, 1), whole((5, 1), 6, 2), bits((5, 1), 3)])
    return dict(zip(('product', 'loss'), values))
