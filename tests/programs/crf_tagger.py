"""Tags by a CRF layer as people wrote it in 2018: forward recursion by K.rnn, K.logsumexp, Viterbi decoding in NumPy."""
import json
from itertools import product

import numpy as np
from keras import backend as K
from keras.engine import InputSpec
from keras.layers import Bidirectional, Conv1D, Embedding, Input, Layer
from keras.layers.recurrent import SimpleRNN
from keras.models import Model
from keras.optimizers import Adam

np.random.seed(1)
VOCAB, TAGS, LENGTH = 12, 3, 6


class CRF(Layer):
    """Passes its input on; the loss and the accuracy are its methods."""

    def __init__(self, ignore_last_label=False, **kwargs):
        self.ignore_last_label = 1 if ignore_last_label else 0
        super(CRF, self).__init__(**kwargs)

    def build(self, input_shape):
        self.input_spec = [InputSpec(ndim=3, axes={-1: input_shape[-1]})]
        self.num_labels = input_shape[-1] - self.ignore_last_label
        self.trans = self.add_weight(name='crf_trans', shape=(self.num_labels, self.num_labels),
                                     initializer='glorot_uniform', trainable=True)
        self.built = True

    def log_norm_step(self, inputs, states):
        inputs, mask = inputs[:, :-1], inputs[:, -1:]
        states = K.expand_dims(states[0], 2)
        trans = K.expand_dims(self.trans, 0)
        outputs = K.logsumexp(states + trans, 1)
        outputs = outputs + inputs
        outputs = mask * outputs + (1 - mask) * states[:, :, 0]
        return outputs, [outputs]

    def path_score(self, inputs, labels):
        point_score = K.sum(K.sum(inputs * labels, 2), 1, keepdims=True)
        labels1 = K.expand_dims(labels[:, :-1], 3)
        labels2 = K.expand_dims(labels[:, 1:], 2)
        trans = K.expand_dims(K.expand_dims(self.trans, 0), 0)
        return point_score + K.expand_dims(K.sum(trans * (labels1 * labels2), [1, 2, 3]), -1)

    def call(self, inputs):
        return inputs

    def loss(self, y_true, y_pred):
        mask = 1 - y_true[:, 1:, -1] if self.ignore_last_label else None
        y_true, y_pred = y_true[:, :, :self.num_labels], y_pred[:, :, :self.num_labels]
        init_states = [y_pred[:, 0]]
        mask = K.ones_like(y_pred[:, 1:, :1]) if mask is None else K.expand_dims(mask, 2)
        y_pred_tail = K.concatenate([y_pred[:, 1:], mask])
        log_norm, _, _ = K.rnn(self.log_norm_step, y_pred_tail, init_states)
        log_norm = K.logsumexp(log_norm, 1, keepdims=True)
        return log_norm - self.path_score(y_pred, y_true)

    def accuracy(self, y_true, y_pred):
        mask = 1 - y_true[:, :, -1] if self.ignore_last_label else None
        y_true, y_pred = y_true[:, :, :self.num_labels], y_pred[:, :, :self.num_labels]
        isequal = K.cast(K.equal(K.argmax(y_true, 2), K.argmax(y_pred, 2)), 'float32')
        if mask is None:
            return K.mean(isequal)
        return K.sum(isequal * mask) / K.sum(mask)


def viterbi(nodes, trans):
    """The best path through one sentence."""
    score, back = nodes[0], []
    for step in nodes[1:]:
        all_scores = score[:, None] + trans
        back.append(all_scores.argmax(axis=0))
        score = all_scores.max(axis=0) + step
    path = [int(score.argmax())]
    for pointers in reversed(back):
        path.append(int(pointers[path[-1]]))
    return path[::-1]


def sentences(n, rng):
    """Words with tags; tag 2 only follows tag 1, and its words are those of tag 0, too."""
    x, tags = np.zeros((n, LENGTH), 'int32'), np.zeros((n, LENGTH), 'int32')
    for i in range(n):
        for t in range(LENGTH):
            before = tags[i, t - 1] if t else 0
            tags[i, t] = 2 if before == 1 else rng.randint(0, 2)
            x[i, t] = rng.randint(6, VOCAB) if tags[i, t] == 1 else rng.randint(1, 6)
    lengths = rng.randint(3, LENGTH + 1, n)
    padding = np.arange(LENGTH)[None] >= lengths[:, None]
    x[padding] = 0
    tags[padding] = TAGS
    return x, tags, lengths


rng = np.random.RandomState(6)
x, tags, lengths = sentences(128, rng)
y = np.eye(TAGS + 1)[tags]
sequence = Input(shape=(None,), dtype='int32')
embedding = Embedding(VOCAB, 6)(sequence)
rnn = Bidirectional(SimpleRNN(4, return_sequences=True), merge_mode='sum')(embedding)
cnn = Conv1D(6, 3, activation='relu', padding='same')(rnn)
tag_score = Conv1D(TAGS + 1, 1)(cnn)
crf = CRF(True)
model = Model(inputs=sequence, outputs=crf(tag_score))
model.compile(loss=crf.loss, optimizer=Adam(0.02), metrics=[crf.accuracy])
model.set_weights([rng.normal(0, 0.4, w.shape) for w in model.get_weights()])
model.summary()

# The loss of the first sentences, by all paths.
scores = model.predict(x[:5])
trans = K.get_value(crf.trans)
expected = []
for nodes, sentence, n in zip(scores[:, :, :TAGS].astype('float64'), tags[:5], lengths[:5]):
    def score(path, nodes=nodes):
        return sum(nodes[t, tag] for t, tag in enumerate(path)) + sum(trans[a, b] for a, b in zip(path, path[1:]))
    paths = [score(path) for path in product(range(TAGS), repeat=int(n))]
    expected.append(np.log(np.sum(np.exp(paths))) - score([int(tag) for tag in sentence[:n]]))
loss = float(model.test_on_batch(x[:5], y[:5])[0])
assert abs(loss - np.mean(expected)) < 1e-3, (loss, expected)
assert viterbi(scores[0, :4, :TAGS], trans) == list(max(product(range(TAGS), repeat=4), key=lambda path: (
    sum(scores[0, t, tag] for t, tag in enumerate(path)) + sum(trans[a, b] for a, b in zip(path, path[1:])))))

gradient = K.function([sequence], K.gradients(K.sum(crf.log_norm_step(
    K.concatenate([model.output[:, 1, :TAGS], K.ones_like(model.output[:, 0, :1])]),
    [model.output[:, 0, :TAGS]])[0]), [crf.trans]))([x[:5]])[0]
np.testing.assert_allclose(gradient.sum(), 5 * TAGS, rtol=1e-4)

hist = model.fit(x, y, batch_size=16, epochs=8, verbose=0)
assert hist.history['loss'][-1] < 0.3 * loss, (loss, hist.history['loss'])
trans = K.get_value(crf.trans)
scores = model.predict(x[:40])
right = total = 0
for i in range(40):
    path = viterbi(scores[i, :lengths[i], :TAGS], trans)
    right += sum(a == b for a, b in zip(path, tags[i]))
    total += int(lengths[i])
print('right tags: %d of %d' % (right, total))
assert right > 0.85 * total, (right, total)
print('RESULT ' + json.dumps({'loss': loss, 'gradient': gradient.tolist()}))
