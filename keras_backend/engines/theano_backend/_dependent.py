"""What is built in a block of K.control_dependencies: it reads variables as the updates of the block leave them."""
from ._library import Variable


def after(x, updates):
    """`x`, just made by Theano, with the new values in the place of the variables that `updates` change.

    What was made before the block reads what it read: it is a tensor of K already.
    """
    new = {}
    for update in updates:
        variable, value = update._keras_update
        new[variable] = value
    made = _rebuilt(x, new, {})
    if made is not x:
        made.name = x.name
    return made


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
