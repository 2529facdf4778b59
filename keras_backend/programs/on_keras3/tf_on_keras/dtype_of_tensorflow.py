"""A dtype as TensorFlow has it: `name`, `base_dtype`, `is_floating`."""

import functools


class DType(str):
    """The name of a dtype, with what dtypes of TensorFlow have."""

    @property
    def base_dtype(self) -> 'DType':
        """The dtype itself."""
        return self

    @property
    def name(self) -> str:
        """The name."""
        return str(self)

    @property
    def is_floating(self) -> bool:
        """Whether it is a dtype of real numbers."""
        return 'float' in self


@functools.lru_cache(maxsize=None)
def dtype_by_name(name: str) -> DType:
    """The dtype of a name, made once: variables are asked for it often."""
    return DType(name)
