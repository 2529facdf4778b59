"""A language model of the GPT kind, as of 2018: a causal mask, layer normalisation as a layer, learned positions, gelu
by get_custom_objects, output by the transposed embedding, a learning rate that warms up and decays, sampling by top
k."""
import json
import math

import keras
import keras.backend as K
import numpy as np
from keras.activations import softmax
from keras.callbacks import Callback
from keras.layers import Add, Conv1D, Dropout, Embedding, Input, Lambda, Layer
from keras.models import Model, load_model
from keras.optimizers import RMSprop
from keras.utils import get_custom_objects

VOCAB, LENGTH, DIM, HEADS, LAYERS = 11, 8, 12, 3, 2


def gelu(x):
    """A smoother relu, by tanh."""
    return 0.5 * x * (1.0 + K.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * K.pow(x, 3))))


get_custom_objects().update({'gelu': gelu})


class LayerNormalization(Layer):
    def __init__(self, eps=1e-5, **kwargs):
        self.eps = eps
        super(LayerNormalization, self).__init__(**kwargs)

    def build(self, input_shape):
        self.gamma = self.add_weight(name='gamma', shape=input_shape[-1:], initializer=keras.initializers.Ones())
        self.beta = self.add_weight(name='beta', shape=input_shape[-1:], initializer=keras.initializers.Zeros())
        super(LayerNormalization, self).build(input_shape)

    def call(self, x, **kwargs):
        u = K.mean(x, axis=-1, keepdims=True)
        s = K.mean(K.square(x - u), axis=-1, keepdims=True)
        z = (x - u) / K.sqrt(s + self.eps)
        return self.gamma * z + self.beta

    def get_config(self):
        return dict(super(LayerNormalization, self).get_config(), eps=self.eps)


class PositionEmbedding(Layer):
    """Adds a learned vector for every place."""

    def __init__(self, max_len, **kwargs):
        self.max_len = max_len
        super(PositionEmbedding, self).__init__(**kwargs)

    def build(self, input_shape):
        self.positions = self.add_weight(name='positions', shape=(self.max_len, input_shape[-1]), initializer='uniform')
        super(PositionEmbedding, self).build(input_shape)

    def call(self, x):
        length = K.shape(x)[1]
        return x + K.expand_dims(self.positions[:length], 0)

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return dict(super(PositionEmbedding, self).get_config(), max_len=self.max_len)


def shape_list(x):
    """The static sizes where they are known, else those of the run."""
    tmp = list(K.int_shape(x))
    dynamic = K.shape(x)
    tmp[0] = -1
    return [dynamic[i] if size is None else size for i, size in enumerate(tmp)]


def split_heads(x, n, k=False):
    x_shape = shape_list(x)
    m = x_shape[-1]
    new_x = K.reshape(x, K.stack(x_shape[:-1] + [n, m // n]))
    return K.permute_dimensions(new_x, [0, 2, 3, 1] if k else [0, 2, 1, 3])


def merge_heads(x):
    new_x = K.permute_dimensions(x, [0, 2, 1, 3])
    x_shape = shape_list(new_x)
    return K.reshape(new_x, K.stack(x_shape[:-2] + [HEADS * (DIM // HEADS)]))


class MultiHeadAttention(Layer):
    def __init__(self, n_head, n_state, attention_dropout=0., use_mask=True, **kwargs):
        super(MultiHeadAttention, self).__init__(**kwargs)
        self.n_head, self.n_state, self.use_mask = n_head, n_state, use_mask
        self.attention_dropout = attention_dropout

    def compute_output_shape(self, input_shape):
        return input_shape[0], input_shape[1], self.n_state

    def call(self, inputs, **kwargs):
        q, k, v = inputs[:, :, :self.n_state], inputs[:, :, self.n_state:2 * self.n_state], inputs[:, :, -self.n_state:]
        q, k, v = split_heads(q, self.n_head), split_heads(k, self.n_head, k=True), split_heads(v, self.n_head)
        # one head after the other: K.batch_dot of stacks has two meanings
        heads = []
        for h in range(self.n_head):
            w = K.batch_dot(q[:, h], k[:, h]) / math.sqrt(self.n_state // self.n_head)
            if self.use_mask:
                n = K.arange(K.shape(w)[1])
                b = K.cast(K.greater_equal(K.expand_dims(n, 1), K.expand_dims(n, 0)), K.floatx())
                w = w * b + -1e9 * (1 - b)
            w = K.dropout(softmax(w), self.attention_dropout) if self.attention_dropout else softmax(w)
            heads.append(K.batch_dot(w, v[:, h]))
        return merge_heads(K.stack(heads, axis=1))

    def get_config(self):
        return dict(super(MultiHeadAttention, self).get_config(), n_head=self.n_head, n_state=self.n_state,
                    attention_dropout=self.attention_dropout, use_mask=self.use_mask)


class EncoderLayer(object):
    def __init__(self, n_state, n_head, d_hid, i):
        self.c_attn = Conv1D(3 * n_state, 1, name='layer_{}/c_attn'.format(i))
        self.attn = MultiHeadAttention(n_head, n_state, name='layer_{}/self_attention'.format(i))
        self.c_proj = Conv1D(n_state, 1, name='layer_{}/c_attn_proj'.format(i))
        self.ln1 = LayerNormalization(name='layer_{}/ln_1'.format(i))
        self.c_fc = Conv1D(d_hid, 1, activation=gelu, name='layer_{}/c_fc'.format(i))
        self.ffn_proj = Conv1D(n_state, 1, name='layer_{}/c_ffn_proj'.format(i))
        self.ln2 = LayerNormalization(name='layer_{}/ln_2'.format(i))
        self.add1, self.add2, self.drop = Add(), Add(), Dropout(0.)

    def __call__(self, x):
        n = self.ln1(self.add1([x, self.drop(self.c_proj(self.attn(self.c_attn(x))))]))
        return self.ln2(self.add2([n, self.ffn_proj(self.c_fc(n))]))


class TiedOutput(Layer):
    """Scores of all words, by the table of an Embedding. A layer as an attribute would have the table count twice."""

    def __init__(self, table, **kwargs):
        self.table = table
        super(TiedOutput, self).__init__(**kwargs)

    def call(self, x):
        scores = K.dot(x, K.transpose(self.table()))
        return K.softmax(scores)

    def compute_output_shape(self, input_shape):
        return input_shape[:-1] + (VOCAB,)


class Warmup(Callback):
    """Linear up, cosine down."""

    def __init__(self, peak, warmup, total):
        super(Warmup, self).__init__()
        self.peak, self.warmup, self.total, self.step, self.seen = peak, warmup, total, 0, []

    def on_batch_begin(self, batch, logs=None):
        if self.step < self.warmup:
            rate = (self.step + 1.) / self.warmup
        else:
            rate = .5 * (1 + math.cos(math.pi * (self.step - self.warmup) / float(self.total - self.warmup)))
        K.set_value(self.model.optimizer.lr, self.peak * rate)
        self.seen.append(float(K.get_value(self.model.optimizer.lr)))
        self.step += 1


def build():
    tokens = Input((None,), dtype='int32', name='tokens')
    embedding = Embedding(VOCAB, DIM, name='wte')
    x = PositionEmbedding(LENGTH, name='wpe')(embedding(tokens))
    for i in range(LAYERS):
        x = EncoderLayer(DIM, HEADS, 4 * DIM, i)(x)
    words = TiedOutput(lambda: embedding.embeddings, name='lm_head')(x)
    return Model(tokens, [words, Lambda(lambda t: t, name='hidden')(x)])


def lm_loss(y_true, y_pred):
    return K.mean(K.sparse_categorical_crossentropy(y_true, y_pred), axis=-1)


model = build()
rs = np.random.RandomState(42)
model.set_weights([rs.normal(0, .3, w.shape) if w.ndim > 1 else rs.normal(.5, .2, w.shape)
                   for w in model.get_weights()])
count = model.count_params()
corpus = (np.arange(400) * 3 + (np.arange(400) // 5)) % VOCAB
starts = rs.randint(0, 400 - LENGTH - 1, 48)
x = np.stack([corpus[s:s + LENGTH] for s in starts])
y = np.stack([corpus[s + 1:s + LENGTH + 1] for s in starts])[..., None]

# What comes later changes nothing before; a shorter text gives the same.
probabilities, hidden = model.predict(x[:2])
changed = x[:2].copy()
changed[:, 5:] = (changed[:, 5:] + 1) % VOCAB
np.testing.assert_allclose(model.predict(changed)[0][:, :5], probabilities[:, :5], atol=1e-5)
np.testing.assert_allclose(model.predict(x[:2, :3])[1], hidden[:, :3], atol=1e-5)
np.testing.assert_allclose(probabilities.sum(-1), 1, atol=1e-5)

model.compile('sgd', loss={'lm_head': lm_loss}, loss_weights={'lm_head': 1.})
first = [float(np.ravel(model.train_on_batch(x, {'lm_head': y}))[0]) for _ in range(3)]
model.compile(RMSprop(lr=1e-3, clipnorm=1.), loss={'lm_head': lm_loss})
warmup = Warmup(2e-3, 6, 30)
history = model.fit(x, {'lm_head': y}, batch_size=16, epochs=2, callbacks=[warmup], verbose=0, shuffle=False)
losses = [float(v) for v in history.history['loss']]
assert np.argmax(warmup.seen) == 5 and losses[-1] < first[0]
# Adam counts its steps.
model.compile(keras.optimizers.Adam(lr=1e-3, beta_2=.98, epsilon=1e-9), loss={'lm_head': lm_loss})
adam = float(np.ravel(model.train_on_batch(x, {'lm_head': y}))[0])
assert np.ravel(model.test_on_batch(x, {'lm_head': y}))[0] < adam


def sample(prompt, n, k, seed):
    text, rng = list(prompt), np.random.RandomState(seed)
    for _ in range(n):
        p = model.predict(np.array([text[-LENGTH:]]))[0][0, -1].astype('float64')
        top = np.argsort(p)[::-1][:k]
        text.append(int(rng.choice(top, p=p[top] / p[top].sum())))
    return text


told = sample([1, 4, 7], 5, 1, 0)
assert len(sample([1], 9, 3, 1)) == 10
weights = model.get_weights()
model.save_weights('gpt.h5')
again = build()
again.load_weights('gpt.h5')
np.testing.assert_allclose(again.predict(x[:2])[0], model.predict(x[:2])[0], atol=1e-6)
assert load_model is not None and len(weights) == 2 + LAYERS * 12
print('RESULT ' + json.dumps({'count': int(count), 'probabilities': probabilities[0, ::3].ravel().tolist(),
                              'hidden': hidden[1, :2].ravel().tolist(), 'first': first, 'losses': losses,
                              'rates': warmup.seen, 'adam': adam, 'told': told[:4]}))
