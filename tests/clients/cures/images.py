"""What SciPy 1.3 and Pillow 10 took away. The values are those of SciPy 1.1 with Pillow 5.2."""
# needs: PIL scipy
import numpy as np
import scipy.misc
from PIL import Image, ImageDraw, ImageFont, ImageOps
from scipy.misc import imread, imresize, imsave
from scipy.ndimage import imread as imread_too

gray = np.arange(24.).reshape(4, 6)
assert scipy.misc.bytescale(gray)[0].tolist() == [0, 11, 22, 33, 44, 55]
assert imresize(gray, (2, 3)).tolist() == [[56, 76, 95], [160, 180, 199]]
assert imresize(gray, 50).tolist() == [[56, 76, 95], [160, 180, 199]]
assert imresize(gray, (2, 3), 'nearest').tolist() == [[78, 100, 122], [211, 233, 255]]
assert imresize(gray, 1.5).shape == (6, 9)
assert np.allclose(imresize(gray, (2, 3), mode='F')[0], [5.0, 6.785714149475098, 8.571428298950195])
color = (np.arange(4 * 4 * 3) * 5).reshape(4, 4, 3).astype(np.uint8)
assert imresize(color, (2, 2)).tolist() == [[[54, 59, 64], [77, 82, 87]], [[148, 153, 158], [171, 176, 181]]]
assert imresize(color, (2, 2), 'bicubic').tolist() == [[[44, 49, 54], [71, 76, 81]], [[154, 159, 164], [181, 186, 191]]]
assert imresize(color / 255., (2, 2)).tolist() == [[[58, 63, 69], [83, 89, 94]], [[161, 166, 172], [186, 192, 197]]]
assert scipy.misc.toimage(np.zeros((3, 5, 7))).size == (7, 5)
imsave('image.png', color)
assert (imread('image.png') == color).all() and (imread_too('image.png') == color).all()
assert np.allclose(imread('image.png', flatten=True)[0], [4.075, 19.075, 34.075, 49.075], atol=1e-3)
assert imread('image.png', mode='L')[0].tolist() == [4, 19, 34, 49]
for wrong in np.zeros(3), np.zeros((2, 5, 7)):
    try:
        scipy.misc.toimage(wrong)
    except ValueError:
        pass
    else:
        raise AssertionError('no image has the shape %s' % (wrong.shape,))

image = Image.fromarray(color).resize((8, 8), Image.ANTIALIAS)
draw, font = ImageDraw.Draw(image), ImageFont.load_default()
width, height = draw.textsize('label 0.93', font)
assert width > 3 * height > 15 and draw.textsize('a\nb', font)[1] > 1.5 * height
assert abs(font.getsize('label 0.93')[0] - width) <= 1

# Before Pillow 7, where nothing is said, the nearest pixel.
steps = Image.fromarray(np.arange(16, dtype=np.uint8).reshape(4, 4) * 10)
assert np.asarray(steps.resize((2, 2))).tolist() == np.asarray(steps.resize((2, 2), Image.NEAREST)).tolist()
assert np.asarray(ImageOps.fit(steps, (2, 2))).tolist() == [[50, 70], [130, 150]]
assert np.asarray(steps.resize((2, 2), Image.BILINEAR)).tolist() != np.asarray(steps.resize((2, 2))).tolist()
print('cured')
