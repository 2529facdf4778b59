"""Heart disease of 2019: feature columns in DenseFeatures, datasets in fit, names of TensorFlow 1.14."""
import json

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import feature_column

tf.set_random_seed(6)
values = np.random.RandomState(7)
frame = pd.DataFrame({
    'age': values.randint(20, 70, 24).astype('float32'),
    'rate': values.rand(24).astype('float32'),
    'kind': values.randint(0, 3, 24),
    'target': values.randint(0, 2, 24),
})


def df_to_dataset(dataframe, batch_size=8):
    dataframe = dataframe.copy()
    labels = dataframe.pop('target')
    dataset = tf.data.Dataset.from_tensor_slices((dict(dataframe), labels))
    return dataset.batch(batch_size)


age = feature_column.numeric_column('age', normalizer_fn=lambda t: tf.div(t, 100.))
buckets = feature_column.bucketized_column(feature_column.numeric_column('age'), boundaries=[30, 45, 60])
kind = feature_column.categorical_column_with_identity('kind', 3)
columns = [age, feature_column.numeric_column('rate'), buckets, feature_column.indicator_column(kind)]

model = tf.keras.Sequential([
    tf.keras.layers.DenseFeatures(columns),
    tf.keras.layers.Dense(6, activation='relu', kernel_initializer=tf.constant_initializer(0.2)),
    tf.keras.layers.Dense(1, activation='sigmoid', kernel_initializer=tf.constant_initializer(0.1))
])
model.compile(optimizer=tf.train.RMSPropOptimizer(0.01), loss='binary_crossentropy', metrics=['accuracy'])
train = df_to_dataset(frame)
history = model.fit(train, validation_data=df_to_dataset(frame[:8]), epochs=3, verbose=0)
loss, accuracy = model.evaluate(train, verbose=0)
print('RESULT ' + json.dumps({
    'keys': sorted(history.history),
    'loss': [float(v) for v in history.history['loss']],
    'val_loss': [float(v) for v in history.history['val_loss']],
    'test': [float(loss), float(accuracy)],
    'predictions': model.predict(train)[:4].tolist(),
}))
