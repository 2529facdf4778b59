"""Updates of variables, and what a function needs to know of the graph it runs."""

import itertools
from collections import OrderedDict

from ...contract.kinds import shown
from ...errors import ArgumentTypeError, FeedError, ShapeError
from ...shapes import known
from ._checks import OfShape
from ._dependent import after, latest
from ._graph import check, describe, engine
from ._library import Constant, SharedVariable, SparseType, T
from ._static import dims_of, visible

_NUMBERS = itertools.count()


def new_value(variable, value):
    """`value` as a tensor of the type of `variable`."""
    if isinstance(variable.type, SparseType):
        raise ArgumentTypeError(f'{describe(variable)} is sparse; only dense variables can be updated.')
    front = engine.front
    value = front.converted(front.operand(value, variable.dtype), variable.dtype)
    wanted, found = dims_of(variable), dims_of(value)
    if len(wanted) != len(found) or any([known(m) and known(n) and m != n for m, n in zip(wanted, found)]):
        raise ShapeError(
            f'{describe(variable)} of shape {visible(wanted)} cannot be updated with {describe(value)} of shape '
            f'{visible(found)}.'
        )
    if all(map(known, wanted)) and not all(map(known, found)):
        value = OfShape(visible(wanted), describe(variable))(value)
    return T.patternbroadcast(value, variable.type.broadcastable)


class Update:
    """What K.update and its kin say of a variable. `deps` are the updates that go before it.

    onto: of an increment, the function that applies it to another value of the variable; of an assignment None.
    """

    def __init__(self, variable, new, onto=None):
        self.variable, self.new, self.onto, self.deps = variable, new, onto, engine.session.deps
        self.number = next(_NUMBERS)

    def after(self, before):
        """The value of the variable after this, `before` being what others have made of it (None: nothing)."""
        if before is None or self.onto is None:
            return self.new
        return new_value(self.variable, self.onto(before))


def updating(x, new, onto=None):
    """The new value of the variable `x`, as a tensor that asks for its update; see `Update`."""
    new, deps = new_value(x, new), engine.session.deps
    if deps:
        new = latest(new, deps) if isinstance(new, SharedVariable) else after(new, deps)
    made = T.tensor_copy(new)
    made._keras_update = Update(x, new, onto)
    # It reads what it should already; made anew for the block it would not be this update any more.
    made._keras_session = engine.session
    if deps:
        made._keras_updates = deps
    return made


def collect(given, outputs, inputs, what):
    """What a function assigns and reads.

    Three things: pairs (variable, new value), what is put in the place of the learning phase, and the inputs that
    anything depends on, as a set of their ids.
    Among the updates are those that outputs ask for, by holding one or by having been made beside it. These come first.
    Of one variable increments add up in their order, and an assignment replaces what came before it.
    """
    listed = list(OrderedDict.fromkeys(map(_update, given)))
    fed, seen, asked, givens = set(map(id, inputs)), set(), [], []
    todo = list(outputs)

    def need(update):
        if update not in asked:
            asked.append(update)
            todo.append(update.new)
            for other in update.deps:
                need(other._keras_update)

    for update in listed:
        need(update)
    while todo:
        x = todo.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if id(x) in fed:
            continue
        state = check(x).__dict__
        if '_keras_update' in state:
            need(state['_keras_update'])
        for update in state.get('_keras_updates', ()):
            need(update._keras_update)
        if x.owner is not None:
            todo.extend(x.owner.inputs)
        elif x is engine.session.learning_phase:
            givens.append((x, x._keras_default))
        elif not isinstance(x, (Constant, SharedVariable)):
            raise FeedError(
                f'{what} depends on the placeholder {describe(x)}, which is not among the inputs; list it there.'
            )
    first = sorted([update for update in asked if update not in listed], key=lambda update: update.number)
    values = OrderedDict()
    for update in first + listed:
        values[update.variable] = update.after(values.get(update.variable))
    return list(values.items()), givens, fed & seen


def _update(given):
    if hasattr(given, '_keras_update'):
        return check(given)._keras_update
    try:
        variable, new = given
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f'updates has to hold pairs (variable, new value) or results of K.update, got {shown(given)}.'
        ) from None
    if not isinstance(variable, SharedVariable):
        raise ArgumentTypeError(f'updates has to hold updates of variables, got one of {shown(variable)}.')
    return Update(check(variable), new_value(variable, new))
