"""Every argument of every K function, given bad values of many kinds.

Each of them is refused with an error of ours that names the K function and the argument, or taken for a reason that
stands in `TAKEN`. No error of a library comes out, and nothing is changed.
"""

import re
import warnings

import argument_values as values
import numpy as np
import pytest

import keras_backend as K
from keras_backend.contract import CONTRACT, kinds
from keras_backend.contract.kinds import kind_of
from keras_backend.errors import KerasBackendError

NAMES = {id(kind): name for name, kind in vars(kinds).items() if isinstance(kind, kinds.Kind) and name != 'F'}


def described(reason, labels):
    return dict.fromkeys([label.strip() for label in labels.split(',')], reason)


NUMBERS = described('a number is a tensor without axes', 'True, nan, inf, 1.5, -1, 0, -99, 99, 2**70, array of rank 0')
ARRAYS = described(
    'a list or an array is a constant',
    'empty list, empty tuple, list of empty list, list of 1.5, pair of 0, tuple of -9, empty array, array of rank 6',
)
TENSORS = described(
    'a tensor that fits',
    'scalar tensor, vector tensor, tensor of rank 6, bool tensor, empty tensor, tensor of unknown shape',
)
SCALARS = dict(NUMBERS, **described('a scalar, maybe', 'scalar tensor, tensor of unknown shape'))
CALLABLES = described('a function like any other', 'type, dtype type, function of nothing, function of a string')
SHAPES = described('a shape', '0, 99, empty list, empty tuple, pair of 0, empty array')

# What arguments of a kind take though it looks bad. None is taken where the annotation is Optional, as if left out.
TAKEN = {
    'ArrayLike': dict(NUMBERS, **ARRAYS, **TENSORS),
    'Axes': described('an axis, or none', '-1, 0, empty list, empty tuple, empty array'),
    'Axis': described('an axis', '-1, 0'),
    'Count': described('a possible number', '99'),
    'Dtype': {'dtype type': 'NumPy knows it as int64'},
    'Dtypes': {'dtype type': 'NumPy knows it as int64', 'list of None': 'one result, left as it is'},
    'Expression': dict(NUMBERS, **ARRAYS, **TENSORS, **{'dtype type': 'a function that returns 0'}),
    'Factor': described('a possible number; True is 1', 'True, 99'),
    'FixedShape': SHAPES,
    'Flag': described('False, or a number that counts by its truth', 'None, True, -1, 0, -99, 99, 2**70'),
    'Function': CALLABLES,
    'Loss': TENSORS,
    'Rank': described('a rank', '0'),
    'Real': described('a number', 'True, 1.5, -1, 0, -99, 99, 2**70, array of rank 0'),
    'Scalar': SCALARS,
    'Seed': described('a seed', '-1, 0, -99, 99, 2**70'),
    'Shape': SHAPES,
    'StaticShape': described('a shape', 'empty list, empty tuple, pair of 0, empty array, list of None'),
    'TensorLike': dict(NUMBERS, **ARRAYS, **TENSORS),
    'TensorOrTensors': dict(ARRAYS, **TENSORS, **{'array of rank 0': 'a scalar'}, **{'ragged list': 'two constants'}),
    'Tensors': dict(ARRAYS, **TENSORS, **{'ragged list': 'two constants'}),
    'Text': described('a name', 'empty string, string'),
    'Times': described('a possible number', '0, 99'),
    'TimesOrTensor': described('a possible number', '0, 99, scalar tensor'),
    'Variable': TENSORS,
    'Window': described('further than the input goes', '99'),
}

# The same for one argument.
ANYTHING = described('asked about any object', ', '.join(values.BAD))
ASKED = described(
    'asked about an array, as NumPy answers',
    '1j, list of None, list of string, list of object, array of string, array of object, array of complex, '
    'array of dates',
)
KNOWN = dict(ASKED, **{'cleared tensor': 'what was known of it still is'})
OLD = 'the spelling of Keras 1'
TAKEN_BY = {
    'batch_normalization.axis': described(f'epsilon, in {OLD}', 'nan, inf, 1.5'),
    'control_dependencies.control_inputs': dict(
        TENSORS, **described('nothing to wait for', 'None, empty list, empty tuple')
    ),
    'conv2d.dilation_rate': {'None': f'image_shape, in {OLD}'},
    'conv3d.dilation_rate': {'None': f'volume_shape, in {OLD}'},
    'batch_set_value.tuples': described('nothing to set', 'empty list, empty tuple, empty array'),
    'count_params.x': KNOWN,
    'dtype.x': KNOWN,
    'eval.x': ASKED,
    'eye.size': described('no rows', '0, pair of 0'),
    'foldl.initializer': {'ragged list': 'two accumulators'},
    'foldr.initializer': {'ragged list': 'two accumulators'},
    'function.updates': described('nothing to update', 'empty list, empty tuple, empty dict, empty array'),
    'get_variable_shape.x': KNOWN,
    'in_top_k.k': dict(SCALARS, **described('of none or fewer nothing is the best', '-1, 0, -99')),
    'int_shape.x': KNOWN,
    'is_keras_tensor.x': ANYTHING,
    'is_placeholder.x': ANYTHING,
    'is_sparse.tensor': ANYTHING,
    'is_symbolic.x': ANYTHING,
    'is_tensor.x': ANYTHING,
    'is_variable.x': ANYTHING,
    'ndim.x': KNOWN,
    'normalize_data_format.value': {'None': 'that of the settings'},
    'reshape.shape': described('what is left', '-1, list of None'),
    'rnn.constants': described('handed to the step function as they are', ', '.join(values.BAD)),
    'set_epsilon.e': described('a positive number', '1.5, 99, 2**70'),
    'set_learning_phase.value': described('0 or 1', '0, True'),
    'set_session.session': described('given back', 'None'),
    'slice.size': described('nothing of each axis', 'pair of 0'),
    'slice.start': described('from the start of each axis', 'pair of 0'),
    'sparse_categorical_crossentropy.ignore_class': described('a label', '-1, 0, -99, 99'),
    'spatial_2d_padding.padding': {'pair of 0': f'of each axis, in {OLD}'},
    'stop_gradient.variables': {'ragged list': 'two constants'},
    'temporal_padding.padding': described(f'on both sides, in {OLD}', 'True, 0, 99, pair of 0'),
    'tile.n': {'scalar tensor': 'a number of times'},
}

# The setting that an argument is for; its errors name the setting.
SETTING = {
    'set_epsilon.e': 'epsilon',
    'set_image_data_format.data_format': 'image_data_format',
    'set_image_dim_ordering.dim_ordering': 'image_dim_ordering',
    'normalize_data_format.value': 'image_data_format',
}


@pytest.fixture(autouse=True)
def graph():
    """A new session, with a variable and a tensor of the session before it."""
    values.CLEARED[:] = [K.constant(1.0)]
    K.clear_session()
    values.VARIABLES[:] = [K.variable(np.full((2, 3), 7.0))]
    yield
    K.manual_variable_initialization(False)
    K.clear_session()


def state():
    """What no bad call may change: settings, the phase, values, and whether functions of new tensors run."""
    (variable,) = values.VARIABLES
    x = K.placeholder((2, 3))
    assert (K.function([x], [x * variable])([np.full((2, 3), 2.0)])[0] == 14.0).all()
    name = K.identity(variable, name='after').name
    return (
        K.floatx(),
        K.epsilon(),
        K.image_data_format(),
        K.learning_phase(),
        K.get_value(variable).tolist(),
        '/' in name,
    )


def restore(before):
    """Undo what a call did that was meant to set something."""
    floatx, epsilon, image_data_format = before[:3]
    K.set_floatx(floatx)
    K.set_epsilon(epsilon)
    K.set_image_data_format(image_data_format)
    K.set_value(values.VARIABLES[0], np.full((2, 3), 7.0))


def outcome(name, argument, make):
    """None if a call is as it should be, else what is wrong with it. `make` gets a good value of the argument."""
    arguments = values.good_call(name, argument)
    arguments[argument] = make(values.good(name, argument))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            getattr(K, name)(**arguments)
    except KerasBackendError as error:
        message = str(error)
        words = [argument, SETTING.get(f'{name}.{argument}', argument)]
        if f'K.{name}: ' not in message and f'{name}()' not in message and not message.startswith(f'K.{name} '):
            return f'does not name the function: {message}'
        if not any([re.search(rf'\b{word}\b', message) for word in words]):
            return f'does not name the argument: {message}'
        return None
    except Exception as error:  # what the test is about: errors of all other kinds
        return f'raises {type(error).__name__}: {error}'
    return 'is taken'


@pytest.mark.parametrize('name', [name for name, entry in CONTRACT.items() if entry.parameters])
def test_good_values(name):
    """The values that the other tests start from work, so that it is the bad one that fails."""
    for argument in CONTRACT[name].parameters:
        arguments = values.good_call(name, argument)
        arguments[argument] = values.good(name, argument)
        getattr(K, name)(**arguments)


@pytest.mark.parametrize(('name', 'argument'), list(values.places()))
def test_bad_values(name, argument):
    """A bad value is refused by us, with the name of the function and of the argument, and nothing has changed."""
    kind, optional = kind_of(CONTRACT[name].function.__annotations__[argument])
    taken = dict(TAKEN.get(NAMES[id(kind)], {}), **TAKEN_BY.get(f'{name}.{argument}', {}))
    if optional:
        taken['None'] = 'as if it was left out'
    before = state()
    wrong = {}
    for label, make in values.BAD.items():
        problem = outcome(name, argument, lambda _good, make=make: make())
        if problem == 'is taken':
            restore(before)
        own_error = kind in (kinds.Function, kinds.Expression, kinds.Loss) and label in ('type', 'dtype type')
        if problem is not None and not (problem == 'is taken' and label in taken) and not own_error:
            wrong[label] = problem
    assert not wrong, '\n'.join([f'{label}: {problem}' for label, problem in wrong.items()])
    after = state()
    if name == 'set_learning_phase':  # of the values that are taken, the last one has fixed it
        after = (*after[:3], before[3], *after[4:])
    assert before == after


# How a list with a bad element is made of a good list and a bad value.
BAD_LISTS = {
    'first': lambda good, bad: type(good)([bad, *good[1:]]),
    'last': lambda good, bad: type(good)([*good, bad]),
    'inner': lambda good, bad: type(good)([(*good[0][:-1], bad), *good[1:]]) if isinstance(good[0], tuple) else good,
}


@pytest.mark.parametrize('name', [name for name, entry in CONTRACT.items() if entry.parameters])
def test_bad_elements(name):
    """A list or tuple with a bad element is taken, or refused by us as a bad value is, and nothing has changed."""
    before = state()
    wrong = []
    for argument in CONTRACT[name].parameters:
        good = values.good(name, argument)
        if not isinstance(good, (list, tuple)) or not good:
            continue
        for label, make in values.BAD.items():
            for how, change in BAD_LISTS.items():
                problem = outcome(name, argument, lambda good, change=change, make=make: change(good, make()))
                if problem not in (None, 'is taken'):
                    wrong.append(f'{argument}, {how} element {label}: {problem}')
    assert not wrong, '\n'.join(wrong)
    if name != 'batch_set_value':  # which sets the first of the pairs
        assert before == state()


def test_there_are_enough_bad_values():
    """Each argument is given at least thirty kinds of bad value, and every reason is for one of them."""
    assert len(values.BAD) >= 30
    for labels in [*TAKEN.values(), *TAKEN_BY.values()]:
        assert set(labels) <= set(values.BAD)
    assert set(TAKEN) <= set(NAMES.values())
    assert set(TAKEN_BY) <= {f'{name}.{argument}' for name, argument in values.places()}
