"""The GAN of TensorFlow's guide of 2019: one step of two tapes under tf.function, two optimizers, label smoothing,
checkpoints by tf.train.Checkpoint."""
# backends: tf_keras
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

rs = np.random.RandomState(7)


def make_generator_model():
    model = tf.keras.Sequential()
    model.add(layers.Dense(4 * 4 * 4, use_bias=False, input_shape=(5,)))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(layers.Reshape((4, 4, 4)))
    assert model.output_shape == (None, 4, 4, 4)
    model.add(layers.Conv2DTranspose(3, (3, 3), strides=(2, 2), padding='same', use_bias=False))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(layers.Conv2DTranspose(1, (3, 3), padding='same', use_bias=False, activation='tanh'))
    return model


def make_discriminator_model():
    model = tf.keras.Sequential()
    model.add(layers.Conv2D(4, (3, 3), strides=(2, 2), padding='same', input_shape=[8, 8, 1]))
    model.add(layers.LeakyReLU())
    model.add(layers.Dropout(0.))
    model.add(layers.Flatten())
    model.add(layers.Dense(1))
    return model


generator, discriminator = make_generator_model(), make_discriminator_model()
for network in (generator, discriminator):
    weights = [rs.normal(0, .2, w.shape) for w in network.get_weights()]
    network.set_weights([np.abs(w) + .5 if w.ndim == 1 else w for w in weights])
cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)


def discriminator_loss(real_output, fake_output):
    real_loss = cross_entropy(.9 * tf.ones_like(real_output), real_output)
    return real_loss + cross_entropy(tf.zeros_like(fake_output), fake_output)


def generator_loss(fake_output):
    return cross_entropy(tf.ones_like(fake_output), fake_output)


generator_optimizer = tf.keras.optimizers.Adam(1e-3, beta_1=.5)
discriminator_optimizer = tf.keras.optimizers.Adam(1e-3, beta_1=.5)
checkpoint = tf.train.Checkpoint(
    generator_optimizer=generator_optimizer, discriminator_optimizer=discriminator_optimizer, generator=generator,
    discriminator=discriminator)
seen = tf.keras.metrics.Mean('seen')


@tf.function
def train_step(images, noise):
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        generated_images = generator(noise, training=True)
        real_output = discriminator(images, training=True)
        fake_output = discriminator(generated_images, training=True)
        gen_loss = generator_loss(fake_output)
        disc_loss = discriminator_loss(real_output, fake_output)
    gradients_of_generator = gen_tape.gradient(gen_loss, generator.trainable_variables)
    gradients_of_discriminator = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    generator_optimizer.apply_gradients(zip(gradients_of_generator, generator.trainable_variables))
    discriminator_optimizer.apply_gradients(zip(gradients_of_discriminator, discriminator.trainable_variables))
    seen.update_state(gen_loss)
    return gen_loss, disc_loss


data = rs.normal(0, 1, (12, 8, 8, 1)).astype('float32')
dataset = tf.data.Dataset.from_tensor_slices(data).batch(4)
losses = []
for epoch in range(2):
    for i, image_batch in enumerate(dataset):
        noise = rs.normal(0, 1, (4, 5)).astype('float32')
        losses.append([float(loss) for loss in train_step(image_batch, tf.constant(noise))])
        if (epoch, i) == (0, 2):
            prefix = checkpoint.save('./training/ckpt')
            mean = float(seen.result())
            seen.reset_states()
kept = generator.get_weights()
checkpoint.restore(prefix).assert_existing_objects_matched()
back = float(max(np.abs(a - b).max() for a, b in zip(kept, generator.get_weights())))
results = {
    'losses': losses, 'mean': mean, 'moved': back, 'iterations': int(generator_optimizer.iterations),
    'images': generator(tf.zeros((1, 5)), training=False).numpy()[0, :, :, 0].tolist(),
    'weights': [float(np.sum(w)) for w in discriminator.get_weights()],
    'slots': [float(np.sum(w)) for w in discriminator_optimizer.get_weights()][1:]}
print('RESULT ' + json.dumps(results))
