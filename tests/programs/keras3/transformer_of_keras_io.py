"""Text classification with a transformer, as keras.io had it in 2020: MultiHeadAttention, token and position embedding,
blocks as layers with `training`, get_config, saved weights, and a causal mask in a second model."""
# slow: yes
import json

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

rs = np.random.RandomState(9)


class TransformerBlock(layers.Layer):
    def __init__(self, embed_dim, num_heads, ff_dim, rate=0.1, causal=False, **kwargs):
        super(TransformerBlock, self).__init__(**kwargs)
        self.att = layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim)
        self.ffn = keras.Sequential([layers.Dense(ff_dim, activation='relu'), layers.Dense(embed_dim)])
        self.layernorm1 = layers.LayerNormalization(epsilon=1e-6)
        self.layernorm2 = layers.LayerNormalization(epsilon=1e-6)
        self.dropout1, self.dropout2 = layers.Dropout(rate), layers.Dropout(rate)
        self.causal = causal

    def causal_attention_mask(self, batch_size, n_dest, n_src, dtype):
        i = tf.range(n_dest)[:, None]
        j = tf.range(n_src)
        mask = tf.cast(i >= j - n_src + n_dest, dtype)
        mask = tf.reshape(mask, [1, n_dest, n_src])
        mult = tf.concat([tf.expand_dims(batch_size, -1), tf.constant([1, 1], dtype=tf.int32)], 0)
        return tf.tile(mask, mult)

    def call(self, inputs, training):
        mask = None
        if self.causal:
            shape = tf.shape(inputs)
            mask = self.causal_attention_mask(shape[0], shape[1], shape[1], tf.bool)
        attn_output = self.dropout1(self.att(inputs, inputs, attention_mask=mask), training=training)
        out1 = self.layernorm1(inputs + attn_output)
        ffn_output = self.dropout2(self.ffn(out1), training=training)
        return self.layernorm2(out1 + ffn_output)


class TokenAndPositionEmbedding(layers.Layer):
    def __init__(self, maxlen, vocab_size, embed_dim):
        super(TokenAndPositionEmbedding, self).__init__()
        self.token_emb = layers.Embedding(input_dim=vocab_size, output_dim=embed_dim)
        self.pos_emb = layers.Embedding(input_dim=maxlen, output_dim=embed_dim)

    def call(self, x):
        maxlen = tf.shape(x)[-1]
        positions = tf.range(start=0, limit=maxlen, delta=1)
        return self.token_emb(x) + self.pos_emb(positions)


def given(model):
    model.set_weights([rs.normal(0, .3, w.shape) + (w == 1) for w in model.get_weights()])
    return model


maxlen, vocab_size, embed_dim = 7, 20, 8
inputs = layers.Input(shape=(maxlen,))
x = TokenAndPositionEmbedding(maxlen, vocab_size, embed_dim)(inputs)
x = TransformerBlock(embed_dim, 2, 6, rate=0.)(x)
x = layers.GlobalAveragePooling1D()(x)
x = layers.Dropout(0.)(x)
x = layers.Dense(5, activation='relu')(x)
outputs = layers.Dense(2, activation='softmax')(x)
model = given(keras.Model(inputs=inputs, outputs=outputs))
model.compile('adam', 'sparse_categorical_crossentropy', metrics=['accuracy'])
words, kinds = rs.randint(0, vocab_size, (24, maxlen)), rs.randint(0, 2, 24)
history = model.fit(words, kinds, batch_size=8, epochs=3, shuffle=False, validation_split=.25, verbose=0)
model.save_weights('predict_class.h5')
before = model.predict(words)
model.fit(words, kinds, verbose=0)
model.load_weights('predict_class.h5')
assert np.array_equal(before, model.predict(words))

inputs = layers.Input(shape=(None,), dtype=tf.int32)
x = TokenAndPositionEmbedding(maxlen, vocab_size, embed_dim)(inputs)
x = TransformerBlock(embed_dim, 2, 6, rate=0., causal=True)(x)
gpt = given(keras.Model(inputs=inputs, outputs=[layers.Dense(vocab_size)(x), x]))
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
gpt.compile('adam', loss=[loss_fn, None])
language = gpt.fit(words[:, :-1], words[:, 1:], batch_size=8, epochs=2, shuffle=False, verbose=0)
logits, _ = gpt.predict(words[:3, :4])
longer, _ = gpt.predict(words[:3, :6])
np.testing.assert_allclose(logits, longer[:, :4], atol=1e-5)
results = {
    'history': {name: [float(v) for v in values] for name, values in history.history.items()},
    'predicted': before.tolist(), 'language': {k: [float(v) for v in values] for k, values in language.history.items()},
    'logits': logits[:, -1].tolist(), 'weights': [list(w.shape) for w in model.get_weights()]}
print('RESULT ' + json.dumps(results))
