"""What the operators of K tensors mean: the front says it."""

from typing import Any, Callable

from ._graph import engine
from ._variables import OPERATORS


def _binary(name: str, swapped: bool = False) -> Callable[[Any, Any], Any]:
    if swapped:
        return lambda x, y: engine.front.binary(name, y, x)
    return lambda x, y: engine.front.binary(name, x, y)


def _negative(x: Any) -> Any:
    front = engine.front
    x = front.operand(x)
    return front.F.neg(front.converted(x, 'int32') if x.dtype == 'bool' else x)


def _indexed(x: Any, item: Any) -> Any:
    return engine.front.library.getitem(engine.front.operand(x), item)


OPERATORS.update(
    __abs__=lambda x: engine.front.abs(x),
    __neg__=_negative,
    __getitem__=_indexed,
    __lt__=_binary('less'),
    __le__=_binary('less_equal'),
    __gt__=_binary('greater'),
    __ge__=_binary('greater_equal'),
)
for _python, _name in (
    ('add', 'add'),
    ('sub', 'sub'),
    ('mul', 'mul'),
    ('truediv', 'div'),
    ('floordiv', 'floordiv'),
    ('mod', 'mod'),
    ('pow', 'pow'),
):
    OPERATORS[f'__{_python}__'], OPERATORS[f'__r{_python}__'] = _binary(_name), _binary(_name, swapped=True)
