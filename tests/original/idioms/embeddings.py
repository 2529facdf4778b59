"""Embeddings, positions, and interactions of features."""

from idioms.harness import of_layer, reals, whole


def idiom_embedding_with_cast(K, np):
    def call(ids, table):
        if K.dtype(ids) != 'int32':
            ids = K.cast(ids, 'int32')
        return K.gather(table, ids)

    found = of_layer(K, call, [whole((2, 4), 5, 1)], [reals((5, 3), 2)])
    table = K.variable(reals((5, 3), 2))
    x = K.placeholder((None, 4))
    found['of floats'] = K.function([x], [call(x, table)])([whole((2, 4), 5, 1).astype('float32')])[0]
    return found


def idiom_one_hot_embedding(K, np):
    def call(ids, table):
        return K.dot(K.one_hot(ids, 5), table)

    return of_layer(K, call, [whole((2, 4), 5, 1)], [reals((5, 3), 2)])


def idiom_one_hot_of_characters(K, np):
    """The Lambda at the start of character models."""

    def call(ids):
        return K.cast(K.one_hot(K.cast(ids, 'uint8'), num_classes=6), K.floatx())

    x = K.placeholder((None, 5), dtype='int32')
    return {'output': K.function([x], [call(x)])([whole((2, 5), 6, 1)])[0]}


def idiom_sinusoidal_positions(K, np):
    """Positions by K.cumsum of ones, and angles by K.arange and K.pow."""

    def call(x):
        size = 4
        position_j = 1.0 / K.pow(10000.0, 2 * K.arange(size / 2, dtype='float32') / size)
        position_j = K.expand_dims(position_j, 0)
        position_i = K.cumsum(K.ones_like(x[:, :, 0]), 1) - 1
        position_i = K.expand_dims(position_i, 2)
        position_ij = K.dot(position_i, position_j)
        return x + K.concatenate([K.cos(position_ij), K.sin(position_ij)], 2)

    return of_layer(K, call, [reals((2, 3, 4), 1)])


def idiom_learned_positions(K, np):
    def call(x, table):
        positions = K.arange(0, K.shape(x)[1])
        return x + K.expand_dims(K.gather(table, positions), 0)

    return of_layer(K, call, [reals((2, 3, 4), 1)], [reals((6, 4), 2)])


def idiom_positions_repeated_over_the_batch(K, np):
    def call(x, table):
        batch, steps, size = K.shape(x)[0], K.shape(x)[1], K.shape(x)[2]
        pos = K.tile(K.expand_dims(table[:steps, :size], axis=0), [batch, 1, 1])
        return K.concatenate([x, pos], axis=-1)

    return of_layer(K, call, [reals((2, 3, 2), 1)], [reals((6, 2), 2)])


def idiom_mean_of_word_vectors_with_mask(K, np):
    def call(ids, table):
        mask = K.cast(K.not_equal(ids, 0), 'float32')
        vectors = K.gather(table, ids) * K.expand_dims(mask)
        return K.sum(vectors, axis=1) / K.maximum(K.sum(mask, axis=1, keepdims=True), 1)

    ids = np.array([[1, 2, 0, 0], [0, 0, 0, 0], [3, 3, 1, 0]], 'int32')
    return of_layer(K, call, [ids], [reals((4, 3), 2)])


def idiom_tied_embeddings(K, np):
    def call(ids, table, bias):
        hidden = K.tanh(K.mean(K.gather(table, ids), axis=1))
        return K.softmax(K.dot(hidden, K.transpose(table)) + bias)

    return of_layer(K, call, [whole((2, 3), 5, 1)], [reals((5, 3), 2), reals((5,), 3)])


def idiom_factorization_machine(K, np):
    def call(x, w, v):
        linear = K.dot(x, w)
        square_of_sum = K.square(K.dot(x, v))
        sum_of_square = K.dot(K.square(x), K.square(v))
        return K.sigmoid(linear + 0.5 * K.sum(square_of_sum - sum_of_square, axis=1, keepdims=True))

    return of_layer(K, call, [reals((4, 3), 1)], [reals((3, 1), 2), reals((3, 2), 3)])


def idiom_matrix_factorization_with_biases(K, np):
    def call(users, items, p, q, b):
        pu, qi = K.gather(p, K.flatten(users)), K.gather(q, K.flatten(items))
        product = K.batch_dot(pu, qi, axes=1)
        return product + K.expand_dims(K.gather(b, K.flatten(users))) + 3.5

    inputs = [whole((4, 1), 3, 1), whole((4, 1), 5, 2)]
    return of_layer(K, call, inputs, [reals((3, 2), 3), reals((5, 2), 4), reals((3,), 5)])


def idiom_cross_layer(K, np):
    """Deep and cross network."""

    def call(x0, w1, b1, w2, b2):
        x = x0
        for w, b in ((w1, b1), (w2, b2)):
            x = x0 * K.dot(x, w) + b + x
        return x

    weights = [reals((3, 1), 2), reals((3,), 3), reals((3, 1), 4), reals((3,), 5)]
    return of_layer(K, call, [reals((4, 3), 1, 0.6)], weights)


def idiom_neural_tensor_layer(K, np):
    """Bilinear products in a loop over the slices."""

    def call(e1, e2, w, v, b):
        k = 2
        feed_forward = K.dot(K.concatenate([e1, e2]), v)
        bilinear = [K.sum((e2 * K.dot(e1, w[0])) + b, axis=1)]
        for i in range(k)[1:]:
            bilinear.append(K.sum((e2 * K.dot(e1, w[i])) + b, axis=1))
        products = K.reshape(K.concatenate(bilinear, axis=0), (k, -1))
        return K.tanh(K.transpose(products) + feed_forward)

    weights = [reals((2, 3, 3), 3), reals((6, 2), 4), reals((3,), 5)]
    return of_layer(K, call, [reals((4, 3), 1, 0.5), reals((4, 3), 2, 0.5)], weights)


def idiom_gathered_steps_of_a_sequence(K, np):
    """One step of each sequence, chosen by an index per sample: flat indices, and a mask by one_hot."""

    def call(x, ids):
        flat = K.reshape(x, (-1, 3))
        rows = K.arange(0, K.shape(x)[0]) * K.shape(x)[1] + K.flatten(ids)
        by_mask = K.sum(x * K.expand_dims(K.one_hot(K.flatten(ids), 4)), axis=1)
        return K.gather(flat, rows) + by_mask

    return of_layer(K, call, [reals((2, 4, 3), 1), np.array([[1], [3]], 'int32')])


def idiom_padding_of_sequences_to_a_length(K, np):
    def call(x):
        x = K.temporal_padding(x, (2, 1))
        return K.concatenate([x[:, :-1], K.zeros_like(x[:, :1])], axis=1)

    return of_layer(K, call, [reals((2, 3, 2), 1)])
