"""Objects in the configurations of files: plain values of the kinds that the tables tell, and what is refused."""

import numpy as np
import pytest

from keras_backend.errors import LayerConfigError
from keras_backend.files.objects import classes, objects
from keras_backend.files.objects.objects import Argument, WrongValue, kind_of
from keras_backend.files.objects.of_programs import checked_config

NAN, INFINITE = float('nan'), float('inf')


@pytest.mark.parametrize(
    ('kind', 'value', 'expected'),
    [
        ('number', 1.5, 1.5),
        ('number', [[-2]], -2),
        ('number', np.float32(0.5), 0.5),
        ('number', np.array([3]), 3),
        ('number', INFINITE, INFINITE),
        ('number', -1e300, -1e300),
        ('whole', 3.0, 3),
        ('whole', -(2**62), -(2**62)),
        ('count', 0, 0),
        ('count', 10000, 10000),
        ('flag', 1, True),
        ('flag', False, False),
        ('flag', np.bool_(True), True),
        ('text', 'a' * 1000, 'a' * 1000),
        ('numbers', np.array([1.5, 2]), [1.5, 2.0]),
        ('numbers', (1, [2, (3,)]), [1, [2, [3]]]),
        ('seed', 3, 3),
        ('seed', None, None),
        ('seed', {'class_name': 'SeedGenerator', 'config': {'seed': 5}}, 5),
        ('seed', {'class_name': 'SeedGenerator', 'config': {'name': 'g'}}, None),
        ('nothing', None, None),
        ('nothing', [], None),
        ('nothing', False, None),
        ('dtype', 'FLOAT32', 'float32'),
        ('dtype', None, None),
        ('one of rows, Columns', 'columns', 'Columns'),
        ('number or None', None, None),
        ('number or None', 2, 2),
        ('whole or numbers', [1, 2], [1, 2]),
        ('whole or numbers', [4], 4),
    ],
)
def test_values_of_a_kind(kind, value, expected):
    read = objects.checked(kind_of(kind), value, 'key')
    assert read == expected
    assert type(read) is type(expected)


@pytest.mark.parametrize(
    ('kind', 'value', 'words'),
    [
        ('number', True, 'key=True, which is not a number'),
        ('number', '3', "key='3', which is not a number"),
        ('number', 1e301, 'key=1e+301, which is not a number'),
        ('number', -(10**301), 'which is not a number'),
        ('number', [1, 2], 'key=[1, 2], which is not a number'),
        ('whole', 2.5, 'key=2.5, which is not a whole number'),
        ('whole', INFINITE, 'key=inf, which is not a whole number'),
        ('whole', 2**63, 'which is not a whole number'),
        ('whole', -(2**63), 'which is not a whole number'),
        ('whole', NAN, 'key=nan, which is not a whole number'),
        ('count', -1, 'key=-1, which is not a whole number from 0 to 10000'),
        ('count', 10001, 'key=10001, which is not a whole number from 0 to 10000'),
        ('flag', 2, 'key=2, which is not True or False'),
        ('flag', 1.0, 'key=1.0, which is not True or False'),
        ('text', 'a' * 1001, f"key='{'a' * 56}..., which is not a text"),
        ('text', 3, 'key=3, which is not a text'),
        ('numbers', 3, 'key=3, which is not a list of numbers'),
        ('numbers', [1, ['a']], "key=[1, ['a']], which is not a list of numbers"),
        ('seed', 'a', "key='a', which is not a whole number or None"),
        ('seed', {'class_name': 'Other', 'config': {}}, 'which is not a whole number or None'),
        ('seed', {'class_name': 'SeedGenerator', 'config': 3}, 'which is not a whole number or None'),
        ('nothing', 1, 'key=1, which is not None'),
        ('dtype', 'float33', "key='float33', which is not one of float16, "),
        ('one of a, b', 3, 'key=3, which is not one of a, b'),
        ('whole or numbers', 'a', "key='a', which is not a whole number or a list of numbers"),
        ('number or None', 'a', "key='a', which is not a number or None"),
    ],
)
def test_values_of_another_kind(kind, value, words):
    with pytest.raises(WrongValue) as raised:
        objects.checked(kind_of(kind), value, 'key')
    assert words in str(raised.value)


def test_values_in_messages():
    assert objects.shown('a' * 58) == repr('a' * 58)
    assert objects.shown('a' * 59) == "'" + 'a' * 56 + '...'


@pytest.mark.parametrize(
    ('said', 'expected'),
    [
        (None, (None, {})),
        ('a>b>Zeros', ('Zeros', {})),
        ({'class_name': 'function', 'config': 'my>own>relu'}, ('relu', {})),
        ({'class_name': 'a>b>Zeros', 'config': {'a': 1}}, ('Zeros', {'a': 1})),
        ({'class_name': 'Zeros'}, ('Zeros', {})),
        ({'name': 'l1', 'l': 0.5}, ('l1', {'l': 0.5})),
    ],
)
def test_class_and_configuration_in_a_file(said, expected):
    assert objects.class_and_config(said) == expected


@pytest.mark.parametrize('said', [3, [], {'class_name': 3, 'config': 'relu'}, {'class_name': 'A', 'config': 3}, {}])
def test_no_object_of_keras(said):
    with pytest.raises(WrongValue, match='which is no object of Keras'):
        objects.class_and_config(said)


def test_arguments_that_a_class_takes():
    class Base:
        def __init__(self, name=None, dtype=None):
            pass

    class Between(Base):
        """It has no arguments of its own."""

    class Layer(Between):
        def __init__(self, units, *sizes, rate=0.5, **kwargs):
            pass

    class Closed(Layer):
        def __init__(self, depth):
            pass

    assert objects.takes(Layer) == ['units', 'rate', 'name', 'dtype']
    assert objects.takes(Closed) == ['depth']
    assert objects.takes(lambda a, b=1: None) == ['a', 'b']
    assert objects.own_arguments(Layer) == ['units', 'rate']


def test_names_of_classes_in_a_table():
    table = {'MeanSquaredError': {}, 'KLDivergence': {}, 'Adam': {}}
    names = ['Adam', 'adam', 'mean_squared_error', 'meansquarederror', 'kldivergence', 'Meansquarederror']
    expected = ['Adam', 'Adam', 'MeanSquaredError', 'MeanSquaredError', 'KLDivergence', None]
    assert [objects.name_in_table(name, table) for name in names] == expected

    class Space:
        adam = 'no function'
        Adam = dict

    assert objects.found(Space, ['absent', 'adam', 'Adam']) is dict
    assert objects.found(Space, ['adam']) is None


def test_arguments_for_an_installed_class():
    table = {
        'rate': Argument(kind_of('number')),
        'old': Argument(kind_of('number or None'), (None, 1)),
        'flag': Argument(kind_of('flag'), (False,)),
    }
    config = {'rate': 2, 'old': 1.0, 'flag': False}
    assert objects.values(table, config, ['rate'], 'Adam') == {'rate': 2}
    assert objects.values(table, {'old': None}, [], 'Adam') == {}
    assert objects.values(table, {'old': 2, 'flag': True}, ['old', 'flag'], 'Adam') == {'old': 2, 'flag': True}
    for wrong, words in [
        ({'old': 2}, 'Adam with old=2'),
        ({'flag': True}, 'Adam with flag=True'),
        ({'rate': None}, 'Adam with rate=None, which is not a number'),
        ({'speed': 1}, 'Adam with speed=1, an argument that it does not have'),
    ]:
        with pytest.raises(WrongValue) as raised:
            objects.values(table, wrong, [], 'Adam')
        assert str(raised.value) == words


def test_tables_of_classes():
    assert classes.function_of('KLDivergence') == 'kl_divergence'
    assert classes.function_of('MeanSquaredError') == 'mean_squared_error'
    arguments = classes.INITIALIZERS['VarianceScaling']
    assert {'scale', 'mode', 'distribution', 'seed'} <= set(arguments)
    assert objects.values(arguments, {'scale': 2.0, 'mode': 'fan_in'}, ['scale', 'mode'], 'V')['mode'] == 'fan_in'
    # What all classes of a table have, each of them has.
    common = set.intersection(*[set(own) for own in classes.OPTIMIZERS.values()])
    assert {'clipnorm', 'clipvalue'} <= common
    # A loss without a row of its own in `without_effect` drops None alone.
    assert classes.INITIALIZERS['Constant']['value'].without_effect == (None,)
    assert 'auto' in classes.LOSSES['Huber']['reduction'].without_effect


# -- objects of programs -----------------------------------------------------------------------------------------------


class Mine:
    """A class of the user."""


def configured(**config):
    """What becomes of a configuration of an object of the user."""
    return checked_config(config, "layer 'a'", {'Mine': Mine, 'ours': len}, 'a')


def test_configurations_of_the_users_objects():
    assert configured(units=3, shape=(1, 2), table={'a': [1], 2: 'b'}) == {
        'units': 3,
        'shape': [1, 2],
        'table': {'a': [1], '2': 'b'},
    }
    assert configured(init={'class_name': 'Zeros', 'config': {}}) == {'init': {'class_name': 'Zeros', 'config': {}}}
    assert configured(init={'class_name': 'x>y>zeros', 'config': None, 'stray': 1}) == {
        'init': {'class_name': 'zeros', 'config': {}}
    }
    layer = {'class_name': 'Dense', 'config': {'units': 2}, 'name': 'd', 'module': 'elsewhere', 'registered_name': 'R'}
    assert configured(layer=layer)['layer'] == {
        'module': 'keras.layers',
        'class_name': 'Dense',
        'config': {'units': 2},
        'registered_name': None,
        'name': 'd',
    }
    own = {'class_name': 'pack>Mine', 'config': {}, 'module': 'os', 'registered_name': 'pack>Mine'}
    assert configured(layers=[own])['layers'][0] == {
        'module': Mine.__module__,
        'class_name': 'Mine',
        'config': {},
        'registered_name': 'pack>Mine',
    }


def test_modules_of_the_users_objects():
    """One name may be a loss and a metric: the module of the file tells which."""
    for module in 'keras.losses', 'keras.metrics':
        said = {'class_name': 'CategoricalCrossentropy', 'config': {}, 'module': module}
        assert configured(part=said)['part']['module'] == module


def test_functions_of_the_users_objects():
    plain = {'class_name': 'function', 'config': 'relu'}
    assert configured(f=plain) == {'f': plain}
    assert configured(f=dict(plain, config='ours'))['f']['config'] == 'ours'
    assert configured(f=dict(plain, module='builtins', registered_name='x'))['f'] == {
        'module': 'builtins',
        'class_name': 'function',
        'config': 'relu',
        'registered_name': 'function',
    }


@pytest.mark.parametrize(
    ('config', 'words'),
    [
        ({'f': {'class_name': 'function', 'config': 'system'}}, 'f={'),
        ({'layer': {'class_name': 'Lambda', 'config': {}}}, 'layer={'),
        ({'layer': {'class_name': 'TFOpLambda', 'config': {}}}, 'layer={'),
        ({'layer': {'class_name': 3, 'config': {}}}, 'layer={'),
        ({'layer': {'class_name': 'Dense', 'config': 3}}, 'layer={'),
        ({'table': {'deep': [{'class_name': 'Unknown', 'config': {}}]}}, 'table.deep={'),
        ({'layer': {'class_name': 'Dense', 'config': {'init': {'class_name': 'Popen'}}}}, 'layer.init={'),
        ({'layer': {'class_name': 'Dense', 'build_config': {'class_name': 'Popen'}}}, 'layer={'),
    ],
)
def test_objects_that_neither_keras_nor_the_user_has(config, words):
    with pytest.raises(LayerConfigError) as raised:
        configured(**config)
    assert f"The layer 'a' has {words}" in str(raised.value)
    assert 'neither Keras nor custom_objects has such an object' in str(raised.value)
