"""The table of the primitives: each with the rule of the K graph for its arguments and sizes."""

import functools
from typing import Any, Callable, Dict

from ....graph.ops import OPS
from ....graph.ops import Op as Rule
from ..graph import check, engine
from ..graph.sizes import items
from ..graph.static import Outline, set_dims, sizes_in
from ..graph.tensors import dense, is_tensor
from ..graph.unranked import building
from . import elementwise, kernel, linalg, random, reduction, shape


def primitives() -> Dict[str, Callable[..., Any]]:
    """All of them by name."""
    made = {
        name: function
        for topic in (elementwise, reduction, shape, linalg, random)
        for name, function in vars(topic).items()
        if not name.startswith('_') and getattr(function, '__module__', None) == topic.__name__
    }
    made.update(elementwise.UNARY, **elementwise.BINARY, **kernel.FUNCTIONS)
    return {name: of_k(function) for name, function in made.items()}


def of_k(function: Callable[..., Any]) -> Callable[..., Any]:
    """A primitive whose results are tensors of K; the rule of the K graph checks its arguments and says its sizes."""
    rule = OPS.get(function.__name__)
    # Draws, ranges and results of kernels say their sizes themselves.
    if rule is None or not rule.pure or rule.name in ('arange', 'slice_axis', 'getitem', *kernel.PRIMITIVES):
        return building(function)
    return building(_ruled(function, rule))


def _ruled(function: Callable[..., Any], rule: Rule) -> Callable[..., Any]:
    places = [i for i, name in enumerate(rule.parameters) if name in rule.sizes]

    @functools.wraps(function)
    def make(*args: Any, **attributes: Any) -> Any:
        given = list(args)
        for i, a in enumerate(args):
            if i in places:
                args = (*args[:i], items(a), *args[i + 1 :])
                given[i] = sizes_in(args[i])
            elif is_tensor(a):
                given[i] = Outline(check(a) if rule.sparse else dense(a))
        dims, _dtype = rule.infer(*given, **attributes)
        made = function(*args, **attributes)
        if '_keras_dims' not in made.__dict__:
            set_dims(made, dims)
        if made.name is None:
            made.name = engine.session.name(None, rule.name)
        return made

    return make
