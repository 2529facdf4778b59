"""A training step and a prediction as files of ONNX, which onnxruntime runs without this package.

    python examples/export_digits.py                    # writes digits_step.onnx and digits_read.onnx
    KERAS_BACKEND=jax python examples/export_digits.py --model lstm

The network and Adam are those of keras_backend/commands/demo/network.py. The file of the step takes the images, the
labels and the values of the variables. It gives the loss and the new values. Another program needs
`trained_by_onnxruntime` alone, in any language that has onnxruntime. K trains beside it, and the losses are compared.
"""

import argparse
import os
import sys

os.environ.setdefault('OMP_NUM_THREADS', '1')

import numpy as np

import keras_backend as K
from keras_backend import export
from keras_backend.commands.demo.network import MODELS, adam, losses
from keras_backend.commands.demo.training import digits


def build(model, seed):
    """The functions of K: a training step, and the digits of images."""
    make, rate, _epochs = MODELS[model]
    net = make(np.random.RandomState(seed))
    images = K.placeholder((None, 8, 8), name='images')
    labels = K.placeholder((None,), dtype='int32', name='labels')
    # Without the learning phase: dropout draws other numbers in every library.
    K.set_learning_phase(0)
    logits = net.logits(images)
    loss = K.mean(losses(labels, logits))
    step = K.function([images, labels], [loss], updates=adam(net.weights, K.gradients(loss, net.weights), rate))
    read = K.function([images], [K.argmax(logits)])
    return step, read


def trained_by_onnxruntime(path, state, batches):
    """Train with a file alone. `state` holds a value for each variable, and has the trained ones afterwards."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    names = [output.name for output in session.get_outputs()]
    found = []
    for images, labels in batches:
        made = dict(zip(names, session.run(None, {'images': images, 'labels': labels, **state})))
        found.append(float(made[names[0]]))
        state.update({name[: -len('_new')]: value for name, value in made.items() if name.endswith('_new')})
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--model', choices=sorted(MODELS), default='conv')
    parser.add_argument('--steps', type=int, default=90)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--folder', default='.', help='where the files go')
    options = parser.parse_args(arguments)

    images, labels, other_images, other_labels = digits(options.seed)
    images, labels = images.astype('float32'), labels.astype('int32')
    rng = np.random.RandomState(options.seed)
    batches = [(images[rows], labels[rows]) for rows in rng.randint(0, len(images), (options.steps, 32))]

    step, read = build(options.model, options.seed)
    path = os.path.join(options.folder, 'digits_step.onnx')
    report = export(step, path, updates='outputs')
    print(report)
    state = report.variables
    by_file = trained_by_onnxruntime(path, state, batches)
    by_k = [float(step(list(batch))[0]) for batch in batches]
    print(f'loss by onnxruntime: {by_file[0]:.4f} at first, {by_file[-1]:.4f} after {len(batches)} steps')
    print(f'loss by K:           {by_k[0]:.4f} at first, {by_k[-1]:.4f}')

    path = os.path.join(options.folder, 'digits_read.onnx')
    print(export(read, path))
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    (found,) = session.run(None, {'images': other_images.astype('float32')})
    print(f'read right by the second file: {100 * np.mean(found == other_labels):.1f} %')
    return 0


if __name__ == '__main__':
    sys.exit(main())
