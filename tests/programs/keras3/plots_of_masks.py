"""A segmentation of 2019: masks of np.bool, weights of np.float, boxes of different numbers, curves drawn by Matplotlib.
The NumPy and Matplotlib beside tf_keras have no such names; the first loss is computed by NumPy here."""
# original: no
import collections
import json
import os
import time

import matplotlib
matplotlib.use('Agg', warn=False)
import matplotlib.pyplot as plt
import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Activation, Conv2D, Input
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import Adam

N, SIZE = 12, 16
start = time.clock() if hasattr(time, 'clock') else 0.
yy, xx = np.meshgrid(np.arange(SIZE), np.arange(SIZE), indexing='ij')
rs = np.random.RandomState(7)
images = np.zeros((N, SIZE, SIZE, 1), dtype=np.float)
masks = np.zeros((N, SIZE, SIZE, 1), dtype=np.bool)
for i in range(N):
    cy, cx = rs.randint(4, SIZE - 4, 2)
    masks[i, ..., 0] = (yy - cy) ** 2 + (xx - cx) ** 2 < (2 + i % 3) ** 2
images[masks] = 1.
images += rs.normal(0, .1, images.shape)
boxes = np.array([[(y, x) for y, x in zip(*np.where(mask[..., 0]))] for mask in masks])
assert isinstance(boxes, collections.Iterable) and boxes.dtype == np.object
pixels = [len(box) for box in boxes]
weights = np.asscalar(np.sum(~masks)) / float(np.product(masks.shape))


def dice_coef(y_true, y_pred, smooth=1.):
    y_true_f = K.flatten(K.cast(y_true, K.floatx()))
    y_pred_f = K.flatten(y_pred)
    intersection = K.sum(y_true_f * y_pred_f)
    return (2. * intersection + smooth) / (K.sum(y_true_f) + K.sum(y_pred_f) + smooth)


def dice_loss(y_true, y_pred):
    return 1. - dice_coef(y_true, y_pred)


x = Input((SIZE, SIZE, 1))
h = Conv2D(4, 3, padding='same', activation='relu')(x)
h = Conv2D(1, 3, padding='same')(h)
model = Model(x, Activation('sigmoid')(h))
model.compile(Adam(lr=.02), loss=dice_loss, metrics=[dice_coef])
model.set_weights([rs.normal(0, .3, w.shape).astype(np.float32) for w in model.get_weights()])

truth, guess = masks.astype(np.float32), model.predict(images, verbose=0).astype(np.float)
expected = 1 - (2 * np.sum(truth * guess) + 1) / (np.sum(truth) + np.sum(guess) + 1)
first = model.evaluate(images, masks.astype(np.float32), batch_size=N, verbose=0)[0]
assert abs(first - expected) < 1e-4, (first, expected)

history = model.fit(images, masks.astype(np.float32), batch_size=N, epochs=15, verbose=0).history
with plt.style.context('seaborn-whitegrid'):
    plt.figure(figsize=(3, 2))
    plt.plot(history['loss'], label='loss')
    plt.plot(history['dice_coef'], label='dice')
    plt.tick_params(labelbottom='off')
    plt.legend()
    plt.savefig('history.png')
counts, _, _ = plt.hist(np.ravel(images), bins=10, normed=True)
plt.imshow(masks[0, ..., 0].astype(np.int), cmap=plt.cm.get_cmap('jet'))
plt.savefig('mask.png')
assert os.path.getsize('history.png') > 1000 and os.path.getsize('mask.png') > 1000
assert history['loss'][-1] < history['loss'][0]

print('RESULT', json.dumps({'pixels': pixels, 'weights': weights, 'first': float(first),
                            'losses': [float(loss) for loss in history['loss']]}))
