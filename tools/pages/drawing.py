"""The look of the pictures of the site: each is drawn twice, for light pages and for dark ones, as SVG."""

import os
from typing import Any, Callable, List, NamedTuple

import matplotlib

matplotlib.use('svg')
import matplotlib.pyplot as plt


class Look(NamedTuple):
    """The colours of one of the two.

    `page` is the colour of the page behind it. `series` are for the things that are compared, in this order.
    """

    name: str
    page: str
    ink: str
    muted: str
    grid: str
    series: List[str]
    ramp: str


OF_LIGHT = ['#c0392b', '#2166ac', '#1b7f5c', '#8e44ad', '#b8860b']
OF_DARK = ['#ff8a80', '#7fb8ef', '#6fcfa9', '#cf9be8', '#e6c35c']
LIGHT = Look('light', '#ffffff', '#1c1b1f', '#5f5d66', '#dcdae2', OF_LIGHT, 'Reds')
DARK = Look('dark', '#131416', '#f2eff4', '#b3b0ba', '#45434b', OF_DARK, 'magma')
# Text is drawn as curves, so that it looks alike everywhere. Dates and ids would change the file at each build.
SETTINGS = {
    'svg.fonttype': 'path',
    'svg.hashsalt': 'keras_backend',
    'font.size': 10,
    'axes.spines.top': False,
    'axes.spines.right': False,
    'figure.constrained_layout.use': True,
}


def draw(folder: str, name: str, picture: Callable[[Look], Any]) -> List[str]:
    """Draw a picture in both looks; returns the names of the files, for light and dark."""
    os.makedirs(folder, exist_ok=True)
    files = []
    for look in (LIGHT, DARK):
        colours = dict.fromkeys(['text.color', 'axes.labelcolor', 'axes.titlecolor'], look.ink)
        colours.update(dict.fromkeys(['axes.edgecolor', 'xtick.color', 'ytick.color'], look.muted))
        with plt.rc_context({**SETTINGS, **colours, 'grid.color': look.grid}):
            figure = picture(look)
            files.append(f'{name}-{look.name}.svg')
            figure.savefig(os.path.join(folder, files[-1]), transparent=True, metadata={'Date': None})
            plt.close(figure)
    return files


def both(files: List[str], alt: str) -> List[str]:
    """The Markdown that shows the file that fits the page, both being in docs/_drawn."""
    light, dark = files
    return [
        f'```{{image}} /_drawn/{light}',
        f':alt: {alt}',
        ':class: only-light',
        '```',
        f'```{{image}} /_drawn/{dark}',
        f':alt: {alt}',
        ':class: only-dark',
        '```',
    ]
