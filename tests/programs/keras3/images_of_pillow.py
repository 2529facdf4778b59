"""Images as of 2019: Pillow makes them smaller by ANTIALIAS and writes labels, SciPy and a random.sample of a set choose
patches, an autoencoder learns them. The Pillow of today has no ANTIALIAS; LANCZOS is the same filter."""
# original: no
import json
import random
from fractions import gcd

import numpy as np
import scipy.signal
from PIL import Image, ImageDraw, ImageFont
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Conv2D, Input, Lambda, UpSampling2D
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import Adam

rs = np.random.RandomState(3)
random.seed(3)
pictures = []
for i in range(6):
    image = Image.new('RGB', (48, 48), (20 * i, 60, 120))
    draw = ImageDraw.Draw(image)
    draw.rectangle((4 * i, 8, 4 * i + 20, 30), fill=(250, 200 - 20 * i, 30))
    width, height = draw.textsize(str(i), font=ImageFont.load_default())
    assert width > 0 and height > 0
    small = image.resize((16, 16), Image.ANTIALIAS)
    assert np.array_equal(np.array(small), np.array(image.resize((16, 16), Image.LANCZOS)))
    pictures.append(np.array(small, copy=False).astype(np.float32) / 255.)
x = np.stack(pictures)
window = scipy.signal.gaussian(16, 4.)
assert np.allclose(window, np.exp(-.5 * ((np.arange(16) - 7.5) / 4.) ** 2))
x = x * np.outer(window, window).astype(np.float32)[None, :, :, None]
chosen = sorted(random.sample(set(range(6)), 4))
assert len(set(chosen)) == 4
factor = gcd(16, 10)


def psnr(y_true, y_pred):
    return -10. * K.log(K.mean(K.square(y_pred - y_true))) / K.log(K.constant(10.))


inputs = Input((16, 16, 3))
h = Conv2D(6, 3, strides=factor, padding='same', activation='relu')(inputs)
h = UpSampling2D(factor)(h)
h = Conv2D(3, 3, padding='same')(h)
outputs = Lambda(lambda t: K.clip(t, 0., 1.) + .01 * t)(h)
model = Model(inputs, outputs)
model.set_weights([rs.normal(0, .25, w.shape) for w in model.get_weights()])
model.compile(Adam(lr=.01), loss='mse', metrics=[psnr])

guess = model.predict(x, verbose=0).astype(np.float)
expected = np.mean((guess - x) ** 2)
loss, quality = model.evaluate(x, x, batch_size=6, verbose=0)
assert abs(loss - expected) < 1e-4 and abs(quality + 10 * np.log10(expected)) < 1e-2
history = model.fit(x, x, batch_size=6, epochs=20, verbose=0).history
assert history['loss'][-1] < .7 * history['loss'][0]

decoded = Image.fromarray((np.clip(model.predict(x, verbose=0)[0], 0, 1) * 255).astype(np.uint8))
decoded.thumbnail((8, 8), Image.ANTIALIAS)
assert decoded.size == (8, 8)
print('RESULT', json.dumps({'sum': float(np.sum(x)), 'first': float(loss),
                            'losses': [float(loss) for loss in history['loss'][:5]]}))
