"""The patches of Keras 1 and 2, and of programs in K alone."""

import functools
import sys

from . import record
from .draws import Offset, patch_graph_draws

# -- updates on TensorFlow 1 -------------------------------------------------------------------------------------------
# Updates of the original on TensorFlow 1: all values are read before the first variable changes.
#
# Without it, Adam of Keras 2 reads the count of its steps and raises it in no order, so that the original differs from
# itself.


def patch_updates(witness, k):
    """Patch K.update and its like, and K.function."""
    import tensorflow

    v1 = tensorflow.compat.v1
    changes, original = {}, k.function

    def remembered(name, assign, new_value):
        make = getattr(k, name)

        def update(x, *args, **kwargs):
            operation = make(x, *args, **kwargs)
            value = new_value(x, *args, **kwargs)
            # The operation stays referenced, so that no other gets its id.
            changes[id(operation)] = (operation, (assign, x, value))
            return operation

        setattr(k, name, update)

    # A layer that is called twice adds to a variable twice. So an increment stays an increment.
    remembered('update', v1.assign, lambda x, new_x: new_x)
    remembered('update_add', v1.assign_add, lambda x, increment: increment)
    remembered('update_sub', v1.assign_sub, lambda x, decrement: decrement)
    # Keras 2.1 and 2.2 leave out the first value of the average: TensorFlow keeps a sum and a count of its own for it.
    version = tuple(int(part) for part in sys.modules['keras'].__version__.split('.')[:2])
    if 'moving_average_update' in vars(k) and not (2, 1) <= version < (2, 3):
        remembered('moving_average_update', v1.assign_add, lambda x, value, momentum: (value - x) * (1.0 - momentum))

    def change(given):
        if isinstance(given, tuple):
            return (v1.assign,) + given
        return changes.get(id(given), (given, None))[1]

    def function(inputs, outputs, updates=None, **kwargs):
        # An operation that is named twice runs once.
        outputs, operations = list(outputs), _each_once(updates or [])
        done = _before(outputs)
        assignments = [None if _operation(update) in done else change(update) for update in operations]
        asked = [assignment for assignment in assignments if assignment]
        if asked:
            witness.record.note('the original read all values of a step before it changed one')
            # A variable of the older kind gives its memory, which changes; a number added to it is a copy.
            asked = [(assign, x, _copy(tensorflow, value, x)) for assign, x, value in asked]
            with tensorflow.control_dependencies(outputs + [value for _, _, value in asked]):
                changed = [assign(x, value) for assign, x, value in asked]
            operations = changed + [update for update, assignment in zip(operations, assignments) if not assignment]
        return original(inputs, outputs, updates=operations, **kwargs)

    k.function = function


def _each_once(given):
    seen = set()
    return [update for update in given if isinstance(update, tuple) or not (id(update) in seen or seen.add(id(update)))]


def _copy(tensorflow, value, variable):
    value = tensorflow.convert_to_tensor(value, dtype=variable.dtype.base_dtype)
    if value.dtype.is_floating or value.dtype.is_integer:
        return value + tensorflow.zeros((), value.dtype)
    return tensorflow.identity(value)


def _operation(given):
    """The operation of a tensor, of an assigned variable or of an update."""
    return None if isinstance(given, tuple) else getattr(given, 'op', given)


def _before(outputs):
    """The operations that run before the outputs. The updates of a metric are among them: its result needs them."""
    seen, todo = set(), [_operation(tensor) for tensor in outputs]
    while todo:
        operation = todo.pop()
        if operation not in seen:
            seen.add(operation)
            todo += [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)
    return seen


_done = []


def patch(witness):
    """Patch Keras once it is imported."""
    keras, k = record.complete('keras'), record.complete('keras.backend')
    if _done or keras is None or k is None or record.complete('keras.models') is None:
        return
    _done.append('keras')
    initializers = sys.modules.get('keras.initializers')
    if initializers is not None:
        constant = k.constant
        witness.initializers.patch(initializers, lambda value, dtype: constant(value, dtype=dtype or k.floatx()))
    for cls in keras.models.Model, keras.models.Sequential:
        witness.models.patch_compile(cls)
    patch_k(witness, k)


def patch_plain(witness):
    """Patch `keras_backend` once it is imported. The original has none, and Keras takes its place."""
    if _done:
        return
    if witness.settings['original']:
        if record.complete('keras') is None:
            _done.append('importing')
            import keras.backend

            _done.pop()
            sys.modules['keras_backend'] = keras.backend
    name = 'keras.backend' if witness.settings['original'] else 'keras_backend'
    k = record.complete(name)
    if k is not None and 'function' in vars(k):
        _done.append(name)
        patch_k(witness, k)
        witness.variables.patch(k)


def patch_k(witness, k):
    """Patch the functions of a module of K."""
    witness.initializers.patch_variables(k)
    offset = Offset(vars(k))
    patch_graph_draws(k, witness.draws, witness.record, offset)
    witness.functions.before_calls = offset.next_call
    for name in 'in_train_phase', 'in_test_phase', 'switch':
        if name in vars(k):
            _outside(k, name, offset)
    clear = getattr(k, 'clear_session', None)
    if clear is not None:

        def clear_session(*args, **kwargs):
            offset.forget()
            return clear(*args, **kwargs)

        k.clear_session = clear_session
    if witness.settings['original'] and k.backend() == 'tensorflow':
        patch_updates(witness, k)
    patch_dropout(witness, k)
    witness.functions.patch(k)
    if witness.settings['trace']:
        variable = k.variable(0.0)
        types = tuple(each.__class__ for each in (variable, k.constant(0.0), k.square(variable)))
        witness.trace.patch(k, lambda value: isinstance(value, types))


def _outside(k, name, offset):
    """Make the variable of the offset before a branch of TensorFlow 1, where none can be made."""
    original = getattr(k, name)

    @functools.wraps(original)
    def branch(*args, **kwargs):
        if any(callable(argument) for argument in args[:3] + tuple(kwargs.values())):
            offset.tensor()
        return original(*args, **kwargs)

    setattr(k, name, branch)


def patch_dropout(witness, k):
    """Turn K.dropout off."""

    def dropout(x, level, noise_shape=None, seed=None, **more):
        witness.record.note('dropout was off')
        return x

    k.dropout = dropout
