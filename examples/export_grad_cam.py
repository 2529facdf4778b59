"""A heat map of Grad-CAM as a file of ONNX: where a network looks when it reads a digit, by onnxruntime alone.

    python examples/export_grad_cam.py                  # writes grad_cam.onnx and grad_cam.png

Grad-CAM (Selvaraju et al. 2017) takes the maps of the last convolution. It weighs each with the mean slope of the score
along that map, and adds them. The slopes are `K.gradients`, which the file contains like all else. Matplotlib draws the
picture where it is installed.
"""

import argparse
import os
import sys

os.environ.setdefault('OMP_NUM_THREADS', '1')

import numpy as np

import keras_backend as K
from keras_backend import export
from keras_backend.commands.demo.network import Classifier, ConvNet
from keras_backend.commands.demo.training import digits


class Explained(ConvNet):
    """The network that reads digits. It remembers the maps of its last convolution."""

    def logits(self, images):
        first, second, hidden, last = self.layers
        self.maps = second(first(K.expand_dims(images, -1)))
        x = K.pool2d(self.maps, (2, 2), strides=(2, 2), data_format='channels_last')
        return last(hidden(K.batch_flatten(x)))


def grad_cam(net):
    """The K function from images to heat maps between 0 and 1, and the digits that are read."""
    images = K.placeholder((None, 8, 8), name='images')
    logits = net.logits(images)
    score = K.max(logits, axis=-1) - K.mean(logits, axis=-1)
    (slopes,) = K.gradients(score, [net.maps])
    heat = K.relu(K.sum(net.maps * K.mean(slopes, axis=(1, 2), keepdims=True), axis=-1))
    heat = heat / (K.max(heat, axis=(1, 2), keepdims=True) + K.epsilon())
    return K.function([images], [heat, K.argmax(logits)])


def draw(images, heat, read, path):
    """Each image with its heat map over it."""
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot

    figure, rows = pyplot.subplots(2, len(images), figsize=(len(images), 2.2), layout='tight')
    for column, (image, one, digit) in enumerate(zip(images, heat, read)):
        rows[0, column].imshow(image, cmap='gray_r')
        rows[0, column].set_title(str(digit))
        rows[1, column].imshow(image, cmap='gray_r')
        rows[1, column].imshow(one, cmap='jet', alpha=0.5, vmin=0, vmax=1, interpolation='bilinear')
    for axes in rows.flat:
        axes.axis('off')
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--epochs', type=int, default=3)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--folder', default='.', help='where the files go')
    options = parser.parse_args(arguments)

    images, labels, other_images, other_labels = digits(options.seed)
    nets = []

    def make(rng):
        nets.append(Explained(rng))
        return nets[0]

    classifier = Classifier(make, 2e-3, options.seed)
    for loss in classifier.fit(images, labels, options.epochs, 32, np.random.RandomState(options.seed)):
        print(f'loss {loss:.4f}')

    path = os.path.join(options.folder, 'grad_cam.onnx')
    print(export(grad_cam(nets[0]), path, output_names=['heat', 'digit']))
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    heat, read = session.run(None, {'images': other_images.astype('float32')})
    print(f'read right by the file: {100 * np.mean(read == other_labels):.1f} %')
    inked = other_images > 0.5
    print(f'mean heat on the ink {heat[inked].mean():.2f}, beside it {heat[~inked].mean():.2f}')
    try:
        draw(other_images[:8], heat[:8], read[:8], os.path.join(options.folder, 'grad_cam.png'))
    except ImportError:
        print('Matplotlib is not installed, so there is no picture.')
    return 0


if __name__ == '__main__':
    sys.exit(main())
