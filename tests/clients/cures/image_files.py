"""What tifffile 2022 and imageio 2.28 took away. The values are those of tifffile 2019 and imageio 2.5."""
# needs: tifffile imageio PIL
import imageio
import numpy as np
import tifffile
from PIL import Image, ImageSequence

stack = np.arange(24, dtype='uint16').reshape(2, 3, 4)
tifffile.imsave('stack.tif', stack)
tifffile.imsave('small.tif', stack, compress=6)
assert (tifffile.imread('stack.tif') == stack).all() and (tifffile.imread('small.tif') == stack).all()
with tifffile.TiffWriter('pages.tif') as writer:
    for page in stack:
        writer.save(page)
assert len(tifffile.TiffFile('pages.tif').pages) == 2

frames = [np.full((8, 8, 3), k * 20, 'uint8') for k in range(4)]


def milliseconds(path):
    with Image.open(path) as image:
        return [frame.info.get('duration') for frame in ImageSequence.Iterator(image)]


for options, expected in [({}, [100] * 4), ({'fps': 5}, [200] * 4), ({'duration': 0.2}, [200] * 4),
                          ({'duration': [0.1, 0.2, 0.3, 0.4]}, [100, 200, 300, 400]),
                          ({'duration': 0.2, 'fps': 10}, [200] * 4)]:
    imageio.mimsave('moving.gif', frames, **options)
    assert milliseconds('moving.gif') == expected, (options, milliseconds('moving.gif'))
imageio.mimsave('moving.gif', frames, 'GIF', duration=0.5)
assert milliseconds('moving.gif') == [500] * 4
with imageio.get_writer('moving.gif', mode='I', duration=0.5) as writer:
    for frame in frames:
        writer.append_data(frame)
assert milliseconds('moving.gif') == [500] * 4

# Floats become bytes: those of 0 to 1 as they are, others from the least to the most.
imageio.imwrite('floats.png', np.array([[0, 0.5], [1, 0.25]]))
assert np.asarray(imageio.imread('floats.png')).tolist() == [[0, 127], [255, 64]]
imageio.imsave('floats.png', np.array([[-1, 0], [1, -0.5]], 'float32'))
assert np.asarray(imageio.imread('floats.png')).tolist() == [[0, 127], [255, 64]]
imageio.imwrite('floats.png', np.array([[[10]], [[20]]]))
assert np.asarray(imageio.imread('floats.png')).tolist() == [[0], [255]]
imageio.mimsave('moving.gif', [frame / 255. for frame in frames])
assert milliseconds('moving.gif') == [100] * 4
print('cured')
