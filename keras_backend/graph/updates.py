"""The updates of one function: what it was given, and several of one variable made into one."""

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Dict, List, Sequence

from ..contract.kinds import shown
from ..errors import ArgumentTypeError
from .tensor import Update

if TYPE_CHECKING:
    from .library import GraphLibrary


def listed(engine: 'GraphLibrary', given: Sequence[Any]) -> List[Update]:
    """The updates that `K.function` was given, each of them once."""
    updates, seen = [], set()
    for update in given:
        if not isinstance(update, Update):
            try:
                variable, new = update
            except (TypeError, ValueError):
                raise ArgumentTypeError(
                    f'updates has to hold pairs (variable, new value) or results of K.update, got {shown(update)}.'
                ) from None
            update = engine.front.update(variable, new)
        engine.at_the_top(update)
        if update.id not in seen:
            seen.add(update.id)
            updates.append(update)
    return updates


def composed(engine: 'GraphLibrary', updates: Sequence[Update]) -> List[Update]:
    """One update for each variable: increments add up in their order, an assignment replaces what came before it."""
    by_variable: Dict[int, Update] = OrderedDict()
    for update in updates:
        variable = update.variable
        before = by_variable.get(variable.id)
        if before is not None and update.onto is not None:
            update = engine.front.update(variable, update.onto(before.new))
        by_variable[variable.id] = update
    return list(by_variable.values())
