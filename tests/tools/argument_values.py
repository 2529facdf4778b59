"""Values for the arguments of K: one that works for each, and bad ones of many kinds for all."""

import sys
from typing import Any, Callable, Dict, Iterator, List

import numpy as np

import keras_backend as K
from keras_backend.contract import CONTRACT


class Unknown:
    """An object of a program's own, which stands for no number."""

    def __repr__(self) -> str:
        return '<Unknown>'


def ones(*shape: int, dtype: str = 'float32') -> Any:
    """A constant of this shape."""
    return K.constant(1.0 if dtype.startswith('float') else 1, dtype=dtype, shape=shape)


# A value that works, by 'function.argument', else by argument.
GOOD: Dict[str, Callable[[], Any]] = {
    'x': lambda: ones(2, 3),
    'y': lambda: ones(2, 3),
    'a': lambda: 2.0,
    'alpha': lambda: 0.5,
    'alt': lambda: ones(2, 3),
    'arange.start': lambda: 0,
    'arange.step': lambda: 1,
    'arange.stop': lambda: 5,
    'argmax.axis': lambda: 1,
    'axis': lambda: 1,
    'batch_dot.axes': lambda: 1,
    'batch_normalization.beta': lambda: ones(3),
    'batch_normalization.gamma': lambda: ones(3),
    'beam_width': lambda: 3,
    'beta': lambda: ones(3),
    'bias': lambda: ones(3),
    'cast.dtype': lambda: 'float64',
    'concatenate.tensors': lambda: [ones(2, 3), ones(2, 3)],
    'condition': lambda: K.placeholder(()),
    'constants': lambda: [ones(2, 3)],
    'constant.shape': lambda: (2, 3),
    'constraint': lambda: lambda w: w,
    'control_inputs': lambda: [],
    'conv1d.kernel': lambda: ones(2, 3, 4),
    'conv1d.x': lambda: ones(2, 5, 3),
    'conv2d.kernel': lambda: ones(2, 2, 3, 4),
    'conv2d_transpose.kernel': lambda: ones(2, 2, 4, 3),
    'conv2d_transpose.output_shape': lambda: (2, 6, 6, 4),
    'conv3d.kernel': lambda: ones(2, 2, 2, 3, 4),
    'conv3d_transpose.kernel': lambda: ones(2, 2, 2, 4, 3),
    'conv3d_transpose.output_shape': lambda: (2, 6, 6, 6, 4),
    'ctc_batch_cost.input_length': lambda: ones(2, 1, dtype='int32'),
    'ctc_batch_cost.label_length': lambda: ones(2, 1, dtype='int32'),
    'data_format': lambda: 'channels_last',
    'decrement': lambda: ones(2, 3),
    'depth_factor': lambda: 2,
    'dilation_rate': lambda: 1,
    'dim_ordering': lambda: 'tf',
    'dot.y': lambda: ones(3, 2),
    'dtype': lambda: 'float32',
    'e': lambda: 1e-7,
    'elems': lambda: ones(2, 3),
    'else_expression': lambda: ones(2, 3),
    'epsilon': lambda: 0.001,
    'eval.x': lambda: ones(2, 3),
    'floatx': lambda: 'float32',
    'fn': lambda: lambda *values: values[0],
    'foldl.initializer': lambda: ones(3),
    'foldr.initializer': lambda: ones(3),
    'from_logits': lambda: False,
    'ignore_class': lambda: -1,
    'func': lambda: lambda x: x,
    'function.inputs': lambda: [K.placeholder((2,))],
    'function.updates': lambda: [],
    'gamma': lambda: ones(3),
    'go_backwards': lambda: False,
    'gradients.loss': lambda: VARIABLES[0] * 2.0,
    'gradients.variables': lambda: [VARIABLES[0]],
    'greedy': lambda: False,
    'height_factor': lambda: 2,
    'high': lambda: 1.0,
    'increment': lambda: ones(2, 3),
    'indices': lambda: ones(2, dtype='int32'),
    'initial_states': lambda: [ones(2, 3)],
    'inputs': lambda: ones(2, 5, 3),
    'interpolation': lambda: 'nearest',
    'is_sparse.tensor': lambda: ones(2, 3),
    'k': lambda: 2,
    'keepdims': lambda: True,
    'kernel_size': lambda: 2,
    'label_lengths': lambda: ones(2, dtype='int32'),
    'labels': lambda: ones(2, 3, dtype='int32'),
    'level': lambda: 0.5,
    'local_conv1d.kernel': lambda: ones(4, 6, 2),
    'local_conv2d.inputs': lambda: ones(2, 5, 5, 3),
    'local_conv2d.kernel': lambda: ones(16, 12, 2),
    'local_conv2d.output_shape': lambda: (4, 4),
    'loss': lambda: ones(2, 3),
    'low': lambda: 0.0,
    'mask': lambda: ones(2, 5, dtype='bool'),
    'max_value': lambda: 6.0,
    'maxval': lambda: 1.0,
    'mean': lambda: ones(3),
    'merge_repeated': lambda: False,
    'message': lambda: 'see',
    'min_value': lambda: 0.0,
    'minval': lambda: 0.0,
    'momentum': lambda: 0.9,
    'moving_average_update.value': lambda: ones(2, 3),
    'n': lambda: 2,
    'name': lambda: 'a_name',
    'ndim': lambda: 2,
    'new_x': lambda: ones(2, 3),
    'noise_shape': lambda: (2, 1),
    'normalize_data_format.value': lambda: 'channels_last',
    'num_classes': lambda: 4,
    'ops': lambda: [VARIABLES[0]],
    'output': lambda: ones(2, 3),
    'outputs': lambda: [ones(2)],
    'p': lambda: 0.5,
    'padding': lambda: 'valid',
    'pattern': lambda: (1, 0),
    'pool_mode': lambda: 'max',
    'pool_size': lambda: 2,
    'predictions': lambda: ones(2, 3),
    'prefix': lambda: 'a_prefix',
    'random_normal.mean': lambda: 0.0,
    'random_normal_variable.mean': lambda: 0.0,
    'reduction_axes': lambda: [0],
    'reference': lambda: ones(4, 3),
    'rep': lambda: 2,
    'reshape.shape': lambda: (3, 2),
    'reverse.axes': lambda: 1,
    'rnn.input_length': lambda: 5,
    'scale': lambda: 1.0,
    'seed': lambda: 7,
    'separable_conv1d.depthwise_kernel': lambda: ones(2, 3, 2),
    'separable_conv1d.pointwise_kernel': lambda: ones(1, 6, 4),
    'separable_conv1d.x': lambda: ones(2, 5, 3),
    'separable_conv2d.depthwise_kernel': lambda: ones(2, 2, 3, 2),
    'separable_conv2d.pointwise_kernel': lambda: ones(1, 1, 6, 4),
    'session': K.get_session,
    'set_learning_phase.value': lambda: 0,
    'set_value.value': lambda: np.ones((2, 3)),
    'shape': lambda: (2, 3),
    'size': lambda: 3,
    'slice.size': lambda: (1, 2),
    'slice.start': lambda: (0, 1),
    'sparse': lambda: False,
    'sparse_categorical_crossentropy.target': lambda: ones(2, dtype='int32'),
    'spatial_2d_padding.padding': lambda: ((1, 1), (1, 1)),
    'spatial_3d_padding.padding': lambda: ((1, 1), (1, 1), (1, 1)),
    'squeeze.axis': lambda: 1,
    'squeeze.x': lambda: ones(2, 1),
    'stack.x': lambda: [ones(2, 3), ones(2, 3)],
    'stddev': lambda: 1.0,
    'step_function': lambda: lambda x, states: (x * 2.0, list(states[:1])),
    'strides': lambda: 1,
    'target': lambda: ones(2, 3),
    'targets': lambda: ones(2, dtype='int32'),
    'temporal_padding.padding': lambda: (1, 1),
    'temporal_padding.x': lambda: ones(2, 5, 3),
    'tensor': lambda: ones(2, 3),
    'then_expression': lambda: ones(2, 3),
    'threshold': lambda: 0.0,
    'time_major': lambda: False,
    'top_paths': lambda: 2,
    'training': lambda: 1,
    'truncated_normal.mean': lambda: 0.0,
    'tuples': lambda: [(VARIABLES[0], np.ones((2, 3)))],
    'unroll': lambda: False,
    'updates': lambda: [],
    'value': lambda: np.ones((2, 3)),
    'manual_variable_initialization.value': lambda: False,
    'var': lambda: ones(3),
    'variables': lambda: [ones(2, 3)],
    'width_factor': lambda: 2,
    'y_pred': lambda: K.softmax(ones(2, 5, 4)),
    'y_true': lambda: ones(2, 1, dtype='int32'),
    'zero_output_for_mask': lambda: False,
    'ctc_decode.input_length': lambda: ones(2, dtype='int32') * 5,
}
_IMAGES = (
    'conv2d conv2d_transpose depthwise_conv2d pool2d resize_images separable_conv2d spatial_2d_padding'.split(),
    'conv3d conv3d_transpose pool3d resize_volumes spatial_3d_padding'.split(),
)
GOOD.update((f'{name}.x', lambda: ones(2, 5, 5, 3)) for name in _IMAGES[0])
GOOD.update((f'{name}.x', lambda: ones(2, 5, 5, 5, 3)) for name in _IMAGES[1])
GOOD['depthwise_conv2d.depthwise_kernel'] = GOOD['separable_conv2d.depthwise_kernel']
_UPDATED = 'get_value get_variable_shape moving_average_update set_value update update_add update_sub'.split()
GOOD.update((f'{name}.x', lambda: VARIABLES[0]) for name in _UPDATED)

# The variable whose value has to survive every bad call; made anew after a cleared session.
VARIABLES: List[Any] = []


def good(function: str, argument: str) -> Any:
    """A value with which this argument works, beside the good values of the other ones."""
    make = GOOD.get(f'{function}.{argument}') or GOOD[argument]
    return make()


def good_call(function: str, tested: str) -> Dict[str, Any]:
    """Arguments with which a K function works, beside one for the argument `tested`."""
    entry = CONTRACT[function]
    chosen = list(entry.parameters[: entry.required])
    if function == 'placeholder' and tested != 'ndim':
        chosen.append('shape')
    return {argument: good(function, argument) for argument in chosen}


# Bad values, each made anew where it can be used up. What some argument takes all the same is in test_arguments.py.
BAD: Dict[str, Callable[[], Any]] = {
    'None': lambda: None,
    'True': lambda: True,
    'nan': lambda: float('nan'),
    'inf': lambda: float('inf'),
    '1.5': lambda: 1.5,
    '-1': lambda: -1,
    '0': lambda: 0,
    '-99': lambda: -99,
    '99': lambda: 99,
    '2**70': lambda: 2**70,
    '1j': lambda: 1j,
    'empty string': lambda: '',
    'string': lambda: 'nonsense',
    'bytes': lambda: b'bytes',
    'object': Unknown,
    'type': lambda: Unknown,
    'dtype type': lambda: int,
    'function of nothing': lambda: lambda *args: None,
    'function of a string': lambda: lambda *args: 'text',
    'empty dict': dict,
    'dict': lambda: {'a': 1},
    'set': lambda: {'a'},
    'Ellipsis': lambda: Ellipsis,
    'slice': lambda: slice(0, 1),
    'module': lambda: sys,
    'empty list': list,
    'empty tuple': tuple,
    'list of None': lambda: [None],
    'list of string': lambda: ['a'],
    'list of object': lambda: [Unknown()],
    'list of empty list': lambda: [[]],
    'ragged list': lambda: [[1.0], [1.0, 2.0]],
    'list of 1.5': lambda: [1.5, 1.5],
    'pair of 0': lambda: (0, 0),
    'tuple of -9': lambda: (-9,),
    'generator': lambda: (value for value in ['a']),
    'array of string': lambda: np.array(['a', 'b']),
    'array of object': lambda: np.array([Unknown()], dtype=object),
    'array of complex': lambda: np.array([1j]),
    'array of dates': lambda: np.array(['2020-01-01'], dtype='datetime64[D]'),
    'empty array': lambda: np.zeros((0,), 'float32'),
    'array of rank 0': lambda: np.array(0.5),
    'array of rank 6': lambda: np.zeros((2,) * 6),
    'scalar tensor': lambda: K.constant(0.5),
    'vector tensor': lambda: K.constant([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
    'tensor of rank 6': lambda: K.constant(np.zeros((2,) * 6)),
    'bool tensor': lambda: K.constant([True, False, True, False, True], dtype='bool'),
    'empty tensor': lambda: K.constant(np.zeros((0, 3))),
    'tensor of unknown shape': lambda: K.placeholder((None, None)),
    'cleared tensor': lambda: CLEARED[0],
}

# A tensor of a session that was cleared; set by the tests.
CLEARED: List[Any] = []


def places() -> Iterator[Any]:
    """Each argument of each K function, as (function, argument)."""
    for name, entry in CONTRACT.items():
        for argument in entry.parameters:
            yield name, argument
