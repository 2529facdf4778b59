"""What is built in a block of K.control_dependencies: it reads variables as the updates of the block leave them."""

from ._graph import engine
from ._library import Variable


def after(x, updates):
    """`x`, just made by Theano, with the new values in the place of the variables that `updates` change.

    What was made before the block reads what it read: it is a tensor of K already.
    """
    new = {u._keras_update.variable: latest(u._keras_update.variable, updates) for u in updates}
    made = _rebuilt(x, new, {})
    if made is not x:
        made.name = x.name
    return made


def latest(x, updates):
    """The value of the variable `x` as `updates` leave it: itself, if they do not change it."""
    new = None
    # An increment is applied to what is there already, as outside of the block.
    with engine.session.independent():
        for update in updates:
            if update._keras_update.variable is x:
                new = update._keras_update.after(new)
    return x if new is None else new


def _rebuilt(x, new, done):
    if x in new:
        return new[x]
    if x.owner is None or '_keras_session' in x.__dict__:
        return x
    node = x.owner
    if node not in done:
        inputs = [_rebuilt(i, new, done) if isinstance(i, Variable) else i for i in node.inputs]
        changed = any(a is not b for a, b in zip(inputs, node.inputs))
        done[node] = node.clone_with_new_inputs(inputs) if changed else node
    return done[node].outputs[x.index]
