"""Cures for PyYAML 6."""

from types import ModuleType
from typing import Any, Callable

from .giving import joined, wrap


def default_loader(yaml: ModuleType) -> str:
    """Take `yaml.load(file)` without a loader, as before PyYAML 6. It is the FullLoader, which calls no function."""
    if tuple(int(word) for word in yaml.__version__.split('.')[:1]) < (6,):
        return ''
    return joined(*[wrap(yaml, name, _with_loader(yaml.FullLoader)) for name in ('load', 'load_all')])


def _with_loader(default: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def with_loader(load: Callable[..., Any]) -> Callable[..., Any]:
        def called(stream: Any, Loader: Any = None) -> Any:
            return load(stream, default if Loader is None else Loader)

        return called

    return with_loader
