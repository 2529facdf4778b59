"""Knowledge distillation as of 2020: a Distiller(keras.Model) with a compile of its own, train_step and test_step with
tf.GradientTape, compiled_metrics, a temperature; a mean teacher by a callback that averages weights after each batch."""
# backends: tensorflow torch
import json

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras import layers

# Keras on JAX has no tapes; the error says what to write.


class Distiller(keras.Model):
    def __init__(self, student, teacher):
        super(Distiller, self).__init__()
        self.teacher = teacher
        self.student = student

    def compile(self, optimizer, metrics, student_loss_fn, distillation_loss_fn, alpha=0.1, temperature=3):
        super(Distiller, self).compile(optimizer=optimizer, metrics=metrics)
        self.student_loss_fn = student_loss_fn
        self.distillation_loss_fn = distillation_loss_fn
        self.alpha = alpha
        self.temperature = temperature

    def train_step(self, data):
        x, y = data
        teacher_predictions = self.teacher(x, training=False)
        with tf.GradientTape() as tape:
            student_predictions = self.student(x, training=True)
            student_loss = self.student_loss_fn(y, student_predictions)
            distillation_loss = self.distillation_loss_fn(
                tf.nn.softmax(teacher_predictions / self.temperature, axis=1),
                tf.nn.softmax(student_predictions / self.temperature, axis=1))
            loss = self.alpha * student_loss + (1 - self.alpha) * distillation_loss
        trainable_vars = self.student.trainable_variables
        gradients = tape.gradient(loss, trainable_vars)
        self.optimizer.apply_gradients(zip(gradients, trainable_vars))
        self.compiled_metrics.update_state(y, student_predictions)
        results = {m.name: m.result() for m in self.metrics}
        results.update({'student_loss': student_loss, 'distillation_loss': distillation_loss})
        return results

    def test_step(self, data):
        x, y = data
        y_prediction = self.student(x, training=False)
        student_loss = self.student_loss_fn(y, y_prediction)
        self.compiled_metrics.update_state(y, y_prediction)
        results = {m.name: m.result() for m in self.metrics}
        results.update({'student_loss': student_loss})
        return results


class MeanTeacher(keras.callbacks.Callback):
    def __init__(self, student, average, decay=0.9):
        super().__init__()
        self.student, self.average, self.decay = student, average, decay

    def on_train_begin(self, logs=None):
        self.average.set_weights(self.student.get_weights())

    def on_train_batch_end(self, batch, logs=None):
        for mean, now in zip(self.average.weights, self.student.weights):
            K.set_value(mean, self.decay * K.get_value(mean) + (1 - self.decay) * K.get_value(now))


def network(name, units):
    return keras.Sequential([
        keras.Input(shape=(6, 6, 1)),
        layers.Conv2D(units, (3, 3), strides=(2, 2), padding='same'),
        layers.LeakyReLU(alpha=0.2),
        layers.LayerNormalization(),
        layers.Flatten(),
        layers.Dense(4),
    ], name=name)


rs = np.random.RandomState(37)
teacher, student, average = network('teacher', 6), network('student', 3), network('average', 3)
for each in (teacher, student):
    each.set_weights([np.abs(rs.normal(0, .4, w.shape)) if w.ndim == 1 else rs.normal(0, .4, w.shape)
                      for w in each.get_weights()])
x = rs.normal(0, 1, (32, 6, 6, 1)).astype('float32')
y = (x.sum(axis=(1, 2, 3)) > 0) * 2 + (x[:, 0, 0, 0] > 0)
distiller = Distiller(student=student, teacher=teacher)
distiller.compile(optimizer=keras.optimizers.SGD(0.05), metrics=[keras.metrics.SparseCategoricalAccuracy(name='acc')],
                  student_loss_fn=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  distillation_loss_fn=keras.losses.KLDivergence(), alpha=0.1, temperature=5)
history = distiller.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0, callbacks=[MeanTeacher(student, average)])
result = distiller.evaluate(x, y, batch_size=32, verbose=0, return_dict=True)
print('RESULT ' + json.dumps({
    'history': {name: [float(v) for v in history.history[name]] for name in ('acc', 'student_loss', 'distillation_loss')},
    'evaluated': [float(result['acc']), float(result['student_loss'])],
    'average': average.predict(x[:2], verbose=0).tolist(), 'student': student.predict(x[:2], verbose=0).tolist()}))
