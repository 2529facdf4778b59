"""Connectionist temporal classification, said in other K functions."""

from ._dims import fill, sizes

K = None  # the engine's namespace, set by binding.rebind

# The logarithm of an impossible probability. Finite, because the gradient of inf - inf is NaN, and so large that adding
# the logarithms of possible ones leaves it as it is.
_NEVER = -1e30


def ctc_batch_cost(y_true, y_pred, input_length, label_length):
    # The forward recursion of Graves et al. (2006), in logarithms. Its states are the label with a blank before,
    # between and after its characters.
    dtype = 'float64' if K.dtype(y_pred) == 'float64' else 'float32'
    samples, steps, classes = sizes(K.int_shape(y_pred), K.shape, y_pred)
    width = sizes(K.int_shape(y_true), K.shape, y_true)[1]
    labels = K.cast(y_true, 'int32')
    blank = K.zeros_like(labels) + (classes - 1)
    lengths, characters = [
        K.cast(length if K.ndim(length) == 2 else K.expand_dims(length, 1), 'int32')
        for length in (input_length, label_length)
    ]
    characters, torn = _ended(labels, characters, classes - 1, width)

    states = K.reshape(K.stack([blank, labels], axis=2), fill([samples, 2 * width]))
    states = K.concatenate([states, K.zeros_like(lengths) + (classes - 1)], axis=1)
    place = K.expand_dims(K.arange(2 * width + 1), 0)

    chosen = K.cast(K.equal(K.expand_dims(states, 2), K.arange(classes)), dtype)
    scores = K.log(K.cast(y_pred, dtype) + K.epsilon())
    scores = scores - K.logsumexp(scores, axis=2, keepdims=True)
    # A character that is no class is impossible, and so is not what 0, the sum over no class, would make of it.
    unknown = (1.0 - K.sum(chosen, axis=2)) * _NEVER
    emitted = K.batch_dot(scores, chosen, axes=(2, 2)) + K.expand_dims(unknown, 1)

    zero = K.cast(K.zeros_like(lengths), dtype)
    start = zero + K.cast(K.greater(place, 0), dtype) * _NEVER
    outside = K.concatenate([zero, zero], axis=1) + _NEVER
    # A blank may be skipped between different characters; both neighbours of a blank's place two steps back are blanks.
    two_back = K.concatenate([K.zeros_like(states[:, :1]), K.zeros_like(states[:, :1]), states], axis=1)[:, :-2]
    skipping = K.cast(K.equal(states, two_back), dtype) * _NEVER

    def step(emission, inner):
        alpha, before, penalty = inner
        padded = K.concatenate([before, alpha], axis=1)
        ways = K.stack([alpha, padded[:, 1:-1], padded[:, :-2] + penalty], axis=0)
        alpha = K.logsumexp(ways, axis=0) + emission
        return alpha, [alpha]

    mask = K.less(K.expand_dims(K.arange(steps), 0), lengths)
    _, _, (last,) = K.rnn(step, emitted, [start], mask=mask, constants=[outside, skipping])

    end = 2 * characters
    final = K.cast(K.equal(place, end), dtype) + K.cast(K.equal(place, end - 1), dtype)
    total = K.logsumexp(last + (1.0 - final) * _NEVER, axis=1, keepdims=True) + K.cast(torn, dtype) * _NEVER
    cost = K.switch(K.less(total, _NEVER / 2), K.zeros_like(total) + float('inf'), -total)
    return cost if dtype == K.dtype(y_pred) else K.cast(cost, K.dtype(y_pred))


def _ended(labels, lengths, blank, width):
    """The lengths of labels that end at their first blank, and how many characters come after it, (samples, 1) each."""

    def count(places):
        return K.sum(K.cast(places, 'int32'), axis=1, keepdims=True)

    inside = K.less(K.expand_dims(K.arange(width), 0), lengths)
    character = K.less(labels, blank)
    going_on = K.equal(K.cumsum(1 - K.cast(character, 'int32'), axis=1), 0)
    kept = count(K.switch(inside, going_on, inside))
    return kept, count(K.switch(inside, character, inside)) - kept
