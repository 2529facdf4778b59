"""Updates of variables, and what a function needs to know of the graph it runs."""
from ...errors import FeedError, ShapeError
from ...shapes import known
from ._checks import OfShape
from ._convert import cast, operand
from ._graph import check, describe, engine
from ._library import Constant, SharedVariable, SparseType, T
from ._static import dims_of, visible


def require_variable(x, what):
    """`x` if it is a variable."""
    if not isinstance(x, SharedVariable):
        raise TypeError('%s takes a variable, got %r.' % (what, x))
    return check(x)


def new_value(variable, value):
    """`value` as a tensor of the type of `variable`."""
    if isinstance(variable.type, SparseType):
        raise TypeError('%s is sparse and cannot be updated; K.set_value sets dense variables.' % describe(variable))
    value = cast(operand(value, variable.dtype), variable.dtype)
    wanted, found = dims_of(variable), dims_of(value)
    if len(wanted) != len(found) or any([known(m) and known(n) and m != n for m, n in zip(wanted, found)]):
        raise ShapeError('%s of shape %s cannot be updated with %s of shape %s.'
                         % (describe(variable), visible(wanted), describe(value), visible(found)))
    if all(map(known, wanted)) and not all(map(known, found)):
        value = OfShape(visible(wanted), describe(variable))(value)
    return T.patternbroadcast(value, variable.type.broadcastable)


def collect(given, outputs, inputs, what):
    """What a function assigns, as pairs (variable, new value), and what it puts in the place of the learning phase.

    Among the updates are those that outputs ask for, by holding one or by having been made beside it.
    """
    pairs = [_pair(update) for update in given]
    fed = set(map(id, inputs))
    seen, asked, givens = set(fed), [], []
    todo = list(outputs) + [new for _variable, new in pairs]
    while todo:
        x = todo.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        state = check(x).__dict__
        if '_keras_update' in state:
            asked.append(state['_keras_update'])
            todo.append(asked[-1][1])
        for update in state.get('_keras_updates', ()):
            asked.append(update._keras_update)
            todo.append(asked[-1][1])
        if x.owner is not None:
            todo.extend(x.owner.inputs)
        elif x is engine.session.learning_phase:
            givens.append((x, x._keras_default))
        elif not isinstance(x, (Constant, SharedVariable)):
            raise FeedError('%s depends on the placeholder %s, which is not among the inputs; list it there.'
                            % (what, describe(x)))
    once = []
    for variable, new in pairs:
        if any([variable is other for other, _new in once]):
            _twice(variable)
        once.append((variable, new))
    for variable, new in asked:
        there = [n for other, n in once if other is variable]
        if there and there[0] is not new:
            _twice(variable)
        if not there:
            once.append((variable, new))
    return once, givens


def _twice(variable):
    raise ValueError('%s is updated twice in one K.function; combine the two updates into one.' % describe(variable))


def _pair(update):
    if hasattr(update, '_keras_update'):
        check(update)
        return update._keras_update
    try:
        variable, new = update
    except (TypeError, ValueError):
        raise TypeError('An update of K.function is a pair (variable, new value) or the result of K.update, got %r.'
                        % (update,)) from None
    return require_variable(variable, 'An update of K.function'), new_value(variable, new)
