"""Custom training of 2018: eager execution is enabled, metrics come from tf.contrib.eager, optimizers from tf.train."""
import json

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager
tf.set_random_seed(1)

values = np.random.RandomState(0)
x = values.rand(64, 4).astype('float32')
y = (x.sum(1) > 2).astype('int32')
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)

model = tf.keras.Sequential([
    tf.keras.layers.Dense(8, activation=tf.nn.relu, input_shape=(4,)),
    tf.keras.layers.Dense(2)
])
model.set_weights([values.uniform(-.5, .5, w.shape) for w in model.get_weights()])
optimizer = tf.train.AdamOptimizer(learning_rate=0.05)
global_step = tf.train.get_or_create_global_step()


def loss(model, x, y):
    return tf.losses.sparse_softmax_cross_entropy(labels=y, logits=model(x))


history = []
for epoch in range(3):
    epoch_loss = tfe.metrics.Mean()
    epoch_accuracy = tfe.metrics.Accuracy()
    for inputs, targets in dataset:
        with tf.GradientTape() as tape:
            value = loss(model, inputs, targets)
        grads = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.variables), global_step)
        epoch_loss(value)
        epoch_accuracy(tf.argmax(model(inputs), axis=1, output_type=tf.int32), targets)
    history.append([float(epoch_loss.result()), float(epoch_accuracy.result())])

square = tfe.gradients_function(lambda v: v * v)
print('RESULT ' + json.dumps({
    'history': history,
    'steps': int(global_step.numpy()),
    'logits': model(x[:3]).numpy().tolist(),
    'slope': [float(g) for g in square(3.)],
    'size': str(model(x).shape[1].value),
}))
