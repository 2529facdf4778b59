"""Semantic segmentation, U-Net style: bilinear upsampling by a Lambda layer, the dice loss, mean IoU by
tf.metrics in K's session, pictures augmented by a generator."""
# engines: tensorflow
import json
import os

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.callbacks import EarlyStopping, ModelCheckpoint
from keras.layers import (Activation, BatchNormalization, Conv2D, Conv2DTranspose, Cropping2D, Input, Lambda,
                          MaxPooling2D, UpSampling2D, ZeroPadding2D, concatenate)
from keras.models import Model, load_model
from keras.optimizers import Adam, SGD
from keras.preprocessing.image import ImageDataGenerator

smooth = 1.
SIZE = 16


def dice_coef(y_true, y_pred):
    y_true_f = K.flatten(y_true)
    y_pred_f = K.flatten(y_pred)
    intersection = K.sum(y_true_f * y_pred_f)
    return (2. * intersection + smooth) / (K.sum(y_true_f) + K.sum(y_pred_f) + smooth)


def dice_coef_loss(y_true, y_pred):
    return 1. - dice_coef(y_true, y_pred)


def bce_dice(y_true, y_pred):
    return .5 * tf.reduce_mean(tf.keras.losses.binary_crossentropy(y_true, y_pred)) + dice_coef_loss(y_true, y_pred)


def mean_iou(y_true, y_pred):
    prec = []
    for t in np.arange(0.5, 1.0, 0.2):
        y_pred_ = tf.to_int32(y_pred > t)
        score, up_opt = tf.metrics.mean_iou(tf.to_int32(y_true), y_pred_, 2)
        K.get_session().run(tf.local_variables_initializer())
        with tf.control_dependencies([up_opt]):
            score = tf.identity(score)
        prec.append(score)
    return K.mean(K.stack(prec), axis=0)


def iou_of_batch(y_true, y_pred):
    matrix = tf.confusion_matrix(tf.reshape(tf.to_int64(y_true > .5), [-1]), tf.reshape(tf.to_int64(y_pred > .5), [-1]),
                                 num_classes=2, dtype=tf.float32)
    true = tf.diag_part(matrix)
    return tf.reduce_mean(true / tf.maximum(tf.reduce_sum(matrix, 0) + tf.reduce_sum(matrix, 1) - true, 1e-6))


def crop(a, b):
    """Crops a to the size of b."""
    high, wide = [int(a.get_shape()[axis] - b.get_shape()[axis]) for axis in (1, 2)]
    assert high >= 0 and wide >= 0
    return Cropping2D(cropping=((high // 2, high - high // 2), (wide // 2, wide - wide // 2)))(a)


def build():
    inputs = Input((SIZE, SIZE, 1))
    s = Lambda(lambda x: x / 255)(inputs)
    c1 = Conv2D(8, (3, 3), activation='relu', padding='same')(s)
    c1 = BatchNormalization()(c1)
    p1 = MaxPooling2D((2, 2))(c1)
    c2 = Conv2D(12, (3, 3), activation='elu', kernel_initializer='he_normal', padding='same')(p1)
    p2 = MaxPooling2D(pool_size=(2, 2))(c2)
    c3 = Conv2D(16, 3, activation='relu', padding='same', dilation_rate=(2, 2))(p2)
    u2 = Conv2DTranspose(8, (2, 2), strides=(2, 2), padding='same')(c3)
    u2 = concatenate([ZeroPadding2D(1)(u2), ZeroPadding2D(1)(c2)], axis=3)
    u2 = crop(u2, c2)
    c4 = Conv2D(8, (3, 3), activation='relu', padding='same')(u2)
    u1 = Lambda(lambda x: tf.image.resize_bilinear(x, (SIZE, SIZE), align_corners=True), name='bilinear')(c4)
    far = Lambda(lambda image: tf.image.resize_images(image, (SIZE, SIZE)), name='resize_images')(c3)
    near = UpSampling2D(size=(4, 4))(c3)
    u1 = concatenate([u1, c1, far, near])
    outputs = Activation('sigmoid')(Conv2D(1, (1, 1))(u1))
    return Model(inputs=[inputs], outputs=[outputs])


def make_data(n, seed):
    rs = np.random.RandomState(seed)
    x, y = rs.rand(n, SIZE, SIZE, 1) * 60, np.zeros((n, SIZE, SIZE, 1))
    for k in range(n):
        r, (cy, cx) = rs.randint(3, 6), rs.randint(5, SIZE - 5, 2)
        disk = (np.arange(SIZE)[:, None] - cy) ** 2 + (np.arange(SIZE) - cx) ** 2 <= r * r
        x[k, disk] += 150
        y[k, disk] = 1
    return x, y


X_train, Y_train = make_data(32, 0)
X_test, Y_test = make_data(8, 1)
model = build()
rs = np.random.RandomState(2)
model.set_weights([rs.normal(0, np.sqrt(1. / w[..., 0].size), w.shape) if w.ndim > 1 else w
                   for w in model.get_weights()])
predictions = model.predict(X_test)
model.compile(optimizer=SGD(lr=.1, momentum=.9), loss=bce_dice, metrics=[dice_coef, iou_of_batch, mean_iou])
names = model.metrics_names
steps = [[float(v) for v in model.train_on_batch(X_train, Y_train)[:3]] for _ in range(3)]

model.compile(optimizer=Adam(lr=1e-2), loss=bce_dice, metrics=[dice_coef, iou_of_batch, mean_iou])
data_gen_args = dict(horizontal_flip=True, vertical_flip=True, fill_mode='nearest')
image_datagen, mask_datagen = ImageDataGenerator(**data_gen_args), ImageDataGenerator(**data_gen_args)
image_generator = image_datagen.flow(X_train, batch_size=8, seed=1)
mask_generator = mask_datagen.flow(Y_train, batch_size=8, seed=1)
train_generator = ((x, y) for x, y in zip(image_generator, mask_generator))
earlystopper = EarlyStopping(patience=8, verbose=0)
checkpointer = ModelCheckpoint('unet.h5', verbose=0, save_best_only=True)
results = model.fit_generator(train_generator, steps_per_epoch=4, epochs=9, validation_data=(X_test, Y_test),
                              callbacks=[earlystopper, checkpointer], verbose=0)
model = load_model('unet.h5', custom_objects={'mean_iou': mean_iou, 'dice_coef': dice_coef, 'bce_dice': bce_dice,
                                              'iou_of_batch': iou_of_batch, 'tf': tf, 'SIZE': SIZE})
evaluated = dict(zip(model.metrics_names, model.evaluate(X_test, Y_test, verbose=0)))
found = model.predict(X_test) > .5
by_hand = np.mean([np.sum((found == c) & (Y_test == c)) / float(np.sum((found == c) | (Y_test == c))) for c in (0, 1)])
assert by_hand > .7, evaluated
assert abs(evaluated['iou_of_batch'] - by_hand) < 1e-4, (evaluated, by_hand)
assert evaluated['dice_coef'] > .6, evaluated
# A metric of TensorFlow streams: what it tells is what it had before this batch.
streamed = dict(zip(model.metrics_names, model.evaluate(X_test, Y_test, verbose=0)))['mean_iou']
assert .5 < streamed <= 1, streamed
assert names[0] == 'loss' and os.path.exists('unet.h5')
print('mean IoU %.3f' % by_hand)
print('RESULT ' + json.dumps({'predictions': predictions[0, ::4, ::4, 0].ravel().tolist(), 'steps': steps}))
