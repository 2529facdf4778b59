"""Lists of tensors in graphs: TensorList of TensorFlow 2, and TensorArray, that loops of recurrent layers write.

A list goes from operation to operation as a value. Of a TensorArray it is the `flow`. Places are known numbers.

Source: the documentation of tf.raw_ops of TensorFlow 2.
"""

from typing import Any, Dict, List

import numpy as np

from .steps import Elements, Operation, Step, is_known


def _list(step: Step, value: Any) -> List[Any]:
    if not isinstance(value, Elements):
        raise step.error('gets something that is no list of tensors')
    return list(value.entries)


def _empty(step: Step, count: int) -> Elements:
    step.budget.spend('entries', max(count, 0))
    return Elements([None] * count)


def _reserve(step: Step, inputs: List[Any]) -> Any:
    return _empty(step, max(step.number(inputs[1], 'the number of elements'), 0))


def _array(step: Step, inputs: List[Any]) -> Any:
    """The handle of a TensorArray, which is nothing here, and its list."""
    flow = _empty(step, step.number(inputs[0], 'the number of elements'))
    return [np.array(0.0, 'float32'), flow]


def _set(step: Step, entries: List[Any], index: Any, value: Any, grows: bool) -> Elements:
    place = step.number(index, 'an index')
    if place < 0 or (place >= len(entries) and not grows):
        raise step.error(f'sets the element {place} of a list of {len(entries)}')
    if place >= len(entries):
        step.budget.spend('entries', place)
        entries += [None] * (place + 1 - len(entries))
    entries[place] = value
    return Elements(entries)


def _get(step: Step, entries: List[Any], index: Any, shape: Any = None) -> Any:
    place = step.number(index, 'an index')
    if not 0 <= place < len(entries):
        raise step.error(f'takes the element {place} of a list of {len(entries)}')
    value = entries[place]
    if value is None:
        if shape is None or not is_known(shape) or (np.asarray(shape) < 0).any():
            raise step.error(f'takes the element {place} of a list, which nobody has set')
        step.spend(shape.tolist())
        return np.zeros([int(size) for size in shape.ravel()], step.node.dtype('element_dtype'))
    return value


def _stack(step: Step, values: List[Any]) -> Any:
    if not values or any([value is None for value in values]):
        raise step.error('stacks a list with elements that nobody has set')
    if all([is_known(value) for value in values]):
        return np.stack(values)
    return step.K.stack([step.tensor(value) for value in values], 0)


def _rows(step: Step, value: Any) -> List[Any]:
    size = step.static(value)[0]
    if size is None:
        raise step.unknown('a size')
    step.budget.spend('entries', size)
    return [value[i] for i in range(size)]


def _joined(step: Step, values: List[Any]) -> Any:
    if not values or any([value is None for value in values]):
        raise step.error('joins a list with elements that nobody has set')
    return step.K.concatenate([step.tensor(value) for value in values], 0)


def _scatter(step: Step, inputs: List[Any]) -> Any:
    _handle, indices, value, flow = inputs
    entries = _list(step, flow)
    for index, row in zip(step.numbers(indices, 'indices'), _rows(step, value)):
        entries = _set(step, entries, np.array(index), row, True).entries
    return Elements(entries)


def _gather(step: Step, inputs: List[Any]) -> Any:
    _handle, indices, flow = inputs
    entries = _list(step, flow)
    return _stack(step, [_get(step, entries, np.array(index)) for index in step.numbers(indices, 'indices')])


def _push(step: Step, inputs: List[Any]) -> Any:
    return Elements([*_list(step, inputs[0]), inputs[1]])


LISTS: Dict[str, Operation] = {
    'TensorListReserve': _reserve,
    'EmptyTensorList': lambda step, inputs: Elements([]),
    'TensorListFromTensor': lambda step, inputs: Elements(_rows(step, inputs[0])),
    'TensorListSetItem': lambda step, inputs: _set(step, _list(step, inputs[0]), inputs[1], inputs[2], True),
    'TensorListGetItem': lambda step, inputs: _get(step, _list(step, inputs[0]), inputs[1], inputs[2]),
    'TensorListStack': lambda step, inputs: _stack(step, _list(step, inputs[0])),
    'TensorListLength': lambda step, inputs: np.array(len(_list(step, inputs[0])), 'int32'),
    'TensorListPushBack': _push,
    'TensorArrayV3': _array,
    'TensorArrayScatterV3': _scatter,
    'TensorArrayGatherV3': _gather,
    'TensorArrayConcatV3': lambda step, inputs: _joined(step, _list(step, inputs[1])),
    'TensorArrayReadV3': lambda step, inputs: _get(step, _list(step, inputs[2]), inputs[1]),
    'TensorArrayWriteV3': lambda step, inputs: _set(step, _list(step, inputs[3]), inputs[1], inputs[2], True),
    'TensorArraySizeV3': lambda step, inputs: np.array(len(_list(step, inputs[1])), 'int32'),
}
