"""Cells by hand in K.rnn, with masks, constants, phases and unrolled loops."""

from idioms.harness import bits, of_layer, reals


def _lstm(K, x, kernel, recurrent, bias, size=2, **options):
    def step(row, states):
        h, c = states[:2]
        z = K.bias_add(K.dot(row, kernel) + K.dot(h, recurrent), bias)
        i, f = K.hard_sigmoid(z[:, :size]), K.hard_sigmoid(z[:, size : 2 * size])
        c = f * c + i * K.tanh(z[:, 2 * size : 3 * size])
        h = K.hard_sigmoid(z[:, 3 * size :]) * K.tanh(c)
        return h, [h, c]

    zeros = K.tile(K.expand_dims(K.sum(K.zeros_like(x), axis=(1, 2))), [1, size])
    return K.rnn(step, x, [zeros, zeros], **options)


WEIGHTS = [reals((3, 8), 2, 0.5), reals((2, 8), 3, 0.5), reals((8,), 4, 0.3)]


def idiom_lstm(K, np):
    def call(x, *weights):
        last, outputs, states = _lstm(K, x, *weights)
        return [last, outputs] + list(states)

    return of_layer(K, call, [reals((2, 4, 3), 1)], WEIGHTS)


def idiom_lstm_backwards(K, np):
    return of_layer(K, lambda x, *w: _lstm(K, x, *w, go_backwards=True)[1], [reals((2, 4, 3), 1)], WEIGHTS)


def idiom_lstm_unrolled(K, np):
    def call(x, *weights):
        return _lstm(K, x, *weights, unroll=True, input_length=4)[0]

    return of_layer(K, call, [reals((2, 4, 3), 1)], WEIGHTS)


def idiom_lstm_with_mask(K, np):
    def call(x, mask, *weights):
        last, outputs, states = _lstm(K, x, *weights, mask=K.not_equal(mask, 0))
        return [last, outputs, states[1]]

    mask = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0]], 'int32')
    return of_layer(K, call, [reals((3, 4, 3), 1), mask], WEIGHTS)


def idiom_lstm_with_mask_unrolled_backwards(K, np):
    def call(x, mask, *weights):
        mask = K.not_equal(mask, 0)
        return _lstm(K, x, *weights, mask=mask, unroll=True, input_length=4, go_backwards=True)[0]

    mask = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [0, 1, 1, 0]], 'int32')
    return of_layer(K, call, [reals((3, 4, 3), 1), mask], WEIGHTS)


def idiom_gru_with_dropout_masks_as_constants(K, np):
    def call(x, dropout, kernel, recurrent):
        def step(row, states):
            h, mask = states
            row = row * mask
            z = K.sigmoid(K.dot(row, kernel[:, :2]) + K.dot(h, recurrent[:, :2]))
            r = K.sigmoid(K.dot(row, kernel[:, 2:4]) + K.dot(h, recurrent[:, 2:4]))
            hh = K.tanh(K.dot(row, kernel[:, 4:]) + K.dot(r * h, recurrent[:, 4:]))
            h = z * h + (1 - z) * hh
            return h, [h]

        zeros = K.zeros_like(x[:, 0, :2])
        return K.rnn(step, x, [zeros], constants=[dropout])[1]

    inputs = [reals((2, 4, 3), 1), bits((2, 3), 5) * 2]
    return of_layer(K, call, inputs, [reals((3, 6), 2), reals((2, 6), 3)])


def idiom_bidirectional_sum(K, np):
    def call(x, *weights):
        forward = _lstm(K, x, *weights)[1]
        backward = _lstm(K, x, *weights, go_backwards=True)[1]
        return K.concatenate([forward, K.reverse(backward, 1)])

    return of_layer(K, call, [reals((2, 3, 3), 1)], WEIGHTS)


def idiom_stateful_rnn(K, np):
    """The state stays in a variable from batch to batch."""
    x, state, w = K.placeholder((2, 3, 2)), K.zeros((2, 2)), K.variable(reals((2, 2), 2))

    def cell(row, states):
        new = K.tanh(row + K.dot(states[0], w))
        return new, [new]

    last, _, states = K.rnn(cell, x, [state])
    step = K.function([x], [last], [K.update(state, states[0])])
    found = {f'batch {n}': step([reals((2, 3, 2), n + 3)])[0] for n in range(3)}
    found['state'] = K.get_value(state)
    K.set_value(state, np.zeros((2, 2)))
    found['after reset'] = step([reals((2, 3, 2), 3)])[0]
    return found


def idiom_quasi_recurrent_pooling(K, np):
    """Gates by convolutions, and a recurrence without weights."""

    def call(x, kernel):
        zfo = K.temporal_padding(x, (1, 0))
        zfo = K.conv1d(zfo, kernel, padding='valid')

        def step(row, states):
            z, f, o = K.tanh(row[:, :2]), K.sigmoid(row[:, 2:4]), K.sigmoid(row[:, 4:])
            c = f * states[0] + (1 - f) * z
            return o * c, [c]

        return K.rnn(step, zfo, [K.zeros_like(zfo[:, 0, :2])])[1]

    return of_layer(K, call, [reals((2, 4, 3), 1)], [reals((2, 3, 6), 2)])


def idiom_minimal_and_layer_normalised_cell(K, np):
    def call(x, w, u, gamma):
        def norm(y):
            return gamma * (y - K.mean(y, -1, keepdims=True)) / (K.std(y, -1, keepdims=True) + 1e-2)

        def step(row, states):
            f = K.sigmoid(norm(K.dot(row, w) + K.dot(states[0], u)))
            h = (1 - f) * states[0] + f * K.tanh(K.dot(row, w) + K.dot(f * states[0], u))
            return h, [h]

        return K.rnn(step, x, [K.zeros_like(x)[:, 0]])[1]

    return of_layer(K, call, [reals((2, 4, 3), 1)], [reals((3, 3), 2), reals((3, 3), 3), reals((3,), 4)])


def idiom_convolutional_lstm(K, np):
    def call(x, kernel, recurrent):
        def step(frame, states):
            h, c = states
            z = K.conv2d(frame, kernel, padding='same') + K.conv2d(h, recurrent, padding='same')
            i, f, g, o = [z[..., n : n + 1] for n in range(4)]
            c = K.sigmoid(f) * c + K.sigmoid(i) * K.tanh(g)
            h = K.sigmoid(o) * K.tanh(c)
            return h, [h, c]

        zeros = K.sum(K.zeros_like(x), axis=1)[..., :1]
        return K.rnn(step, x, [zeros, zeros])[0]

    weights = [reals((2, 2, 2, 4), 2, 0.4), reals((2, 2, 1, 4), 3, 0.4)]
    return of_layer(K, call, [reals((2, 3, 3, 3, 2), 1)], weights)


def idiom_beam_free_decoder(K, np):
    """A decoder that feeds its own output back, over an input that counts the steps only."""

    def call(h0, w, v):
        steps = K.repeat(K.zeros_like(h0), 3)

        def step(_, states):
            h, before = states
            h = K.tanh(K.dot(h, w) + before)
            out = K.softmax(K.dot(h, v))
            return out, [h, out]

        return K.rnn(step, steps, [h0, K.zeros_like(h0)])[1]

    return of_layer(K, call, [reals((2, 3), 1)], [reals((3, 3), 2), reals((3, 3), 3)])


def idiom_exponential_smoothing_by_folds(K, np):
    x = K.variable(reals((5, 2), 1))
    smooth = K.foldl(lambda a, row: 0.7 * a + 0.3 * row, x)
    back = K.foldr(lambda a, row: 0.7 * a + 0.3 * row, x)
    loss = K.sum(K.square(smooth) + K.sin(back))
    return dict(zip(('smooth', 'back', 'x'), K.function([], [smooth, back] + K.gradients(loss, [x]))([])))
