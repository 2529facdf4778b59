"""Toxic-comment kernel of 2018: Attention and AttentionWeightedAverage layers with masks over bidirectional GRUs."""
import json

import numpy as np
from keras import backend as K
from keras import constraints, initializers, regularizers
from keras.callbacks import EarlyStopping
from keras.engine.topology import Layer
from keras.layers import (
    CuDNNGRU,  # noqa: F401  the kernel had it for the days with a GPU
    Bidirectional,
    Dense,
    Embedding,
    GlobalAveragePooling1D,
    GlobalMaxPooling1D,
    Input,
    SpatialDropout1D,
    concatenate,
)
from keras.layers.recurrent import GRU
from keras.models import Model
from keras.preprocessing import sequence, text

np.random.seed(32)
MAX_LEN, MAX_WORDS, EMBED = 8, 30, 6


def dot_product(x, kernel):
    """K.dot of a vector, which Theano does otherwise than TensorFlow."""
    if K.backend() == 'tensorflow':
        return K.squeeze(K.dot(x, K.expand_dims(kernel)), axis=-1)
    return K.squeeze(K.dot(x, K.expand_dims(kernel, -1)), -1)


class Attention(Layer):
    def __init__(self, step_dim, W_regularizer=None, W_constraint=None, bias=True, **kwargs):
        self.supports_masking = True
        self.init = initializers.get('glorot_uniform')
        self.W_regularizer = regularizers.get(W_regularizer)
        self.W_constraint = constraints.get(W_constraint)
        self.bias = bias
        self.step_dim = step_dim
        self.features_dim = 0
        super(Attention, self).__init__(**kwargs)

    def build(self, input_shape):
        assert len(input_shape) == 3
        self.W = self.add_weight(shape=(input_shape[-1],), initializer=self.init, name='{}_W'.format(self.name),
                                 regularizer=self.W_regularizer, constraint=self.W_constraint)
        self.features_dim = input_shape[-1]
        if self.bias:
            self.b = self.add_weight(shape=(input_shape[1],), initializer='zero', name='{}_b'.format(self.name))
        else:
            self.b = None
        self.built = True

    def compute_mask(self, input, input_mask=None):
        return None

    def call(self, x, mask=None):
        features_dim, step_dim = self.features_dim, self.step_dim
        eij = K.reshape(K.dot(K.reshape(x, (-1, features_dim)), K.reshape(self.W, (features_dim, 1))), (-1, step_dim))
        if self.bias:
            eij += self.b
        eij = K.tanh(eij)
        a = K.exp(eij)
        if mask is not None:
            a *= K.cast(mask, K.floatx())
        a /= K.cast(K.sum(a, axis=1, keepdims=True) + K.epsilon(), K.floatx())
        a = K.expand_dims(a)
        return K.sum(x * a, axis=1)

    def compute_output_shape(self, input_shape):
        return input_shape[0], self.features_dim


class AttentionWeightedAverage(Layer):
    """The average of the steps by weights, and those weights when asked for."""

    def __init__(self, return_attention=False, **kwargs):
        self.init = initializers.get('uniform')
        self.supports_masking = True
        self.return_attention = return_attention
        super(AttentionWeightedAverage, self).__init__(**kwargs)

    def build(self, input_shape):
        self.W = self.add_weight(shape=(input_shape[2],), name='{}_W'.format(self.name), initializer=self.init)
        self.trainable_weights = [self.W]
        super(AttentionWeightedAverage, self).build(input_shape)

    def call(self, x, mask=None):
        logits = dot_product(x, self.W)
        x_shape = K.shape(x)
        logits = K.reshape(logits, (x_shape[0], x_shape[1]))
        ai = K.exp(logits - K.max(logits, axis=-1, keepdims=True))
        if mask is not None:
            mask = K.cast(mask, K.floatx())
            ai = ai * mask
        att_weights = ai / (K.sum(ai, axis=1, keepdims=True) + K.epsilon())
        result = K.sum(x * K.expand_dims(att_weights), axis=1)
        if self.return_attention:
            return [result, att_weights]
        return result

    def get_output_shape_for(self, input_shape):
        return self.compute_output_shape(input_shape)

    def compute_output_shape(self, input_shape):
        output_len = input_shape[2]
        if self.return_attention:
            return [(input_shape[0], output_len), (input_shape[0], input_shape[1])]
        return (input_shape[0], output_len)

    def compute_mask(self, input, input_mask=None):
        return [None, None] if isinstance(input_mask, list) or self.return_attention else None


def comments(n, rng):
    calm = 'the a page article edit thanks please source wrote good history link talk user'.split()
    rude = 'stupid idiot trash'.split()
    found, labels = [], []
    for i in range(n):
        words = [calm[j] for j in rng.randint(0, len(calm), rng.randint(3, MAX_LEN))]
        if i % 2:
            words[rng.randint(0, len(words))] = rude[rng.randint(0, 3)]
        found.append(' '.join(words))
        labels.append([i % 2, (i % 2) * ('trash' in words)])
    return found, np.array(labels)


rng = np.random.RandomState(8)
list_sentences, y = comments(200, rng)
tokenizer = text.Tokenizer(num_words=MAX_WORDS)
tokenizer.fit_on_texts(list(list_sentences))
X = sequence.pad_sequences(tokenizer.texts_to_sequences(list_sentences), maxlen=MAX_LEN, padding='post')

inp = Input(shape=(MAX_LEN,))
x = Embedding(MAX_WORDS, EMBED, mask_zero=True)(inp)
x = Bidirectional(GRU(4, return_sequences=True, recurrent_activation='hard_sigmoid'))(x)
first = Attention(MAX_LEN, W_constraint='max_norm')(x)
second, weights = AttentionWeightedAverage(return_attention=True, name='attlayer')(x)
y_pred = Dense(2, activation='sigmoid')(concatenate([first, second]))
model = Model(inputs=inp, outputs=y_pred)
model.compile('rmsprop', 'binary_crossentropy', metrics=['accuracy'])
assert K.int_shape(weights) == (None, MAX_LEN)
model.set_weights([rng.uniform(-0.5, 0.5, w.shape) for w in model.get_weights()])

predicted = model.predict(X[:6], batch_size=3)
att = K.function([inp, K.learning_phase()], [weights])([X[:6], 0])[0]
assert (att[X[:6] == 0] == 0).all()
np.testing.assert_allclose(att.sum(axis=1), 1., atol=1e-4)
loss = float(model.train_on_batch(X[:32], y[:32])[0])
K.set_value(model.optimizer.lr, 0.02)
model.fit(X[:160], y[:160], batch_size=32, epochs=10, verbose=0, validation_data=(X[160:], y[160:]),
          callbacks=[EarlyStopping(monitor='val_loss', patience=6)])
score, acc = model.evaluate(X[160:], y[160:], verbose=0)
assert score < 0.6 * loss and acc > 0.8, (loss, score, acc)

# The same without a mask, by pooling.
x = SpatialDropout1D(0.2)(Embedding(MAX_WORDS, EMBED)(inp))
x = Bidirectional(GRU(3, return_sequences=True))(x)
pooled = Model(inp, concatenate([GlobalAveragePooling1D()(x), GlobalMaxPooling1D()(x),
                                 AttentionWeightedAverage()(x)]))
assert pooled.predict(X[:5]).shape == (5, 18)
print('RESULT ' + json.dumps({'predicted': predicted.tolist(), 'attention': att.tolist(), 'loss': loss}))
