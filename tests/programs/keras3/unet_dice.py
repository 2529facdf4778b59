"""A U-Net of 2019 to 2021: skip connections by concatenate, Conv2DTranspose, a Dice loss by K, Dice and IoU as metrics,
custom_objects, a checkpoint that is loaded again, predictions cut at a threshold."""
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import ModelCheckpoint
from tensorflow.keras.layers import (
    Activation,
    BatchNormalization,
    Conv2D,
    Conv2DTranspose,
    Dropout,
    Input,
    MaxPooling2D,
    concatenate,
)
from tensorflow.keras.models import Model, load_model
from tensorflow.keras.optimizers import Adam

rs = np.random.RandomState(8)


def dice_coef(y_true, y_pred, smooth=1.):
    y_true_f, y_pred_f = K.flatten(y_true), K.flatten(y_pred)
    intersection = K.sum(y_true_f * y_pred_f)
    return (2. * intersection + smooth) / (K.sum(y_true_f) + K.sum(y_pred_f) + smooth)


def dice_coef_loss(y_true, y_pred):
    return 1 - dice_coef(y_true, y_pred)


def bce_dice_loss(y_true, y_pred):
    return tf.keras.losses.binary_crossentropy(y_true, y_pred) + dice_coef_loss(y_true, y_pred)


def iou(y_true, y_pred):
    def f(y_true, y_pred):
        intersection = (y_true * y_pred).sum()
        return ((intersection + 1e-15) / (y_true.sum() + y_pred.sum() - intersection + 1e-15)).astype(np.float32)
    return tf.numpy_function(f, [y_true, y_pred], tf.float32)


def conv2d_block(tensor, n_filters):
    for _ in range(2):
        tensor = Conv2D(n_filters, 3, kernel_initializer='he_normal', padding='same')(tensor)
        tensor = Activation('relu')(BatchNormalization()(tensor))
    return tensor


def unet(shape, n_filters=2):
    inputs = Input(shape)
    c1 = conv2d_block(inputs, n_filters)
    p1 = Dropout(0.)(MaxPooling2D((2, 2))(c1))
    c2 = conv2d_block(p1, n_filters * 2)
    p2 = MaxPooling2D((2, 2))(c2)
    c3 = conv2d_block(p2, n_filters * 4)
    u4 = Conv2DTranspose(n_filters * 2, (2, 2), strides=(2, 2), padding='same')(c3)
    c4 = conv2d_block(concatenate([u4, c2]), n_filters * 2)
    u5 = Conv2DTranspose(n_filters, (2, 2), strides=(2, 2), padding='same')(c4)
    c5 = conv2d_block(concatenate([u5, c1], axis=3), n_filters)
    return Model(inputs, Conv2D(1, (1, 1), activation='sigmoid')(c5))


model = unet((8, 8, 1))
model.compile(optimizer=Adam(learning_rate=5e-3), loss=bce_dice_loss, metrics=[dice_coef, iou, 'accuracy'])
weights = [rs.normal(0, .3, w.shape) for w in model.get_weights()]
model.set_weights([np.abs(w) + .5 if w.ndim == 1 else w for w in weights])
x = rs.uniform(size=(12, 8, 8, 1)).astype('float32')
y = (x > .6).astype('float32')
history = model.fit(x, y, batch_size=4, epochs=4, shuffle=False, validation_data=(x[:4], y[:4]), verbose=0,
                    callbacks=[ModelCheckpoint('model-tgs.h5', monitor='val_dice_coef', mode='max', save_best_only=True)])
again = load_model('model-tgs.h5', custom_objects={'bce_dice_loss': bce_dice_loss, 'dice_coef': dice_coef, 'iou': iou})
preds = again.predict(x)
results = {
    'history': {name: [float(v) for v in values] for name, values in history.history.items()},
    'evaluate': [float(v) for v in again.evaluate(x, y, batch_size=4, verbose=0)], 'names': again.metrics_names,
    'mean': [float(v) for v in preds.mean((1, 2, 3))], 'over': int((preds > .5).sum())}
print('RESULT ' + json.dumps(results))
