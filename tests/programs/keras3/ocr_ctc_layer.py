"""The captcha reader of keras.io of 2020: StringLookup, tf.data, a CTCLayer with add_loss, a prediction model by names of
layers, K.ctc_decode."""
# needs: tensorflow
import json

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

rs = np.random.RandomState(3)
words = ['abc', 'cab', 'bca', 'aab', 'cbb', 'acc', 'bba', 'cca']
characters = sorted(set(''.join(words)))
char_to_num = layers.experimental.preprocessing.StringLookup(vocabulary=list(characters), mask_token=None)
num_to_char = layers.experimental.preprocessing.StringLookup(
    vocabulary=char_to_num.get_vocabulary(), mask_token=None, invert=True)
images = rs.uniform(size=(8, 16, 8, 1)).astype('float32')


def encode_single_sample(img, label):
    label = char_to_num(tf.strings.unicode_split(label, input_encoding='UTF-8'))
    return {'image': img, 'label': label}


train_dataset = tf.data.Dataset.from_tensor_slices((images, words))
train_dataset = train_dataset.map(encode_single_sample, num_parallel_calls=tf.data.AUTOTUNE).batch(4).prefetch(1)


class CTCLayer(layers.Layer):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.loss_fn = keras.backend.ctc_batch_cost

    def call(self, y_true, y_pred):
        batch_len = tf.cast(tf.shape(y_true)[0], dtype='int64')
        input_length = tf.cast(tf.shape(y_pred)[1], dtype='int64')
        label_length = tf.cast(tf.shape(y_true)[1], dtype='int64')
        input_length = input_length * tf.ones(shape=(batch_len, 1), dtype='int64')
        label_length = label_length * tf.ones(shape=(batch_len, 1), dtype='int64')
        loss = self.loss_fn(y_true, y_pred, input_length, label_length)
        self.add_loss(loss)
        return y_pred


def build_model():
    input_img = layers.Input(shape=(16, 8, 1), name='image', dtype='float32')
    labels = layers.Input(name='label', shape=(None,), dtype='float32')
    x = layers.Conv2D(4, (3, 3), activation='relu', padding='same', name='Conv1')(input_img)
    x = layers.MaxPooling2D((2, 2), name='pool1')(x)
    x = layers.Reshape(target_shape=(8, 16), name='reshape')(x)
    x = layers.Dense(8, activation='relu', name='dense1')(x)
    x = layers.Bidirectional(layers.LSTM(5, return_sequences=True))(x)
    x = layers.Dense(len(char_to_num.get_vocabulary()) + 1, activation='softmax', name='dense2')(x)
    output = CTCLayer(name='ctc_loss')(labels, x)
    model = keras.models.Model(inputs=[input_img, labels], outputs=output, name='ocr_model_v1')
    model.compile(optimizer=keras.optimizers.Adam())
    return model


model = build_model()
model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
early_stopping = keras.callbacks.EarlyStopping(monitor='loss', patience=10, restore_best_weights=True)
history = model.fit(train_dataset, validation_data=train_dataset, epochs=4, callbacks=[early_stopping], verbose=0)
prediction_model = keras.models.Model(model.get_layer(name='image').input, model.get_layer(name='dense2').output)


def decode_batch_predictions(pred):
    input_len = np.ones(pred.shape[0]) * pred.shape[1]
    results = keras.backend.ctc_decode(pred, input_length=input_len, greedy=True)[0][0][:, :3]
    return [tf.strings.reduce_join(num_to_char(res)).numpy().decode('utf-8') for res in results]


preds = prediction_model.predict(images)
results = {
    'history': {name: [float(v) for v in values] for name, values in history.history.items()},
    'predicted': preds[:2].tolist(), 'texts': decode_batch_predictions(preds),
    'evaluate': float(model.evaluate(train_dataset, verbose=0)), 'vocabulary': char_to_num.get_vocabulary()}
print('RESULT ' + json.dumps(results))
