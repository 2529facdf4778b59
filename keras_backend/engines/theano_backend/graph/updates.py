"""Updates of variables, the parts of the graph that a function needs to know, and blocks of K.control_dependencies."""

import itertools
from collections import OrderedDict
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from ....basics.calls import pair
from ....basics.shapes import known
from ....errors import ArgumentTypeError, FeedError, KerasBackendError, ScopeError
from ..vendor import Apply, Constant, Op, SharedVariable, SparseType, T, Variable
from . import check, describe, engine
from .static import dims_of

Tensor = Any
_NUMBERS = itertools.count()


class HandedOn(Op):
    """The input itself, once `look`, a function of its value, has run."""

    __props__ = ('look',)
    _f16_ok = silent = True
    view_map = {0: [0]}

    def __init__(self, look: Callable[[Any], None]) -> None:
        self.look = look

    def make_node(self, x: Tensor) -> Any:
        return Apply(self, [x], [x.type()])

    def infer_shape(self, node: Any, shapes: Sequence[Any]) -> List[Any]:
        return [shapes[0]]

    def perform(self, node: Any, inputs: Sequence[Any], outputs: Sequence[List[Any]]) -> None:
        self.look(inputs[0])
        outputs[0][0] = inputs[0]

    def L_op(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], gradients: Sequence[Tensor]) -> List[Tensor]:
        return list(gradients)

    def do_constant_folding(self, node: Any) -> bool:
        # It is done in the run that needs it.
        return False


def _held_to(shape: Tuple[int, ...], name: str, value: Any) -> None:
    """Refuse a wrong shape of the new value of a variable, before anything is assigned."""
    if value.shape != shape:
        raise ValueError(f'{name} of shape {shape} cannot be updated with a value of shape {value.shape}.')


class Update:
    """An update of a variable, as K.update and its kin make it. `deps` are the updates that go before it.

    onto: of an increment, the function that applies it to another value of the variable; of an assignment None.
    """

    onto: Optional[Callable[[Tensor], Tensor]] = None

    def __init__(self, variable: Tensor, new: Tensor) -> None:
        self.variable, self.new, self.deps, self.number = variable, new, engine.session.deps, next(_NUMBERS)

    def after(self, before: Optional[Tensor]) -> Tensor:
        """The value of the variable after this, `before` being what others have made of it (None: nothing)."""
        if before is None or self.onto is None:
            return self.new
        return _new_value(self.variable, engine.front.converted(self.onto(before), self.variable.dtype))


def _new_value(variable: Tensor, value: Tensor) -> Tensor:
    """`value` as a tensor of the type of `variable`, which the run is held to where its shape is not known."""
    dims = dims_of(variable)
    if all(map(known, dims)) and not all(map(known, dims_of(value))):
        value = HandedOn(partial(_held_to, tuple(dims), describe(variable)))(value)
    return T.patternbroadcast(value, variable.type.broadcastable)


def updating(x: Tensor, new: Tensor) -> Tensor:
    """The new value of the variable `x`, as a tensor that asks for its update; see `Update`."""
    if isinstance(x.type, SparseType):
        raise ArgumentTypeError(f'{describe(x)} is sparse; only dense variables can be updated.')
    new, deps = _new_value(x, new), engine.session.deps
    if deps:
        new = latest(new, deps) if isinstance(new, SharedVariable) else after(new, deps)
    tensor = T.tensor_copy(new)
    tensor._keras_update = Update(x, new)
    # It reads what it should already; made anew for the block it would not be this update any more.
    tensor._keras_session = engine.session
    if deps:
        tensor._keras_updates = deps
    return tensor


def collect(
    given: Sequence[Any], outputs: Sequence[Tensor], inputs: Sequence[Tensor], what: str
) -> Tuple[List[Tuple[Tensor, Tensor]], List[Tuple[Tensor, Tensor]], Set[int]]:
    """The variables that a function assigns and the inputs that it reads.

    Three things: pairs (variable, new value), the pairs that put a value in the place of the learning phase, and the
    inputs that anything depends on, as a set of their ids.
    Among the updates are those that outputs ask for, by holding one or by having been made beside it. These come first.
    Of one variable increments add up in their order, and an assignment replaces what came before it.
    """
    listed = list(OrderedDict.fromkeys(map(_update, given)))
    fed, seen = set(map(id, inputs)), set()
    asked: Dict[Update, None] = OrderedDict()
    givens: List[Tuple[Tensor, Tensor]] = []
    todo, needed = list(outputs), list(reversed(listed))
    while todo or needed:
        if needed:
            update = needed.pop()
            if update not in asked:
                asked[update] = None
                todo.append(update.new)
                needed.extend([other._keras_update for other in update.deps])
            continue
        x = todo.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if id(x) in fed:
            continue
        state = check(x).__dict__
        if '_keras_update' in state:
            needed.append(state['_keras_update'])
        needed.extend([update._keras_update for update in state.get('_keras_updates', ())])
        if x.owner is not None:
            todo.extend(x.owner.inputs)
        elif x is engine.session.learning_phase:
            givens.append((x, x._keras_default))
        elif not isinstance(x, (Constant, SharedVariable)):
            raise missing(what, x)
    as_given = set(listed)
    first = sorted([update for update in asked if update not in as_given], key=lambda update: update.number)
    values: Dict[Tensor, Tensor] = OrderedDict()
    for update in first + listed:
        values[update.variable] = update.after(values.get(update.variable))
    return list(values.items()), givens, fed & seen


def missing(what: str, x: Tensor) -> KerasBackendError:
    """The error for a placeholder that is not among the inputs, or for what only a step function has."""
    step = x.__dict__.get('_keras_step')
    if step is not None:
        return ScopeError(
            f'{what} depends on {describe(x)}, which belongs to the inside of {step} and has no value outside; return '
            'from there what is needed.'
        )
    return FeedError(f'{what} depends on the placeholder {describe(x)}, which is not among the inputs; list it there.')


def _update(given: Any) -> Update:
    if not hasattr(given, '_keras_update'):
        given = engine.front.update(*pair(given))
    result: Update = check(given)._keras_update
    return result


# -- blocks of K.control_dependencies ----------------------------------------------------------------------------------
def after(x: Tensor, updates: Sequence[Tensor]) -> Tensor:
    """`x`, just made by Theano, with the new values in the place of the variables that `updates` change.

    A tensor that was made before the block keeps its inputs: it is a tensor of K already.
    """
    rebuilt = _rebuilt(x, {u._keras_update.variable: latest(u._keras_update.variable, updates) for u in updates}, {})
    if rebuilt is not x:
        rebuilt.name = x.name
        if '_keras_dims' in x.__dict__:
            rebuilt._keras_dims = x._keras_dims
    return rebuilt


def latest(x: Tensor, updates: Sequence[Tensor]) -> Tensor:
    """The value of the variable `x` as `updates` leave it: itself, if they do not change it."""
    new = None
    # An increment is applied to what is there already, as outside of the block.
    with engine.session.independent():
        for update in updates:
            if update._keras_update.variable is x:
                new = update._keras_update.after(new)
    return x if new is None else new


def _rebuilt(x: Tensor, new: Dict[Tensor, Tensor], done: Dict[Any, Any]) -> Tensor:
    if x in new:
        return new[x]
    if x.owner is None or '_keras_session' in x.__dict__:
        return x
    node = x.owner
    if node not in done:
        inputs = [_rebuilt(i, new, done) if isinstance(i, Variable) else i for i in node.inputs]
        changed = any([a is not b for a, b in zip(inputs, node.inputs)])
        done[node] = node.clone_with_new_inputs(inputs) if changed else node
    return done[node].outputs[x.index]
