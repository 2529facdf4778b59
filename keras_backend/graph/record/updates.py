"""Several updates of one variable, made into one."""

from collections import OrderedDict
from typing import Any, Dict, List, Sequence

from ..nodes.tensor import Update


def composed(front: Any, updates: Sequence[Update]) -> List[Update]:
    """One update for each variable: increments add up in their order, an assignment replaces what came before it.

    front: the `front.Front` of the graph.
    """
    by_variable: Dict[int, Update] = OrderedDict()
    for update in updates:
        variable = update.variable
        before = by_variable.get(variable.id)
        if before is not None and update.onto is not None:
            update = front.update(variable, update.onto(before.new))
        by_variable[variable.id] = update
    return list(by_variable.values())
