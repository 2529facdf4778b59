"""The K API, said once: every name, its signature, its docstring and its topic.

Each topic file holds, per K name, a function with the public signature and docstring and no body. The face, the
engines, the checks at load, the conformance tests, the documentation and the type stubs all read them from here.

The Examples sections are doctests: they run on every engine with `K` and `np` given, under the default settings.
"""

from collections import OrderedDict
from types import FunctionType

from . import control, conv, ctc, elementwise, linalg, nn, random, reduction, shape, state, tensors, values

TOPICS = (tensors, values, control, linalg, reduction, elementwise, shape, nn, conv, random, ctc, state)

# Held by `config` for all engines alike, so never taken from an engine module.
SETTINGS = (
    'backend',
    'epsilon',
    'set_epsilon',
    'floatx',
    'set_floatx',
    'cast_to_floatx',
    'image_data_format',
    'set_image_data_format',
    'image_dim_ordering',
    'set_image_dim_ordering',
    'normalize_data_format',
)

# Without these three nothing else can be said, so a module that lacks one is no engine.
REQUIRED = ('placeholder', 'variable', 'function')


class Entry:
    """One name of the K API: its stub, the topic (file) it belongs to, and the title of that topic."""

    __slots__ = ('category', 'function', 'name', 'topic')

    def __init__(self, function, topic, category):
        self.name, self.function, self.topic, self.category = function.__name__, function, topic, category

    @property
    def doc(self):
        return self.function.__doc__

    @property
    def signature(self):
        # Imported and computed on demand only, to keep `import keras_backend` fast.
        import inspect

        return inspect.signature(self.function)

    @property
    def parameters(self):
        """Names of the arguments in order, `**kwargs` left out."""
        code = self.function.__code__
        return code.co_varnames[: code.co_argcount]

    def __repr__(self):
        return f'Entry({self.name}{self.signature})'


def _collect():
    entries = OrderedDict()
    for module in TOPICS:
        topic = module.__name__.rpartition('.')[2]
        for function in vars(module).values():
            if isinstance(function, FunctionType):
                entries[function.__name__] = Entry(function, topic, module.TITLE)
    return entries


CONTRACT = _collect()
