"""The engines of this package: an entry each, read by everybody who needs to know which there are.

Settings, loader, command, error messages, tests and tools take names, titles and Pythons from here. An engine is added
by its folder beside this file, an entry below, an extra in pyproject.toml and environments in tox.ini. A test compares
the four. No engine and no library is imported here: whoever asks what there is must not load it.
"""

from collections import OrderedDict
from typing import NamedTuple, Optional, Tuple

from ..basics import installed

Version = Tuple[int, int]


class Pythons(NamedTuple):
    """From the oldest Python to the newest; None where there is no newest."""

    oldest: Version
    newest: Optional[Version] = None

    def include(self, version: Version) -> bool:
        """Whether a version is one of them."""
        return self.oldest <= version and (self.newest is None or version <= self.newest)

    def __str__(self) -> str:
        words = 'Python {}.{}'.format(*self.oldest)
        if self.newest is None:
            return words + ' or later'
        return words if self.newest == self.oldest else words + ' to {}.{}'.format(*self.newest)


class Library(NamedTuple):
    """A library that an engine runs on.

    `module` is the name to import, `distributions` are the names that pip may have for it. `system` names a function.
    It checks or gets ready what the library needs beside itself, and returns words for a report.
    """

    title: str
    module: str
    distributions: Tuple[str, ...]
    pythons: Pythons
    system: Optional[str] = None


class Engine(NamedTuple):
    """An engine. The first of `libraries` that is installed is used; `extras` are those of pyproject.toml."""

    name: str
    libraries: Tuple[Library, ...]
    extras: Tuple[str, ...]

    @property
    def title(self) -> str:
        """How messages and documents call it."""
        return self.libraries[0].title

    @property
    def module(self) -> str:
        """The module that has its K functions."""
        return f'keras_backend.engines.{self.name}_backend'

    @property
    def requirement(self) -> str:
        """The argument of `pip install` for the engine."""
        return installed.requirement(self.extras[0]) if self.extras else self.libraries[0].distributions[0]

    @property
    def not_installed(self) -> str:
        """The message of the error when the engine is imported without its library."""
        return (
            f'The {self.name} engine needs {self.title}, which is not installed; type: pip install "{self.requirement}"'
        )


# In the order in which messages and documents name them.
_ENTRIES = (
    Engine(
        'tensorflow',
        (Library('TensorFlow', 'tensorflow', ('tensorflow', 'tensorflow-cpu', 'tf-nightly'), Pythons((3, 10))),),
        extras=('tensorflow', 'tensorflow-cpu'),
    ),
    Engine(
        'theano',
        (
            Library(
                'Theano',
                'theano',
                ('Theano',),
                Pythons((3, 6), (3, 11)),
                system='keras_backend.engines.needs.of_theano',
            ),
            # its descendant
            Library('PyTensor', 'pytensor', ('pytensor',), Pythons((3, 12))),
        ),
        extras=('theano',),
    ),
    Engine(
        'cntk',
        (
            Library(
                'CNTK',
                'cntk',
                ('cntk', 'cntk-gpu'),
                Pythons((3, 6), (3, 6)),
                system='keras_backend.engines.cntk_libraries.provide',
            ),
        ),
        extras=('cntk',),
    ),
    Engine('torch', (Library('PyTorch', 'torch', ('torch',), Pythons((3, 10))),), extras=('torch',)),
    Engine(
        'jax',
        (Library('JAX', 'jax', ('jax',), Pythons((3, 10)), system='keras_backend.engines.needs.of_jax'),),
        extras=('jax',),
    ),
    # NumPy comes with this package.
    Engine('numpy', (Library('NumPy', 'numpy', ('numpy',), Pythons((3, 6))),), extras=()),
)
ENGINES = OrderedDict((engine.name, engine) for engine in _ENTRIES)

# The names of the engines in Keras 3. It reads KERAS_BACKEND and keras.json, too.
INSIDE_KERAS_3 = 'keras_backend.engines.keras3_backend'  # ours, which runs on any of them; import keras_backend.keras3
ENGINES_OF_KERAS_3 = ('tensorflow', 'jax', 'torch', 'numpy', 'openvino')
