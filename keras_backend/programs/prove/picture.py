"""The losses of all runs in one picture. It needs Matplotlib."""

import os
from typing import Dict, List, Tuple

from ...errors import KerasBackendError

Losses = Dict[str, List[Tuple[float, float]]]


class NoPicture(KerasBackendError):
    """Says in a sentence why there is no picture, and what to type."""


def save(losses: Dict[str, Losses], reference: str, path: str) -> None:
    """Draw the first output of each function, step by step: a line for the reference, and marks for each engine.

    Parameters
    ----------
    losses : dict
        By engine, what `Outcome.losses` has.
    reference : str
        The name of the reference.
    path : str
        The file. Its suffix says the format.

    Raises
    ------
    NoPicture
        Matplotlib is not installed, or the file cannot be written.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # without pyplot no window is ever opened
        from matplotlib.figure import Figure
    except ImportError:
        raise NoPicture('There is no picture: Matplotlib is not installed. Type: pip install matplotlib') from None
    names = _functions(losses)
    figure = Figure(figsize=(7, 3 * max(1, len(names))))
    FigureCanvasAgg(figure)
    for row, name in enumerate(names):
        axes = figure.add_subplot(len(names), 1, row + 1)
        drawn = False
        for number, (engine, found) in enumerate(losses.items()):
            pairs = found.get(name, [])
            steps = range(1, len(pairs) + 1)
            if not drawn:
                axes.plot(steps, [pair[0] for pair in pairs], color='black', label=reference)
                drawn = True
            axes.plot(steps, [pair[1] for pair in pairs], 'x+1234*'[number % 7], label=engine)
        axes.set_title(name)
        axes.set_xlabel('call')
        axes.legend()
    figure.tight_layout()
    kind = os.path.splitext(path)[1].lstrip('.').lower() or 'png'
    try:
        figure.savefig(path, dpi=100, format=kind)
    except (OSError, ValueError) as error:  # ValueError: a suffix that Matplotlib does not know
        why = getattr(error, 'strerror', None) or error
        raise NoPicture(f'There is no picture: {path} cannot be written ({why}). Give another path.') from error


def _functions(losses: Dict[str, Losses]) -> List[str]:
    """Those that train; all others where none does. Four fit into a picture."""
    names = list(dict.fromkeys(name for found in losses.values() for name in found))
    training = [name for name in names if name.startswith('train') or name.endswith((' fit', ' train_on_batch'))]
    return (training or names)[:4]
