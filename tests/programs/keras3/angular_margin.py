"""ArcFace and CosFace as of 2020: weights on the sphere, the margin by K.sqrt and K.switch, labels as a second input;
the embeddings are compared by K.dot and K.in_top_k."""
import json

import keras
import numpy as np
from keras import layers

import keras_backend.keras3 as K

classes = 4


class ArcFace(layers.Layer):
    def __init__(self, n_classes=10, s=30.0, m=0.50, regularizer=None, **kwargs):
        super(ArcFace, self).__init__(**kwargs)
        self.n_classes, self.s, self.m = n_classes, s, m
        self.regularizer = keras.regularizers.get(regularizer)

    def build(self, input_shape):
        super(ArcFace, self).build(input_shape[0])
        self.W = self.add_weight(name='W', shape=(input_shape[0][-1], self.n_classes), initializer='glorot_uniform',
                                 trainable=True, regularizer=self.regularizer)

    def call(self, inputs):
        x, y = inputs
        x = K.l2_normalize(x, axis=1)
        W = K.l2_normalize(self.W, axis=0)
        cosine = K.clip(K.dot(x, W), -1.0 + K.epsilon(), 1.0 - K.epsilon())
        sine = K.sqrt(1.0 - K.square(cosine))
        target = cosine * np.cos(self.m) - sine * np.sin(self.m)
        target = K.switch(K.greater(cosine, np.cos(np.pi - self.m)), target, cosine - np.sin(np.pi - self.m) * self.m)
        logits = cosine * (1 - y) + target * y
        return K.softmax(logits * self.s)

    def compute_output_shape(self, input_shape):
        return (None, self.n_classes)

    def get_config(self):
        config = super(ArcFace, self).get_config()
        config.update({'n_classes': self.n_classes, 's': self.s, 'm': self.m})
        return config


class CosFace(ArcFace):
    def call(self, inputs):
        x, y = inputs
        logits = K.dot(K.l2_normalize(x, axis=1), K.l2_normalize(self.W, axis=0))
        return K.softmax(self.s * (y * (logits - self.m) + (1 - y) * logits))


rs = np.random.RandomState(44)
x, labels = rs.normal(0, 1, (24, 6)).astype('float32'), rs.randint(0, classes, 24)
y = np.eye(classes, dtype='float32')[labels]
results = {}
for head in (ArcFace, CosFace):
    image, label = layers.Input((6,)), layers.Input((classes,))
    features = layers.Dense(5, activation='tanh')(image)
    model = keras.Model([image, label], head(classes, s=8., m=.35, regularizer=keras.regularizers.l2(1e-3))([features, label]))
    local = np.random.RandomState(45)
    model.set_weights([local.normal(0, .5, w.shape) for w in model.get_weights()])
    model.compile(keras.optimizers.SGD(learning_rate=.05), 'categorical_crossentropy', metrics=['accuracy'])
    history = model.fit([x, y], y, batch_size=8, epochs=3, shuffle=False, verbose=0)
    embedded = keras.Model(image, features).predict(x, verbose=0)
    sphere = K.l2_normalize(K.constant(embedded), axis=1)
    similarity = K.dot(sphere, K.transpose(sphere)) - 2 * K.constant(np.eye(24))
    best = K.gather(K.constant(labels, dtype='int32'), K.argmax(similarity, axis=-1))
    hits = K.mean(K.cast(K.equal(best, K.constant(labels, dtype='int32')), 'float32'))
    scores = K.dot(K.constant(embedded), K.l2_normalize(model.layers[-1].W, axis=0))
    results[head.__name__] = {
        'loss': [float(v) for v in history.history['loss']], 'accuracy': [float(v) for v in history.history['accuracy']],
        'hits': float(K.get_value(hits)), 'sphere': K.get_value(K.sum(K.square(sphere), axis=1)).tolist(),
        'top': K.get_value(K.cast(K.in_top_k(scores, labels, 2), 'int32')).tolist()}
print('RESULT ' + json.dumps(results))
