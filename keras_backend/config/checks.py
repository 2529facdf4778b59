"""The values that each setting may have. The file, the variable and calls share one sentence about them."""

import math
from numbers import Real
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence

from ..engines.table import ENGINES
from ..errors import ConfigError

# The first-generation spelling of a data format -> the spelling of today.
DIM_ORDERINGS = {'th': 'channels_first', 'tf': 'channels_last'}

FLOATS = ('float16', 'float32', 'float64')
DATA_FORMATS = ('channels_last', 'channels_first')

# Characters of the name of an engine. Python finds a module by a recursion over the parts of its name.
LONGEST_NAME = 250

Check = Callable[[str, Any, str], Any]


def nearest(word: str, words: Sequence[str]) -> Optional[str]:
    """The word of `words` that was probably meant by `word`, or None."""
    import difflib

    matches = difflib.get_close_matches(word.strip().lower(), words, n=1, cutoff=0.7)
    return matches[0] if matches else None


def either(words: Iterable[str]) -> str:
    """The words as a choice: 'a', 'b' or 'c'."""
    quoted = [repr(word) for word in words]
    return ' or '.join(text for text in (', '.join(quoted[:-1]), quoted[-1]) if text)


def refusal(key: str, value: Any, source: str, accepted: str, meant: Optional[str] = None) -> ConfigError:
    """The ConfigError for a value that is not accepted."""
    shown = repr(value)
    if len(shown) > 80:
        shown = shown[:77] + '...'
    message = f'{source}: {key} is {shown}, but it must be {accepted}.'
    if meant is not None:
        message += f' Did you mean {meant!r}?'
    return ConfigError(message, key=key, value=value, source=source)


def one_of(words: Sequence[str], suggestions: Mapping[str, str]) -> Check:
    """A check that accepts exactly these words. `suggestions` maps other spellings to the word that was meant."""

    def check(key: str, value: Any, source: str) -> str:
        if isinstance(value, str) and value in words:
            return str(value)
        meant = None
        if isinstance(value, str):
            meant = suggestions.get(value) or nearest(value, words)
        raise refusal(key, value, source, either(words), meant)

    return check


def epsilon(key: str, value: Any, source: str) -> float:
    """A positive, finite number."""
    if not isinstance(value, bool) and isinstance(value, Real):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if 0 < number < math.inf:
            return number
    raise refusal(key, value, source, 'a positive number such as 1e-07')


def backend(key: str, value: Any, source: str) -> str:
    """A name without the blanks around it. The name of a built-in engine may have any letter case."""
    accepted = either(ENGINES) + ' or the dotted name of a module'
    if isinstance(value, str) and value.strip():
        name = value.strip()
        if len(name) > LONGEST_NAME:
            raise refusal(key, value, source, f'{accepted}, of at most {LONGEST_NAME} characters; it has {len(name)}')
        return name.lower() if name.lower() in ENGINES else name
    raise refusal(key, value, source, accepted)


# The key of keras.json that names the engine of K alone. Keras 3, and TensorFlow with it, read "backend" of the same
# file and fail on an engine that they do not have.
OWN_BACKEND = 'keras_backend'

CHECKS: Dict[str, Check] = {
    'backend': backend,
    OWN_BACKEND: backend,
    'floatx': one_of(FLOATS, {'float': 'float32', 'double': 'float64', 'half': 'float16'}),
    'epsilon': epsilon,
    'image_data_format': one_of(DATA_FORMATS, DIM_ORDERINGS),
    'image_dim_ordering': one_of(('tf', 'th'), {new: old for old, new in DIM_ORDERINGS.items()}),
}
