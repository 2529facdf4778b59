"""Classes that a program derives from those of Keras."""

from typing import Any, Callable


def is_of_a_program(made: Any) -> bool:
    """Whether a class or a function is neither of Keras nor of this package."""
    return str(getattr(made, '__module__', '')).partition('.')[0] not in ('keras', 'keras_backend')


def prepare_classes(base: Any, prepare: Callable[[Any], None]) -> None:
    """Call `prepare` with each class that a program derives from `base`, when it is made, after earlier ones."""
    before = vars(base).get('__init_subclass__')

    def __init_subclass__(made: Any, **kwargs: Any) -> None:
        if before is None:
            super(base, made).__init_subclass__(**kwargs)
        else:
            before.__func__(made, **kwargs)
        if is_of_a_program(made):
            prepare(made)

    base.__init_subclass__ = classmethod(__init_subclass__)
