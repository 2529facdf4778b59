"""The K API, said once: every name, its signature, its docstring and its topic.

Each topic file holds, per K name, a function with the public signature and docstring and no body. The face, the
engines, the checks at load, the conformance tests, the documentation and the type stubs all read them from here.

The Examples sections are doctests: they run on every engine with `K` and `np` given, under the default settings.
"""

from collections import OrderedDict
from types import FunctionType
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

if TYPE_CHECKING:
    from inspect import Signature

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


# Arguments that tf.keras added after Keras 2.3.1. An engine of a user may lack them.
ADDED = {'sparse_categorical_crossentropy': ('ignore_class',)}

# How many arguments have to be given where some of these have a default all the same. One of them had another name in
# the first generation, and only the translation of the call (`binding.Translator`) can tell whether it is missing.
_GIVEN = {'batch_get_value': 1, 'batch_normalization': 5, 'resize_images': 4, 'resize_volumes': 5}


class Entry:
    """One name of the K API: its stub, the topic (file) it belongs to, and the title of that topic."""

    __slots__ = ('category', 'function', 'name', 'topic')

    def __init__(self, function: FunctionType, topic: str, category: str) -> None:
        self.name, self.function, self.topic, self.category = function.__name__, function, topic, category

    @property
    def doc(self) -> Optional[str]:
        """The public docstring."""
        return self.function.__doc__

    @property
    def parameters(self) -> Tuple[str, ...]:
        """Names of the arguments in order, `*hints`, `**legacy` and `**kwargs` left out."""
        code = self.function.__code__
        return code.co_varnames[: code.co_argcount]

    @property
    def required(self) -> int:
        """How many arguments have to be given."""
        return _GIVEN.get(self.name, len(self.parameters) - len(self.function.__defaults__ or ()))

    @property
    def defaults(self) -> Dict[str, Any]:
        """The defaults of the arguments that have one."""
        found = dict(zip(reversed(self.parameters), reversed(self.function.__defaults__ or ())))
        return {name: found[name] for name in self.parameters[self.required :]}

    @property
    def is_legacy(self) -> bool:
        """Whether the function takes spellings of the first generation (see `binding.Translator`)."""
        code = self.function.__code__
        return 'legacy' in code.co_varnames[code.co_argcount :]

    @property
    def signature(self) -> 'Signature':
        """The signature of today: without old spellings, defaults for what has to be given, and kinds."""
        # Imported and computed on demand only, to keep `import keras_backend` fast.
        import inspect

        whole = inspect.signature(self.function)
        parameters = [
            p.replace(annotation=p.empty) for p in whole.parameters.values() if p.name not in ('hints', 'legacy')
        ]
        parameters[: self.required] = [p.replace(default=p.empty) for p in parameters[: self.required]]
        return whole.replace(parameters=parameters, return_annotation=whole.empty)

    def __repr__(self) -> str:
        return f'Entry({self.name}{self.signature})'


def _collect() -> 'OrderedDict[str, Entry]':
    entries = OrderedDict()
    for module in TOPICS:
        topic, title = module.__name__.rpartition('.')[2], vars(module)['TITLE']
        for function in vars(module).values():
            if isinstance(function, FunctionType):
                entries[function.__name__] = Entry(function, topic, title)
    return entries


CONTRACT = _collect()
