"""The settings of K, which are those of `config` for every engine."""

from typing import Any

from ... import config
from ...basics.arrays import numbers_of
from .api import Api


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
