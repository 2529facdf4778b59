"""The names of K as methods that say what the engine lacks: what every front starts from; and the settings."""

from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Optional

from ... import config
from ...basics.arrays import numbers_of
from ...contract import CONTRACT
from ...errors import UnsupportedByEngine


class Api:
    """Every function of K as a method. Classes derived from this one define what they can.

    `name` is the engine's name in keras.json, `title` its name for people. `runs_on` says which library it runs on,
    where there is a choice. `checked` says whether arguments are held against the kinds of the contract. `UNSUPPORTED`
    may hold the reasons for what is lacking, {name: 'reason; way out'}. `own` holds the names that a user's module
    defines itself; it is None for other engines.
    """

    name = ''
    title = ''
    runs_on = ''
    UNSUPPORTED: Dict[str, str] = {}
    checked = True
    own: Optional[FrozenSet[str]] = None

    # Methods that composed functions call on their arguments. A user's module gets the arguments as they are.
    def operand(self, x: Any) -> Any:
        """An argument as a tensor, where the engine tells tensors from other values."""
        return x

    def floating(self, x: Any) -> Any:
        """The same as a tensor of a float dtype."""
        return x

    def together(self, *values: Any) -> List[Any]:
        """Several arguments as tensors of one dtype: operators of a library may take no others."""
        return list(values)

    def logits(self, probabilities: Any, activation: str) -> Any:
        """The argument of 'sigmoid', or 'softmax' over the last axis, whose result `probabilities` is, else None."""
        return None

    if TYPE_CHECKING:
        # The methods are made in a loop below.
        def __getattr__(self, name: str) -> Any: ...

    def why_not(self, name: str) -> str:
        """Why the engine lacks the K function `name`; after a semicolon there may be a way out."""
        return self.UNSUPPORTED.get(name, 'the engine does not define it')

    def supports(self, name: str) -> bool:
        """Whether the K function `name` works on this engine."""
        return not getattr(getattr(self, name, None), 'is_missing', name not in CONTRACT)


def _missing(name: str) -> Callable[..., Any]:
    def method(self: Api, *args: Any, **kwargs: Any) -> Any:
        reason, _, way_out = self.why_not(name).partition('; ')
        way_out = way_out or 'Define it in the engine, or choose another one: python -m keras_backend lists the engines'
        raise UnsupportedByEngine(name, self.title, reason, way_out.rstrip('.') + '.')

    method.__name__ = name
    method.is_missing = True  # type: ignore[attr-defined]
    return method


for _name in CONTRACT:
    setattr(Api, _name, _missing(_name))


# -- settings ----------------------------------------------------------------------------------------------------------
# The settings of K, which are those of `config` for every engine.


class Settings(Api):
    """Methods that call `config`. Only the name of the engine is the engine's own."""

    def backend(self) -> str:
        return self.name

    def epsilon(self) -> float:
        return config.epsilon()

    def set_epsilon(self, e: float) -> None:
        config.set_epsilon(e)

    def floatx(self) -> str:
        return config.floatx()

    def set_floatx(self, floatx: str) -> None:
        config.set_floatx(floatx)

    def cast_to_floatx(self, x: Any) -> Any:
        if self.supports('is_tensor') and self.is_tensor(x):
            return self.cast(x, config.floatx())
        return config.cast_to_floatx(numbers_of(x))

    def image_data_format(self) -> str:
        return config.image_data_format()

    def set_image_data_format(self, data_format: str) -> None:
        config.set_image_data_format(data_format)

    def image_dim_ordering(self) -> str:
        return config.image_dim_ordering()

    def set_image_dim_ordering(self, dim_ordering: str) -> None:
        config.set_image_dim_ordering(dim_ordering)

    def normalize_data_format(self, value: Any) -> str:
        return config.normalize_data_format(value)
