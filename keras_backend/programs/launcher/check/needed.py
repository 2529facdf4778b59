"""What a program needs to be installed beside Keras, its engine and the libraries that it plainly imports."""

from typing import Iterable, Iterator, List, Set, Tuple

from ....basics.tables import beside
from .library_rules import INSTALL
from .uses import Uses

# Modules that a Keras 2 which a launcher fetches brings along or reads pictures with, that Jupyter or TensorFlow bring
# along, and parts of `google`: `library_rules.imported` leaves them out. The module -> its name for pip.
PIP = {
    **{name: name for name in ('h5py', 'scipy', 'six', 'tensorboard', 'ipywidgets', 'openpyxl', 'tables', 'lxml')},
    **{name: name for name in ('pyarrow', 'torch')},
    **{name: INSTALL[name] for name in ('PIL', 'yaml', 'sklearn', 'matplotlib')},
    'IPython': 'ipython',
    'google.protobuf': 'protobuf',
}
# A name that a program uses -> the modules that it imports in turn.
_IMPLIED = beside(__file__, 'libraries.json')['implied']
# Methods of tables of pandas that draw with Matplotlib.
_DRAWING = {'plot', 'hist', 'boxplot'}


def needed(files: Iterable[Uses], local: Set[str]) -> List[Tuple[str, str]]:
    """The modules that a program needs and `library_rules.imported` does not tell.

    Parameters
    ----------
    files : iterable of Uses
        What its files use.
    local : set of str
        Its own modules.

    Returns
    -------
    list of (str, str)
        The module and its name for pip.
    """
    modules: List[str] = []
    for found in files:
        modules += _of_file(found)
    return [(module, PIP[module]) for module in dict.fromkeys(modules) if module.split('.')[0] not in local]


def _of_file(found: Uses) -> Iterator[str]:
    names = [name for use in found.names if not use.guarded for name in {use.name, use.origin or use.name}]
    names += [module for module, _ in found.stars]
    for name in names:
        for module in PIP:
            if _is_part(name, module):
                yield module
        for using, modules in _IMPLIED.items():
            if _is_part(name, using):
                yield from modules
    methods = {attribute for attribute, _, _ in found.attributes} | {call.method for call in found.calls}
    if methods & _DRAWING and any(_is_part(name, 'pandas') for name in names):
        yield 'matplotlib'


def _is_part(name: str, of: str) -> bool:
    return name == of or name.startswith(of + '.')
