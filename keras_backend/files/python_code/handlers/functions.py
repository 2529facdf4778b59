"""Calls and the making of functions."""

from ..instructions import Step
from ..limits import NotAllowed, in_words
from ..machine import Frame, Function
from ..marshal_data import Code
from ..operations import Call
from ..translation import MakeFunction
from ..values import NULL, elements
from .containers import merge
from .table import of


@of('keywords')
def _keywords(frame: Frame, step: Step) -> None:
    frame.keywords = step.operation.value


@of('call')
def _call(frame: Frame, step: Step) -> None:
    shape: Call = step.operation.value
    stars = frame.pop() if shape.stars else {}
    star = frame.pop() if shape.star and not shape.star_first else ()
    names = frame.pop() if shape.names else frame.keywords
    frame.keywords = ()
    pairs = frame.take(2 * shape.pairs)
    star = frame.pop() if shape.star_first and shape.star else star
    args = frame.take(shape.args)
    function = frame.pop()
    if shape.two:
        first = frame.pop()
        if function is NULL:
            function = first
        elif first is not NULL:
            function, args = first, [function, *args]
    if type(names) is not tuple or len(names) > len(args):
        raise NotAllowed('it names arguments that it does not give')
    start = len(args) - len(names)
    named = [*zip(names, args[start:]), *zip(pairs[::2], pairs[1::2]), *merge(frame, None, stars).items()]
    if not all([type(name) is str for name, value in named]):
        raise NotAllowed('it names an argument by something else than a string')
    kwargs = dict(named)
    frame.push(frame.call(function, [*args[:start], *elements(star, frame.budget)], kwargs))


@of('function')
def _function(frame: Frame, step: Step) -> None:
    shape: MakeFunction = step.operation.value
    taken = frame.take(shape.takes)
    if shape.has_name:
        taken.pop()
    code = taken.pop()
    if not isinstance(code, Code):
        raise NotAllowed(f'it makes a function of {in_words(code)}')
    closure = taken.pop() if shape.closure else ()
    if shape.flags & 4 or shape.annotations:
        del taken[len(taken) - (1 if shape.flags & 4 else shape.annotations + 1) :]
    keywords = merge(frame, None, taken.pop()) if shape.flags & 2 else {}
    defaults = elements(taken.pop(), frame.budget) if shape.flags & 1 else taken[: shape.defaults]
    pairs = taken[shape.defaults :] if shape.pairs else []
    frame.budget.make_keys([*keywords, *pairs[::2]])
    keywords.update(zip(pairs[::2], pairs[1::2]))
    frame.push(Function(frame.world, code, tuple(defaults), keywords, closure))


@of('set of function')
def _set_of_function(frame: Frame, step: Step) -> None:
    value, function = frame.take(2)
    if not isinstance(function, Function):
        raise NotAllowed(f'it makes a function of {in_words(function)}')
    bit = step.operation.value
    frame.budget.step(len(function.keywords))
    defaults = tuple(elements(value, frame.budget)) if bit == 1 else function.defaults
    keywords = merge(frame, None, value) if bit == 2 else function.keywords
    frame.push(Function(function.world, function.code, defaults, keywords, value if bit == 8 else function.closure))
