"""`tf.contrib.framework.arg_scope`: default arguments of functions in a part of a program."""

import functools
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List

Defaults = Dict[str, Dict[str, Any]]

_scopes: List[Defaults] = [{}]


def arg_scope_func_key(function: Callable[..., Any]) -> str:
    """The name of a function in a scope."""
    return str(getattr(function, '_key_op', f'{function.__module__}.{function.__name__}'))


def has_arg_scope(function: Callable[..., Any]) -> bool:
    """Whether a scope may give default arguments of this function."""
    return hasattr(function, '_key_op')


def current_arg_scope() -> Defaults:
    """The default arguments of each function here."""
    return _scopes[-1]


@contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[Defaults]:
    """Give default arguments to functions in a `with` statement.

    Args:
        list_ops_or_scope: The functions; or what `with arg_scope(...) as scope` gave before.
        **kwargs: The arguments.

    Raises:
        ValueError: A scope was given, and arguments, too; or a function takes no defaults from scopes.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(
                'arg_scope: a scope that was made before takes no arguments; nest another arg_scope in it.'
            )
        scope = {key: dict(arguments) for key, arguments in list_ops_or_scope.items()}
    else:
        scope = {key: dict(arguments) for key, arguments in current_arg_scope().items()}
        for function in list_ops_or_scope:
            if not has_arg_scope(function):
                raise ValueError(
                    f'arg_scope: {function} takes no default arguments; decorate it with '
                    'tf.contrib.framework.add_arg_scope.'
                )
            scope.setdefault(arg_scope_func_key(function), {}).update(kwargs)
    _scopes.append(scope)
    try:
        yield scope
    finally:
        _scopes.pop()


def add_arg_scope(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with default arguments from `arg_scope`."""
    key = arg_scope_func_key(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **dict(current_arg_scope().get(key, {}), **kwargs))

    call.__dict__['_key_op'] = key
    return call
