"""WGAN-GP as keras.io had it in 2020: a model with its own compile and train_step, a tape in a tape, several steps of the
critic for one of the generator, a callback that samples."""
# backends: torch tf_keras
import json

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

rs = np.random.RandomState(21)
noise_dim = 3
# The noise of each draw, so that the numbers repeat on every TensorFlow.
DRAWS = tf.constant(rs.normal(0, 1, (64, 4, noise_dim)).astype('float32'))
MIXES = tf.constant(rs.uniform(size=(64, 4, 1, 1, 1)).astype('float32'))


class WGAN(keras.Model):
    def __init__(self, discriminator, generator, latent_dim, discriminator_extra_steps=3, gp_weight=10.0):
        super(WGAN, self).__init__()
        self.discriminator, self.generator, self.latent_dim = discriminator, generator, latent_dim
        self.d_steps, self.gp_weight = discriminator_extra_steps, gp_weight
        self.drawn = tf.Variable(0, trainable=False, dtype=tf.int32)

    def compile(self, d_optimizer, g_optimizer, d_loss_fn, g_loss_fn):
        super(WGAN, self).compile()
        self.d_optimizer, self.g_optimizer = d_optimizer, g_optimizer
        self.d_loss_fn, self.g_loss_fn = d_loss_fn, g_loss_fn

    def noise(self, table):
        self.drawn.assign_add(1)
        return table[self.drawn % 64]

    def gradient_penalty(self, batch_size, real_images, fake_images):
        diff = fake_images - real_images
        interpolated = real_images + self.noise(MIXES) * diff
        with tf.GradientTape() as gp_tape:
            gp_tape.watch(interpolated)
            pred = self.discriminator(interpolated, training=True)
        grads = gp_tape.gradient(pred, [interpolated])[0]
        norm = tf.sqrt(tf.reduce_sum(tf.square(grads), axis=[1, 2, 3]))
        return tf.reduce_mean((norm - 1.0) ** 2)

    def train_step(self, real_images):
        if isinstance(real_images, tuple):
            real_images = real_images[0]
        batch_size = tf.shape(real_images)[0]
        for i in range(self.d_steps):
            random_latent_vectors = self.noise(DRAWS)
            with tf.GradientTape() as tape:
                fake_images = self.generator(random_latent_vectors, training=True)
                fake_logits = self.discriminator(fake_images, training=True)
                real_logits = self.discriminator(real_images, training=True)
                d_cost = self.d_loss_fn(real_img=real_logits, fake_img=fake_logits)
                gp = self.gradient_penalty(batch_size, real_images, fake_images)
                d_loss = d_cost + gp * self.gp_weight
            d_gradient = tape.gradient(d_loss, self.discriminator.trainable_variables)
            self.d_optimizer.apply_gradients(zip(d_gradient, self.discriminator.trainable_variables))
        random_latent_vectors = self.noise(DRAWS)
        with tf.GradientTape() as tape:
            generated_images = self.generator(random_latent_vectors, training=True)
            gen_img_logits = self.discriminator(generated_images, training=True)
            g_loss = self.g_loss_fn(gen_img_logits)
        gen_gradient = tape.gradient(g_loss, self.generator.trainable_variables)
        self.g_optimizer.apply_gradients(zip(gen_gradient, self.generator.trainable_variables))
        return {'d_loss': d_loss, 'g_loss': g_loss}


class GANMonitor(keras.callbacks.Callback):
    def __init__(self, num_img, latent_dim):
        self.num_img, self.latent_dim, self.means = num_img, latent_dim, []

    def on_epoch_end(self, epoch, logs=None):
        generated_images = self.model.generator(DRAWS[0][:self.num_img])
        self.means.append(float(tf.reduce_mean(generated_images)))


def given(model):
    weights = [rs.normal(0, .3, w.shape) for w in model.get_weights()]
    model.set_weights([np.abs(w) + .5 if w.ndim == 1 else w for w in weights])
    return model


img_input = layers.Input(shape=(4, 4, 1))
x = layers.ZeroPadding2D((1, 1))(img_input)
x = layers.LeakyReLU(0.2)(layers.Conv2D(4, (3, 3), strides=(2, 2), padding='same')(x))
d_model = given(keras.models.Model(img_input, layers.Dense(1)(layers.Flatten()(x)), name='discriminator'))
noise = layers.Input(shape=(noise_dim,))
x = layers.Dense(2 * 2 * 4, use_bias=False)(noise)
x = layers.LeakyReLU(0.2)(layers.BatchNormalization()(x))
x = layers.UpSampling2D((2, 2))(layers.Reshape((2, 2, 4))(x))
x = layers.Activation('tanh')(layers.Conv2D(1, 3, padding='same', use_bias=False)(x))
g_model = given(keras.models.Model(noise, x, name='generator'))


def discriminator_loss(real_img, fake_img):
    return tf.reduce_mean(fake_img) - tf.reduce_mean(real_img)


def generator_loss(fake_img):
    return -tf.reduce_mean(fake_img)


cbk = GANMonitor(num_img=3, latent_dim=noise_dim)
wgan = WGAN(discriminator=d_model, generator=g_model, latent_dim=noise_dim)
wgan.compile(
    d_optimizer=keras.optimizers.Adam(learning_rate=0.002, beta_1=0.5, beta_2=0.9),
    g_optimizer=keras.optimizers.Adam(learning_rate=0.002, beta_1=0.5, beta_2=0.9),
    g_loss_fn=generator_loss, d_loss_fn=discriminator_loss)
train_images = rs.normal(0, .5, (12, 4, 4, 1)).astype('float32')
history = wgan.fit(train_images, batch_size=4, epochs=3, shuffle=False, callbacks=[cbk], verbose=0)
results = {
    'history': {name: [float(v) for v in values] for name, values in history.history.items()}, 'means': cbk.means,
    'drawn': int(wgan.drawn), 'critic': [float(w.sum()) for w in d_model.get_weights()],
    'generator': [float(w.sum()) for w in g_model.get_weights()]}
print('RESULT ' + json.dumps(results))
