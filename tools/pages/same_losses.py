"""One training program on every engine: its losses, and the picture of README.md that shows them.

    python tools/pages/same_losses.py tensorflow torch jax theano numpy    # Python 3.13, one process, in this order
    python tools/pages/same_losses.py theano cntk                          # Python 3.6
    python tools/pages/same_losses.py original                             # Keras 2.3.1 on TensorFlow 1.15, Python 3.7
    python tools/pages/same_losses.py                                      # draws docs/losses.png

The first three write docs/losses.json, each in an environment that has the libraries.
"""

import importlib
import io
import json
import os
import sys
from typing import Any, Dict, List

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RECORD = os.path.join(ROOT, 'docs', 'losses.json')
PICTURE = os.path.join(ROOT, 'docs', 'losses.png')
STEPS, BATCH, SIZE, DIRECTIONS, RATE = 80, 24, 12, 4, 0.02
# What the picture calls a run, and its colour. The first is the widest: each shows a border of those below.
SHOWN = {
    'original': ('Keras 2.3.1, TF 1.15', '#c8c8c8'),
    'theano': ('Theano {}', '#76b7b2'),
    'cntk': ('CNTK {}', '#edc948'),
    'tensorflow': ('TensorFlow {}', '#f28e2b'),
    'torch': ('PyTorch {}', '#e15759'),
    'jax': ('JAX {}', '#4e79a7'),
    'pytensor': ('PyTensor {}', '#b07aa1'),
    'numpy': ('NumPy {}', '#000000'),
}


def batches() -> Any:
    """Images of noisy stripes in four directions, with the numbers of the directions; always the same ones."""
    rng = np.random.RandomState(0)
    across, down = np.meshgrid(np.arange(SIZE), np.arange(SIZE))
    for _ in range(STEPS):
        labels = rng.randint(DIRECTIONS, size=BATCH)
        angle, phase = (a[:, None, None] for a in (np.pi * labels / DIRECTIONS, rng.uniform(0, 2 * np.pi, BATCH)))
        stripes = np.sin(1.6 * (np.cos(angle) * across + np.sin(angle) * down) + phase)
        yield (stripes + rng.normal(0, 1.2, stripes.shape))[..., None].astype('float32'), labels.astype('int32')


def losses(K: Any) -> List[float]:
    """Train a convolution and a recurrent layer with momentum on an engine; the loss of each step."""
    rng = np.random.RandomState(1)

    def weight(*shape: int) -> Any:
        return K.variable(rng.normal(0, np.prod(shape[:-1]) ** -0.5, shape))

    images, labels = K.placeholder((None, SIZE, SIZE, 1)), K.placeholder((None,), dtype='int32')
    weights = [weight(3, 3, 1, 8), weight(SIZE // 2 * 8, 32), weight(32, 32), weight(32, DIRECTIONS)]
    kernel, inner, recurrent, outer = weights

    x = K.relu(K.conv2d(images, kernel, padding='same', data_format='channels_last'))
    x = K.pool2d(x, (2, 2), strides=(2, 2), pool_mode='avg', data_format='channels_last')
    rows = K.reshape(x, (-1, SIZE // 2, SIZE // 2 * 8))

    def step(row: Any, states: Any) -> Any:
        state = K.tanh(K.dot(row, inner) + K.dot(states[0], recurrent))
        return state, [state]

    last, _outputs, _states = K.rnn(step, rows, [K.zeros_like(K.dot(rows[:, 0], inner))])
    scores = K.softmax(K.dot(last, outer))
    loss = K.mean(K.categorical_crossentropy(K.one_hot(labels, DIRECTIONS), scores))

    updates = []
    for w, g in zip(weights, K.gradients(loss, weights)):
        speed = K.variable(np.zeros(K.int_shape(w)))
        new = 0.9 * speed - RATE * g
        updates += [K.update(speed, new), K.update_add(w, new)]
    train = K.function([images, labels], [loss], updates)
    return [float(train(list(batch))[0]) for batch in batches()]


def record(engines: List[str]) -> None:
    """Run the program on engines, in this order and process, and put what they give into the record."""
    found: Dict[str, Any] = {}
    if os.path.exists(RECORD):
        with open(RECORD, encoding='utf-8') as file:
            found = json.load(file)
    # Else the CNTK engine would leave work as small as this to NumPy.
    os.environ['KERAS_BACKEND_CNTK_GRAPHS'] = 'all'
    sys.path.append(ROOT)
    for engine in engines:
        if engine == 'original':
            from keras import backend as K
        else:
            K = importlib.import_module('keras_backend').load(engine)
        library = 'pytensor' if engine == 'theano' and 'pytensor' in sys.modules else engine
        version = sys.modules['tensorflow' if engine == 'original' else library].__version__
        values = [float(f'{value:.8g}') for value in losses(K)]
        found[library] = {'version': '.'.join(version.split('.')[:2]), 'losses': values}
        print(f'{library} {version}: from {values[0]:.4f} to {values[-1]:.4f}')
    with open(RECORD, 'w', encoding='utf-8') as file:
        json.dump({name: found[name] for name in SHOWN if name in found}, file, indent=1)
        file.write('\n')


def draw() -> None:
    """The losses as lines that lie on each other, wide ones below narrow ones."""
    import matplotlib

    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    from PIL import Image

    with open(RECORD, encoding='utf-8') as file:
        found = json.load(file)
    curves = np.array([run['losses'] for run in found.values()])
    apart = np.ceil(np.ptp(curves, axis=0).max() * 1e6) / 1e6
    figure, axes = plt.subplots(figsize=(6.4, 4.2), constrained_layout=True)
    for place, (name, run) in enumerate(found.items()):
        title, colour = SHOWN[name]
        width = 1.2 + 2 * (len(found) - 1 - place)
        label = title.format(run['version'])
        axes.plot(range(1, STEPS + 1), run['losses'], color=colour, linewidth=width, label=label)
    axes.set_title(f'{len(found)} libraries, one line: at most {apart:.6f} apart', fontsize=15, loc='left')
    axes.set_xlabel('training step', fontsize=13)
    axes.set_ylabel('loss', fontsize=13)
    axes.tick_params(labelsize=12)
    axes.spines[['top', 'right']].set_visible(False)
    axes.set_ylim(0, 1.75)
    axes.legend(fontsize=12, frameon=False, handlelength=1.5, loc='upper right', borderpad=0)
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=150, facecolor='white')
    # A third of the size.
    Image.open(drawn).convert('P', palette=Image.Palette.ADAPTIVE, colors=48).save(PICTURE, optimize=True)


if __name__ == '__main__':
    if sys.argv[1:]:
        record(sys.argv[1:])
    else:
        draw()
