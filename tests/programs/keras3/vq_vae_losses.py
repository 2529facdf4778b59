"""A vector-quantized autoencoder as of 2020: a layer with the nearest code by tf.argmin, the straight-through gradient by
tf.stop_gradient, codebook and commitment losses by self.add_loss, a code usage that K.function reads, a Lambda decoder."""
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import layers
from tensorflow.keras.models import Model


class VectorQuantizer(layers.Layer):
    def __init__(self, num_embeddings, embedding_dim, beta=0.25, **kwargs):
        super().__init__(**kwargs)
        self.embedding_dim = embedding_dim
        self.num_embeddings = num_embeddings
        self.beta = beta

    def build(self, input_shape):
        self.embeddings = self.add_weight(name='embeddings_vqvae', shape=(self.embedding_dim, self.num_embeddings),
                                          initializer='uniform', trainable=True)
        super().build(input_shape)

    def call(self, x):
        input_shape = tf.shape(x)
        flattened = tf.reshape(x, [-1, self.embedding_dim])
        encoding_indices = self.get_code_indices(flattened)
        encodings = tf.one_hot(encoding_indices, self.num_embeddings)
        quantized = tf.matmul(encodings, self.embeddings, transpose_b=True)
        quantized = tf.reshape(quantized, input_shape)
        commitment_loss = tf.reduce_mean((tf.stop_gradient(quantized) - x) ** 2)
        codebook_loss = tf.reduce_mean((quantized - tf.stop_gradient(x)) ** 2)
        self.add_loss(self.beta * commitment_loss + codebook_loss)
        quantized = x + tf.stop_gradient(quantized - x)
        return quantized

    def get_code_indices(self, flattened_inputs):
        similarity = tf.matmul(flattened_inputs, self.embeddings)
        distances = (tf.reduce_sum(flattened_inputs ** 2, axis=1, keepdims=True)
                     + tf.reduce_sum(self.embeddings ** 2, axis=0) - 2 * similarity)
        return tf.argmin(distances, axis=1)


class DecayingSwitch(layers.Layer):
    """Noise that is there in training alone, of a scale of zero."""

    def call(self, inputs, training=None):
        def noised():
            return inputs + K.random_normal(shape=K.shape(inputs), mean=0., stddev=0.)
        return K.in_train_phase(noised, inputs, training=training)


def reconstruction(y_true, y_pred):
    return K.mean(K.square(y_true - y_pred), axis=[1, 2, 3])


rs = np.random.RandomState(31)
image = layers.Input(shape=(8, 8, 1))
x = layers.Conv2D(6, 3, activation='relu', strides=2, padding='same')(image)
x = layers.Conv2D(8, 3, activation='relu', strides=2, padding='same')(x)
encoded = layers.Conv2D(4, 1, padding='same', name='encoded')(x)
vq_layer = VectorQuantizer(6, 4, name='vector_quantizer')
quantized = DecayingSwitch()(vq_layer(encoded))
x = layers.Conv2DTranspose(8, 3, activation='relu', strides=2, padding='same')(quantized)
x = layers.Conv2DTranspose(6, 3, activation='relu', strides=2, padding='same')(x)
decoded = layers.Conv2DTranspose(1, 3, padding='same')(x)
vqvae = Model(image, decoded, name='vq_vae')
vqvae.set_weights([rs.normal(0, .5, w.shape) for w in vqvae.get_weights()])
data = (np.sin(np.arange(24 * 64).reshape(24, 8, 8, 1) / 7.) + rs.normal(0, .1, (24, 8, 8, 1))).astype('float32')
encoder = Model(image, encoded)


def codes():
    flat = encoder.predict(data, verbose=0).reshape(-1, 4)
    return np.asarray(vq_layer.get_code_indices(K.constant(flat))).ravel()


before = np.bincount(codes(), minlength=6).tolist()
vqvae.compile(optimizer=tf.keras.optimizers.SGD(0.05), loss=reconstruction)
start = vqvae.evaluate(data, data, batch_size=8, verbose=0)
history = vqvae.fit(data, data, epochs=4, batch_size=8, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({
    'before': before, 'start': float(start), 'losses': [float(v) for v in history.history['loss']],
    'after': np.bincount(codes(), minlength=6).tolist(), 'book': K.get_value(vq_layer.embeddings).tolist(),
    'picture': vqvae.predict(data[:1], verbose=0)[0, :2, :, 0].tolist()}))
