"""The type of a rule."""

from typing import NamedTuple

# The headings of docs/legacy-errors.md.
SECTIONS = (
    'At the start',
    'Python',
    'Keras',
    'TensorFlow',
    'NumPy, h5py, Pillow',
    'Other libraries',
    'Models and files',
)


class Rule(NamedTuple):
    """A rule.

    Attributes
    ----------
    name : str
        The name of the rule, in the output of `--check`.
    section : str
        The heading of its row in docs/legacy-errors.md.
    severity : str
        'stops', 'differs' or 'note'.
    message : str
        What the program says, in Markdown: the first cell of its row. '' if it says nothing, so that there is no row.
    reason, advice : str
        The other two cells. `--check` may put words for the very program in their place.
    """

    name: str
    section: str
    severity: str
    message: str
    reason: str
    advice: str


START, PYTHON, KERAS, TENSORFLOW, ARRAYS, LIBRARIES, MODELS = SECTIONS
