"""The directive `picture`: what an example of examples/layers computes, drawn when the site is made."""

import glob
import os
import subprocess
import sys
from typing import Any, Callable, Dict, List

import matplotlib.pyplot as plt
import numpy as np
from docutils import nodes
from docutils.statemachine import StringList
from drawing import Look, both, draw
from sphinx.util.docutils import SphinxDirective

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(ROOT)


def focal(look: Look) -> Any:
    """Figure 1 of the paper: the loss of a right class with probability p."""
    import keras_backend as K
    from examples.layers.focal import binary_focal_loss

    p = np.linspace(0.01, 0.99, 99)
    figure, axes = plt.subplots(figsize=(5.2, 3.2))
    target, output = K.constant(np.ones((99, 1))), K.constant(p[:, None])
    for gamma, colour in zip((0.0, 0.5, 1.0, 2.0, 5.0), look.series):
        loss = K.eval(binary_focal_loss(target, output, gamma=gamma, alpha=1.0))
        axes.plot(p, loss, color=colour, label=f'gamma {gamma:g}')
    axes.set(xlabel='probability of the right class', ylabel='loss', ylim=(0, 5), xlim=(0, 1))
    axes.legend(frameon=False)
    return figure


def phased(look: Look) -> Any:
    """When the cells of a phased LSTM are open, sorted by their period."""
    import keras_backend as K
    from examples.layers.phased_lstm import PhasedLSTM

    K.clear_session()
    np.random.seed(3)
    layer = PhasedLSTM(2, 24, open_ratio=0.3, longest=16.0)
    time = K.placeholder((None, 1))
    times = np.linspace(0, 24, 480)[:, None]
    openness = K.function([time], [layer.openness(time)])([times])[0]
    order = np.argsort(K.get_value(layer.period))
    figure, axes = plt.subplots(figsize=(5.2, 3.0))
    axes.imshow(openness[:, order].T, aspect='auto', cmap=look.ramp, extent=(0, 24, 24, 0), interpolation='nearest')
    axes.set(xlabel='time', ylabel='cell, by its period')
    return figure


def ordered(look: Look) -> Any:
    """What cumax makes of scores, beside their softmax."""
    import keras_backend as K
    from examples.layers.ordered_neurons import cumax

    K.clear_session()
    levels = np.arange(16)
    scores = -0.5 * (levels - np.array([[4], [8], [12]])) ** 2 / np.array([[1.0], [4.0], [16.0]])
    x = K.constant(scores)
    soft, gates = K.eval(K.softmax(x)), K.eval(cumax(x))
    figure, axes = plt.subplots(figsize=(5.2, 3.0))
    for i, colour in enumerate(look.series[:3]):
        axes.bar(levels, soft[i], color=colour, alpha=0.35, width=0.9)
        axes.plot(levels, gates[i], color=colour, marker='o', markersize=4)
    axes.set(xlabel='cell', ylabel='gate (lines), softmax (bars)', ylim=(0, 1.03))
    return figure


def critic(look: Look) -> Any:
    """A critic of two dimensions, trained with a gradient penalty for 800 steps on a ring against a cloud."""
    import keras_backend as K
    from examples.layers.gradient_penalty import Critic, critic_loss

    K.clear_session()
    rng = np.random.RandomState(0)
    np.random.seed(0)
    model = Critic(2, 64)
    real, fake, place = K.placeholder((None, 2)), K.placeholder((None, 2)), K.placeholder((None, 1))
    step = adam(critic_loss(model, real, fake, place), model.weights, [real, fake, place])
    for _ in range(800):
        angle = rng.uniform(0, 2 * np.pi, 128)
        ring = 2 * np.stack([np.cos(angle), np.sin(angle)], 1) + rng.normal(0, 0.08, (128, 2))
        cloud = rng.normal(0, 0.6, (128, 2))
        step([ring, cloud, rng.uniform(size=(128, 1))])
    grid = np.linspace(-3, 3, 80)
    points = np.stack(np.meshgrid(grid, grid), -1).reshape(-1, 2)
    values = K.function([real], [model(real)])([points])[0].reshape(80, 80)
    figure, axes = plt.subplots(figsize=(4.6, 3.8))
    shown = axes.contourf(grid, grid, values, levels=16, cmap=look.ramp)
    figure.colorbar(shown, label='critic')
    axes.plot(*ring.T, '.', color=look.series[1], markersize=3, label='real')
    axes.plot(*cloud.T, '.', color=look.series[2], markersize=3, label='fake')
    axes.set(aspect='equal', xticks=[-2, 0, 2], yticks=[-2, 0, 2], xlim=(-3, 3), ylim=(-3, 3))
    # The dots are as light as the ramp there, so the legend stands on the colour of the page.
    axes.legend(loc='upper right', fontsize=8, facecolor=look.page, edgecolor=look.grid, framealpha=0.9)
    return figure


def adam(loss: Any, weights: List[Any], inputs: List[Any], rate: float = 0.02) -> Callable[..., Any]:
    """A function that takes a step of Adam (Kingma and Ba 2014)."""
    import keras_backend as K

    t = K.variable(0.0)
    now = t + 1.0
    updates = [K.update(t, now)]
    for w, g in zip(weights, K.gradients(loss, weights)):
        m, v = K.variable(np.zeros(K.int_shape(w))), K.variable(np.zeros(K.int_shape(w)))
        new_m, new_v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * K.square(g)
        size = rate * K.sqrt(1.0 - K.pow(0.999, now)) / (1.0 - K.pow(0.9, now))
        updates += [K.update(m, new_m), K.update(v, new_v), K.update(w, w - size * new_m / (K.sqrt(new_v) + 1e-8))]
    return K.function(inputs, [loss], updates)


PICTURES: Dict[str, Callable[[Look], Any]] = {'focal': focal, 'phased': phased, 'ordered': ordered, 'critic': critic}


class Picture(SphinxDirective):
    """`{picture} NAME` with a description below it, which is the text for those who cannot see it."""

    required_arguments = 1
    has_content = True

    def run(self) -> List[nodes.Node]:
        name = self.arguments[0]
        files = draw(os.path.join(self.env.srcdir, '_drawn'), name, PICTURES[name])
        node = nodes.container()
        lines = StringList(both(files, ' '.join(self.content)), source=self.get_source_info()[0])
        self.state.nested_parse(lines, self.content_offset, node)
        return node.children


def halves(path: str) -> List[str]:
    """Cut the picture of examples/digits.py into the table and the misread digits: a phone shows one above the other.

    Side by side their letters are too small there. Returns the names of the two files.
    """
    whole = plt.imread(path)
    middle = int(whole.shape[1] * 0.515)
    names = []
    for name, part in (('table', whole[:, :middle]), ('misread', whole[:, middle:])):
        rows, columns = np.nonzero((part[..., :3] < 1).any(-1))
        names.append(f'digits-{name}.png')
        kept = part[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
        plt.imsave(os.path.join(os.path.dirname(path), names[-1]), np.ascontiguousarray(kept))
    return names


class Digits(SphinxDirective):
    """`{digits}` trains examples/digits.py and shows the picture that it draws; a picture of later date is kept.

    It has two descriptions, one a line: of the table, and of the digits that were misread.
    """

    has_content = True

    def run(self) -> List[nodes.Node]:
        script = os.path.join(ROOT, 'examples', 'digits.py')
        path = os.path.join(self.env.srcdir, '_drawn', 'digits.png')
        parts = [script, *glob.glob(os.path.join(ROOT, 'keras_backend', 'commands', 'demo', '*.py'))]
        if not os.path.exists(path) or os.path.getmtime(path) < max(map(os.path.getmtime, parts)):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            # The checkout stands in where keras_backend is not installed.
            paths = os.pathsep.join(filter(None, [os.environ.get('PYTHONPATH'), ROOT]))
            subprocess.run(
                [sys.executable, script, '--picture', path],
                env=dict(os.environ, PYTHONPATH=paths),
                check=True,
                stdout=subprocess.DEVNULL,
            )
        lines = [':::{div} halves']
        for name, alt in zip(halves(path), self.content):
            lines += [f'```{{image}} /_drawn/{name}', f':alt: {alt}', '```']
        node = nodes.container()
        self.state.nested_parse(StringList([*lines, ':::'], source=path), self.content_offset, node)
        return node.children


def setup(app: Any) -> None:
    app.add_directive('picture', Picture)
    app.add_directive('digits', Digits)
