"""Updates of the original on TensorFlow 1: all values are read before the first variable changes.

Without it, Adam of Keras 2 reads the count of its steps and raises it in no order, so that the original differs from
itself.
"""


def patch(witness, k):
    """Patch K.update and its like, and K.function."""
    import tensorflow

    pairs, original = {}, k.function

    def remembered(name, new_value):
        make = getattr(k, name)

        def update(x, *args, **kwargs):
            operation = make(x, *args, **kwargs)
            value = new_value(x, *args, **kwargs)
            # The operation stays referenced, so that no other gets its id.
            pairs[id(operation)] = (operation, x, value)
            return operation

        setattr(k, name, update)

    remembered('update', lambda x, new_x: new_x)
    remembered('update_add', lambda x, increment: x + increment)
    remembered('update_sub', lambda x, decrement: x - decrement)
    # The average has a gradient of its own kind in TensorFlow: this is its documented value.
    if 'moving_average_update' in vars(k):
        remembered('moving_average_update', lambda x, value, momentum: x * momentum + value * (1.0 - momentum))

    def _pair(given):
        return given if isinstance(given, tuple) else pairs.get(id(given), (given,))[1:]

    def function(inputs, outputs, updates=None, **kwargs):
        outputs, given = list(outputs), list(updates or [])
        done = _before(outputs)
        found = [() if _operation(each) in done else _pair(each) for each in given]
        if any(found):
            witness.record.note('the original read all values of a step before it changed one')
            values = [pair[1] for pair in found if pair]
            with tensorflow.control_dependencies(outputs + values):
                changed = [tensorflow.compat.v1.assign(x, value) for x, value in (pair for pair in found if pair)]
            given = changed + [each for each, pair in zip(given, found) if not pair]
        return original(inputs, outputs, updates=given, **kwargs)

    k.function = function


def _operation(given):
    """The operation of a tensor, of an assigned variable or of an update."""
    return None if isinstance(given, tuple) else getattr(given, 'op', given)


def _before(outputs):
    """The operations that run before the outputs. The updates of a metric are among them: its result needs them."""
    seen, todo = set(), [_operation(each) for each in outputs]
    while todo:
        operation = todo.pop()
        if operation not in seen:
            seen.add(operation)
            todo += [each.op for each in operation.inputs] + list(operation.control_inputs)
    return seen
