"""The pictures of docs/revived.md. This is itself a program for Keras 2, so that old code draws them:

    KERAS_BACKEND=numpy python -m keras_backend.keras2 --keras 2.3.1 tools/pages/revived_pictures.py
    ... revived_pictures.py doubt style        only these

It needs Matplotlib and Pillow, and takes some minutes on the NumPy engine.
"""

import io
import json
import os
import sys

import matplotlib

matplotlib.use('Agg')
import keras
import matplotlib.pyplot as plt
import numpy as np
from keras import backend as K
from keras.layers import LSTM, Activation, Conv2D, Dense, Dropout, Embedding, Input, concatenate, dot
from keras.models import Model, Sequential
from PIL import Image

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, 'docs', '_static', 'revived')
LARGEST = 40 * 1024
COLOURS = ['#c0392b', '#2166ac', '#1b7f5c', '#8e44ad', '#b8860b', '#5f5d66', '#e67e22', '#16a085', '#7f8c8d', '#d35490']
TITLES = {'numpy': 'NumPy', 'tensorflow': 'TensorFlow', 'torch': 'PyTorch', 'jax': 'JAX'}


def record(name):
    """What is in docs/revived.json of a series, or in the record of tf_keras."""
    with open(os.path.join(ROOT, 'docs', 'revived.json'), encoding='utf-8') as file:
        return json.load(file)[name]


def of_tf_keras(name, key):
    with open(os.path.join(ROOT, 'tests', 'programs', 'keras3', 'tf_keras.json'), encoding='utf-8') as file:
        ((version, found),) = json.load(file)[name].items()
    return version, found[key]


def save(name, figure):
    """A file of few colours, small enough for a page."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=110, facecolor='white')
    plt.close(figure)
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, name + '.png')
    Image.open(drawn).convert('P', palette=Image.Palette.ADAPTIVE, colors=40).save(path, optimize=True)
    assert os.path.getsize(path) <= LARGEST, (path, os.path.getsize(path))
    print(name, os.path.getsize(path), flush=True)


def images():
    """The digits of the package as pictures of 8 by 8, and their labels."""
    from keras_backend.commands.demo.training import digits

    x, y = digits(0)[:2]
    x = np.asarray(x, 'float32').reshape(-1, 8, 8)
    return x / x.max(), np.asarray(y).astype(int)


def losses():
    """The loss of the original, wide, below those of today."""
    version, then = of_tf_keras('dqn_dueling_targets', 'losses')
    curves = [(version, then)] + [
        (TITLES[name], run) for name, run in sorted(record('dqn_dueling_targets losses').items())
    ]
    figure, axes = plt.subplots(figsize=(5.6, 3.4), constrained_layout=True)
    for place, (title, values) in enumerate(curves):
        width = 1.2 + 2.5 * (len(curves) - 1 - place)
        axes.plot(range(1, len(values) + 1), values, color=COLOURS[place], linewidth=width, label=title)
    axes.set(xlabel='update', ylabel='loss', ylim=(0, None))
    axes.spines[['top', 'right']].set_visible(False)
    axes.legend(frameon=False)
    save('losses', figure)


def grad_cam():
    """The map of the original, the map of today, and how far they are apart."""
    version, then = of_tf_keras('grad_cam_plus_plus', 'cam')
    now = record('grad_cam_plus_plus cam')['jax']
    apart = 1000 * np.abs(np.array(then) - now)
    figure, row = plt.subplots(1, 3, figsize=(6, 2.3), constrained_layout=True)
    for axes, title, values in zip(row, (version, 'K on JAX', '1000 x difference'), (then, now, apart)):
        axes.imshow(values, cmap='Reds', vmin=0, vmax=1)
        axes.set(title=title, xticks=[], yticks=[])
    save('grad-cam', figure)


def attention():
    """Luong attention of a network that turns words around."""
    rs, length, letters = np.random.RandomState(0), 8, 12
    np.random.seed(1)
    source = rs.randint(1, letters, (1500, length))
    wanted = source[:, ::-1]
    shifted = np.concatenate([np.zeros((1500, 1), int), wanted[:, :-1]], axis=1)
    words, before = Input((length,)), Input((length,))
    encoded, h, c = LSTM(32, return_sequences=True, return_state=True)(Embedding(letters, 16)(words))
    decoded = LSTM(32, return_sequences=True)(Embedding(letters, 16)(before), initial_state=[h, c])
    weights = Activation('softmax')(dot([decoded, encoded], axes=[2, 2]))
    context = concatenate([dot([weights, encoded], axes=[2, 1]), decoded])
    model = Model([words, before], Dense(letters, activation='softmax')(context))
    model.compile(keras.optimizers.Adam(0.01), 'sparse_categorical_crossentropy')
    model.fit([source, shifted], wanted[..., None], epochs=20, batch_size=50, verbose=0)
    look = Model([words, before], weights).predict([source[:1], shifted[:1]])[0]
    figure, axes = plt.subplots(figsize=(3.4, 3.2), constrained_layout=True)
    axes.imshow(look, cmap='Reds', vmin=0, vmax=1)
    names = [list(map(chr, 96 + line)) for line in (source[0], wanted[0])]
    axes.set(xlabel='word', ylabel='word that is written')
    axes.set_xticks(range(length), names[0])
    axes.set_yticks(range(length), names[1])
    save('attention', figure)


def style():
    """Gram matrices of random filters, and the gradient of the picture."""
    rs, size = np.random.RandomState(2), 48
    rows, columns = np.mgrid[:size, :size] / float(size)
    content = (np.hypot(rows - 0.5, columns - 0.5) % 0.24 < 0.12).astype('float32')
    pattern = (np.sin(40 * (rows + columns)) > 0).astype('float32')
    shades = [np.array(colour, 'float32') for colour in ([1, 1, 1], [0.1, 0.3, 0.6], [1, 0.9, 0.7], [0.8, 0.2, 0.1])]
    pictures = [a + m[..., None] * (b - a) for m, a, b in ((content, *shades[:2]), (pattern, *shades[2:]))]
    features = Sequential([Conv2D(24, 5, activation='relu', padding='same', input_shape=(size, size, 3))])
    features.add(Conv2D(32, 5, strides=2, activation='relu', padding='same'))
    features.set_weights([rs.normal(0, np.sqrt(2.0 / np.prod(w.shape[:-1])), w.shape) if w.ndim > 1 else w
                          for w in features.get_weights()])  # fmt: skip
    layers = Model(features.input, [layer.output for layer in features.layers])

    def gram(t):
        flat = K.batch_flatten(K.permute_dimensions(t[0], (2, 0, 1)))
        return K.dot(flat, K.transpose(flat)) / float(K.int_shape(flat)[1])

    of_content, of_style = [[K.constant(v) for v in layers.predict(p[None])] for p in pictures]
    painted = K.variable(pictures[0][None])
    shown = layers(painted)
    loss = 0.3 * K.mean(K.square(shown[1] - of_content[1]))
    for one, other in zip(shown, of_style):
        loss = loss + K.mean(K.square(gram(one) - gram(other)))
    step = K.function([], [loss], keras.optimizers.Adam(0.02).get_updates(loss, [painted]))
    told = [float(step([])[0]) for _ in range(200)]
    assert told[-1] < 0.4 * told[0], told[::40]
    figure, row = plt.subplots(1, 3, figsize=(6, 2.3), constrained_layout=True)
    for axes, title, values in zip(row, ('content', 'style', 'both'), (*pictures, K.get_value(painted)[0])):
        axes.imshow(np.clip(values, 0, 1))
        axes.set(title=title, xticks=[], yticks=[])
    save('style', figure)


def triplets():
    """Digits in the plane, after training with the hardest triplets of each batch."""
    x, y = images()
    np.random.seed(0)

    def hardest(y_true, e):
        squares = K.sum(K.square(e), axis=1, keepdims=True)
        apart = K.sqrt(K.maximum(squares + K.transpose(squares) - 2.0 * K.dot(e, K.transpose(e)), 1e-6))
        same = K.cast(K.equal(y_true, K.transpose(y_true)), 'float32')
        positive = K.max(apart * same, axis=1)
        negative = K.min(apart + 1e3 * same, axis=1)
        return K.softplus(positive - negative)

    model = Sequential([Dense(96, activation='relu', input_dim=64), Dense(48, activation='relu'), Dense(2)])
    model.compile(keras.optimizers.Adam(0.002), hardest)
    model.fit(x.reshape(-1, 64), y[:, None].astype('float32'), epochs=80, batch_size=128, verbose=0)
    found = model.predict(x.reshape(-1, 64))[:700]
    figure, axes = plt.subplots(figsize=(4, 3.6), constrained_layout=True)
    for digit, colour in enumerate(COLOURS):
        axes.plot(*found[y[:700] == digit].T, '.', color=colour, markersize=4)
        axes.annotate(str(digit), np.median(found[y[:700] == digit], axis=0), fontsize=14, weight='bold')
    axes.set(xticks=[], yticks=[])
    save('triplets', figure)


def doubt():
    """The mean and the spread of a network whose dropout stays on."""
    rs = np.random.RandomState(0)
    np.random.seed(0)
    x = np.concatenate([rs.uniform(-2, -0.7, (60, 1)), rs.uniform(0.3, 1.8, (60, 1))])
    y = np.sin(2.5 * x) + rs.normal(0, 0.08, x.shape)
    model = Sequential([Dense(96, activation='tanh', input_dim=1), Dropout(0.1), Dense(96, activation='relu')])
    model.add(Dropout(0.1))
    model.add(Dense(1))
    model.compile(keras.optimizers.Adam(0.01), 'mse')
    model.fit(x, y, epochs=300, batch_size=60, verbose=0)
    drawn = K.function([model.input, K.learning_phase()], [model.output])
    place = np.linspace(-4, 4, 160)[:, None]
    several = np.array([drawn([place, 1])[0][:, 0] for _ in range(100)])
    mean, spread = several.mean(0), several.std(0)
    figure, axes = plt.subplots(figsize=(5.2, 3.0), constrained_layout=True)
    axes.fill_between(place[:, 0], mean - 2 * spread, mean + 2 * spread, color=COLOURS[1], alpha=0.25, linewidth=0)
    axes.plot(place, mean, color=COLOURS[1])
    axes.plot(x, y, '.', color=COLOURS[0], markersize=4)
    axes.spines[['top', 'right']].set_visible(False)
    axes.set(xlim=(-4, 4))
    save('doubt', figure)


PICTURES = {
    'losses': losses,
    'grad-cam': grad_cam,
    'attention': attention,
    'style': style,
    'triplets': triplets,
    'doubt': doubt,
}


if __name__ == '__main__':
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name]()
