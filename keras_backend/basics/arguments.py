"""Functions with the arguments of another library, whose names, order and defaults a text tells.

@taking('inputs, keep_prob=0.5, seed=None')
def dropout(given): ...                       given.inputs, given.keep_prob, given.seed
"""

import ast
import functools
from inspect import Parameter, Signature
from types import SimpleNamespace
from typing import Any, Callable, List, Optional

Given = Any  # a SimpleNamespace, whose attributes depend on the function


def signature_of(text: str, **objects: Any) -> Signature:
    """The signature that a text tells, as in a `def`. objects: what the names in its defaults stand for."""
    function: Any = ast.parse(f'def function({text}): pass').body[0]
    arguments = function.args

    def default(node: Optional[ast.expr]) -> Any:
        if node is None:
            return Parameter.empty
        return objects[node.id] if isinstance(node, ast.Name) else ast.literal_eval(node)

    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + arguments.defaults
    parameters: List[Parameter] = [
        Parameter(argument.arg, Parameter.POSITIONAL_OR_KEYWORD, default=default(node))
        for argument, node in zip(arguments.args, defaults)
    ]
    for argument, kind in ((arguments.vararg, Parameter.VAR_POSITIONAL), (arguments.kwarg, Parameter.VAR_KEYWORD)):
        parameters += [Parameter(argument.arg, kind)] if argument else []
    return Signature(parameters)


def taking(text: str, **objects: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a function these arguments. It gets them as attributes of its last argument, a method after `self`."""
    signature = signature_of(text, **objects)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f'{call.__name__}(): {error}') from None
            bound.apply_defaults()
            given = SimpleNamespace(**bound.arguments)
            return function(vars(given).pop('self'), given) if text.startswith('self') else function(given)

        call.__dict__['__signature__'] = signature
        return call

    return decorate
