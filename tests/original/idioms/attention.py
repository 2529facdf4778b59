"""Call bodies of attention layers."""

from idioms.harness import bits, of_layer, reals


def idiom_attention_with_context(K, np):
    """Hierarchical attention: a context vector weighs the steps, with a mask."""

    def call(x, mask, w, b, u):
        uit = K.tanh(K.dot(x, w) + b)
        ait = K.squeeze(K.dot(uit, K.expand_dims(u)), axis=-1)
        a = K.exp(ait)
        a *= K.cast(mask, K.floatx())
        a /= K.cast(K.sum(a, axis=1, keepdims=True) + K.epsilon(), K.floatx())
        return K.sum(x * K.expand_dims(a), axis=1), a

    mask = np.array([[1, 1, 1, 1], [1, 1, 0, 0]], 'int32')
    return of_layer(K, call, [reals((2, 4, 3), 1), mask], [reals((3, 3), 2), reals((3,), 3), reals((3,), 4)])


def idiom_attention_by_reshape(K, np):
    """The layer of the competitions: two reshapes around K.dot, and a bias for every step."""

    def call(x, w, b):
        features_dim, step_dim = 3, 4
        eij = K.reshape(K.dot(K.reshape(x, (-1, features_dim)), K.reshape(w, (features_dim, 1))), (-1, step_dim))
        eij += b
        eij = K.tanh(eij)
        a = K.exp(eij)
        a /= K.cast(K.sum(a, axis=1, keepdims=True) + K.epsilon(), K.floatx())
        a = K.expand_dims(a)
        return K.sum(x * a, axis=1)

    return of_layer(K, call, [reals((2, 4, 3), 1)], [reals((3,), 2), reals((4,), 3)])


def idiom_attention_weighted_average(K, np):
    """Logits of all steps less their maximum, and a mask of floats."""

    def call(x, mask, w):
        logits = K.dot(x, w)
        logits = K.reshape(logits, (K.shape(x)[0], K.shape(x)[1]))
        ai = K.exp(logits - K.max(logits, axis=-1, keepdims=True))
        ai = ai * mask
        weights = ai / (K.sum(ai, axis=1, keepdims=True) + K.epsilon())
        return K.sum(x * K.expand_dims(weights), axis=1)

    mask = np.array([[1, 1, 0, 0], [1, 1, 1, 0]], 'float32')
    return of_layer(K, call, [reals((2, 4, 3), 3), mask], [reals((3, 1), 4)])


def idiom_scaled_dot_product_attention(K, np):
    def call(q, k, v, mask):
        scores = K.batch_dot(q, k, axes=[2, 2]) / np.sqrt(3.0)
        scores += -1e10 * (1.0 - K.expand_dims(mask, 1))
        a = K.softmax(scores)
        return K.batch_dot(a, v), a

    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], 'float32')
    return of_layer(K, call, [reals((2, 2, 3), 1), reals((2, 4, 3), 2), reals((2, 4, 2), 3), mask])


def idiom_causal_attention(K, np):
    """A mask by the cumulated sum of the unit matrix."""

    def call(q, k, v):
        scores = K.batch_dot(q, K.permute_dimensions(k, (0, 2, 1)))
        upper = K.cumsum(K.eye(4), axis=1) - K.eye(4)
        scores -= K.expand_dims(upper, 0) * 1e4
        return K.batch_dot(K.softmax(scores), v)

    return of_layer(K, call, [reals((2, 4, 3), n) for n in range(3)])


def idiom_multi_head_attention(K, np):
    """Heads by reshape and transposition to (batch, heads, time, size), folded into the batch."""

    def call(x, wq, wk, wv, wo):
        heads, size = 2, 2

        def split(y):
            y = K.reshape(y, (-1, K.shape(y)[1], heads, size))
            y = K.permute_dimensions(y, (0, 2, 1, 3))
            return K.reshape(y, (-1, K.shape(y)[2], size))

        q, k, v = split(K.dot(x, wq)), split(K.dot(x, wk)), split(K.dot(x, wv))
        a = K.softmax(K.batch_dot(q, k, axes=[2, 2]) / size**0.5)
        o = K.batch_dot(a, v)
        o = K.reshape(o, (-1, heads, K.shape(x)[1], size))
        o = K.permute_dimensions(o, (0, 2, 1, 3))
        return K.dot(K.reshape(o, (-1, K.shape(x)[1], heads * size)), wo)

    return of_layer(K, call, [reals((2, 3, 4), 1)], [reals((4, 4), n + 2, 0.6) for n in range(4)])


def idiom_bahdanau_attention(K, np):
    """An additive score of every step for one query."""

    def call(query, values, w1, w2, v):
        score = K.dot(K.tanh(K.expand_dims(K.dot(query, w1), 1) + K.dot(values, w2)), v)
        weights = K.softmax(score, axis=1)
        return K.sum(weights * values, axis=1), K.squeeze(weights, -1)

    weights = [reals((3, 4), 3), reals((2, 4), 4), reals((4, 1), 5)]
    return of_layer(K, call, [reals((2, 3), 1), reals((2, 5, 2), 2)], weights)


def idiom_luong_attention_in_decoder(K, np):
    """K.rnn whose step reads the encoder's outputs from the constants."""

    def call(decoder, encoder, w, wc):
        def step(x, states):
            state, enc = states[0], states[1]
            state = K.tanh(x + state)
            score = K.batch_dot(enc, K.dot(state, w), axes=(2, 1))
            a = K.softmax(score)
            context = K.batch_dot(a, enc, axes=(1, 1))
            out = K.tanh(K.dot(K.concatenate([context, state]), wc))
            return out, [out]

        _, outputs, _ = K.rnn(step, decoder, [K.zeros_like(decoder[:, 0])], constants=[encoder])
        return outputs

    inputs = [reals((2, 3, 2), 1), reals((2, 4, 3), 2)]
    return of_layer(K, call, inputs, [reals((2, 3), 3), reals((5, 2), 4)])


def idiom_self_attention_of_sagan(K, np):
    """Feature maps flattened to (batch, pixels, channels), and a learned gamma."""

    def call(x, wf, wg, wh, gamma):
        def flat(y):
            return K.reshape(y, (-1, 9, K.int_shape(y)[-1]))

        f, g, h = K.conv2d(x, wf), K.conv2d(x, wg), K.conv2d(x, wh)
        beta = K.softmax(K.batch_dot(flat(g), K.permute_dimensions(flat(f), (0, 2, 1))))
        o = K.reshape(K.batch_dot(beta, flat(h)), (-1, 3, 3, 2))
        return gamma * o + x

    weights = [reals((1, 1, 2, 1), 2), reals((1, 1, 2, 1), 3), reals((1, 1, 2, 2), 4), np.array([0.7], 'float32')]
    return of_layer(K, call, [reals((2, 3, 3, 2), 1)], weights)


def idiom_squeeze_and_excite(K, np):
    def call(x, w1, w2):
        se = K.mean(x, axis=[1, 2])
        se = K.relu(K.dot(se, w1))
        se = K.sigmoid(K.dot(se, w2))
        return x * K.reshape(se, (-1, 1, 1, 4))

    return of_layer(K, call, [reals((2, 3, 3, 4), 1)], [reals((4, 2), 2), reals((2, 4), 3)])


def idiom_cbam_attention(K, np):
    """Channels by mean and maximum through one network, then places by a convolution of both."""

    def call(x, w1, w2, k):
        def network(y):
            return K.dot(K.relu(K.dot(y, w1)), w2)

        channels = K.sigmoid(network(K.mean(x, axis=(1, 2))) + network(K.max(x, axis=(1, 2))))
        x = x * K.expand_dims(K.expand_dims(channels, 1), 1)
        both = K.concatenate([K.mean(x, axis=3, keepdims=True), K.max(x, axis=3, keepdims=True)], axis=3)
        return x * K.sigmoid(K.conv2d(both, k, padding='same'))

    weights = [reals((4, 2), 2), reals((2, 4), 3), reals((3, 3, 2, 1), 4)]
    return of_layer(K, call, [reals((2, 3, 3, 4), 1)], weights)


def idiom_bidirectional_attention_flow(K, np):
    """The similarity of every word of a context and of a question by repeat_elements and reshape."""

    def call(context, question, w):
        tiled_c = K.repeat_elements(K.expand_dims(context, 2), 2, axis=2)
        tiled_q = K.repeat_elements(K.expand_dims(question, 1), 3, axis=1)
        similarity = K.squeeze(K.dot(K.concatenate([tiled_c, tiled_q, tiled_c * tiled_q]), w), -1)
        c2q = K.batch_dot(K.softmax(similarity), question)
        b = K.softmax(K.max(similarity, axis=2))
        q2c = K.repeat(K.batch_dot(b, context, axes=[1, 1]), 3)
        return K.concatenate([context, c2q, context * c2q, context * q2c], axis=-1)

    return of_layer(K, call, [reals((2, 3, 2), 1), reals((2, 2, 2), 2)], [reals((6, 1), 3)])


def idiom_gated_attention_of_bags(K, np):
    """Multiple instance learning: tanh and sigmoid gates, weights over the instances of one bag."""

    def call(x, v, u, w):
        gated = K.tanh(K.dot(x, v)) * K.sigmoid(K.dot(x, u))
        alpha = K.transpose(K.softmax(K.transpose(K.dot(gated, w))))
        return K.sum(alpha * x, axis=0, keepdims=True), alpha

    return of_layer(K, call, [reals((5, 3), 1)], [reals((3, 4), 2), reals((3, 4), 3), reals((4, 1), 4)])


def idiom_masked_mean_and_max(K, np):
    """Pooling over steps that a mask lets through."""

    def call(x, mask):
        m = K.expand_dims(mask, -1)
        mean = K.sum(x * m, axis=1) / K.sum(m, axis=1)
        maximum = K.max(x - (1 - m) * 1e10, axis=1)
        return K.concatenate([mean, maximum])

    mask = np.array([[1, 1, 1, 0], [1, 0, 0, 0]], 'float32')
    return of_layer(K, call, [reals((2, 4, 3), 1), mask])


def idiom_graph_convolution(K, np):
    def call(x, adjacency, w, b):
        degree = K.sum(adjacency, axis=-1, keepdims=True) + 1.0
        support = K.batch_dot(adjacency, K.dot(x, w)) + K.dot(x, w)
        return K.relu(K.bias_add(support / degree, b))

    return of_layer(K, call, [reals((2, 3, 2), 1), bits((2, 3, 3), 2)], [reals((2, 4), 3), reals((4,), 4)])


def idiom_graph_attention(K, np):
    def call(x, adjacency, w, a_self, a_neighbour):
        features = K.dot(x, w)
        dense = K.dot(features, a_self) + K.transpose(K.dot(features, a_neighbour))
        dense = K.relu(dense, alpha=0.2) + -10e9 * (1.0 - adjacency)
        return K.elu(K.dot(K.softmax(dense), features))

    adjacency = np.maximum(np.eye(4), bits((4, 4), 3)).astype('float32')
    return of_layer(K, call, [reals((4, 3), 1), adjacency], [reals((3, 2), 2), reals((2, 1), 4), reals((2, 1), 5)])
