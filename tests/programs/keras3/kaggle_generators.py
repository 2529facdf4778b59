"""A Kaggle notebook of 2020: a Sequence of batches in one fold and a Python generator in the other, generators for
validation, ModelCheckpoint, EarlyStopping, ReduceLROnPlateau, CSVLogger, a callback of its own, a warm-up by
LearningRateScheduler, predictions averaged over folds."""
# slow: yes
import json
import math
import os

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import (
    Callback,
    CSVLogger,
    EarlyStopping,
    LearningRateScheduler,
    ModelCheckpoint,
    ReduceLROnPlateau,
)
from tensorflow.keras.layers import (
    BatchNormalization,
    Conv2D,
    Dense,
    Flatten,
    GlobalAveragePooling2D,
    Input,
    MaxPooling2D,
)
from tensorflow.keras.models import Model, load_model
from tensorflow.keras.optimizers import Adam
from tensorflow.keras.utils import Sequence, to_categorical

rs = np.random.RandomState(4)
BATCH, FOLDS = 4, 2
images = rs.uniform(size=(20, 8, 8, 3)).astype('float32')
labels = to_categorical(rs.randint(0, 3, 20), 3)


class Images(Sequence):
    def __init__(self, x, y, batch_size, flip=False):
        self.x, self.y, self.batch_size, self.flip, self.ended = x, y, batch_size, flip, 0

    def __len__(self):
        return math.ceil(len(self.x) / self.batch_size)

    def __getitem__(self, i):
        rows = slice(i * self.batch_size, (i + 1) * self.batch_size)
        x = self.x[rows, :, ::-1] if self.flip and i % 2 else self.x[rows]
        return x, self.y[rows]

    def on_epoch_end(self):
        self.ended += 1


def endless(x, y, batch_size):
    while True:
        for i in range(0, len(x), batch_size):
            yield x[i:i + batch_size], y[i:i + batch_size]


class Kept(Callback):
    def __init__(self):
        super().__init__()
        self.rates, self.best = [], np.inf

    def on_epoch_end(self, epoch, logs=None):
        self.rates.append(float(K.get_value(self.model.optimizer.lr)))
        if logs.get('val_loss') < self.best:
            self.best = logs['val_loss']


def build():
    start = Input((8, 8, 3))
    x = Conv2D(4, 3, padding='same', activation='relu')(start)
    x = BatchNormalization()(x)
    x = MaxPooling2D()(x)
    x = Conv2D(6, 3, activation='relu')(x)
    x = Dense(3, activation='softmax')(Flatten()(x) if K.int_shape(x)[1] < 2 else GlobalAveragePooling2D()(x))
    model = Model(start, x)
    model.compile(Adam(lr=1e-2, decay=1e-4), 'categorical_crossentropy', metrics=['accuracy', tf.keras.metrics.AUC(name='auc')])
    weights = [rs.normal(0, .3, w.shape) for w in model.get_weights()]
    model.set_weights([np.abs(w) if w.ndim == 1 else w for w in weights])
    return model


def schedule(epoch, rate):
    return rate * (epoch + 1) / 2 if epoch < 2 else rate


results = {}
total = np.zeros((len(images), 3))
for fold in range(FOLDS):
    held = np.arange(len(images)) % FOLDS == fold
    batches = Images(images[~held], labels[~held], BATCH, flip=True)
    train = batches if fold == 0 else endless(images[~held], labels[~held], BATCH)
    kept, path, log = Kept(), f'best_{fold}.h5', f'log_{fold}.csv'
    model = build()
    history = model.fit(
        train, epochs=5, steps_per_epoch=len(batches), validation_data=endless(images[held], labels[held], 10),
        validation_steps=1, shuffle=False, verbose=0, class_weight={0: 1., 1: 2., 2: .5},
        callbacks=[
            LearningRateScheduler(schedule), ReduceLROnPlateau(patience=1, factor=.5, min_delta=.01, verbose=0),
            EarlyStopping(patience=3, restore_best_weights=True), ModelCheckpoint(path, save_best_only=True), CSVLogger(log),
            kept])
    frame = pd.read_csv(log)
    again = load_model(path)
    total += again.predict(images, batch_size=BATCH) / FOLDS
    results[f'fold {fold}'] = {
        'history': {name: [float(v) for v in values] for name, values in history.history.items()},
        'rates': kept.rates, 'best': float(kept.best), 'ended': batches.ended > 0, 'log': sorted(frame.columns),
        'rows': len(frame), 'evaluate': [float(v) for v in again.evaluate(images[held], labels[held], verbose=0)],
        'restored': float(np.mean([np.mean(w) for w in model.get_weights()])),
        'files': sorted(name for name in os.listdir('.') if name.startswith('best'))}
results['total'] = total.tolist()
print('RESULT ' + json.dumps(results))
