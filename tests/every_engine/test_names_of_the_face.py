"""What `import keras_backend as K` has beside the functions themselves: their docstrings, and old names of settings."""

import copy
import importlib
import pickle
import pydoc
import sys

import pytest
from processes import ENGINE

import keras_backend as K
from keras_backend.basics.live import NAMES
from keras_backend.contract import CONTRACT

# The configured K, the same engine loaded, and another one beside it.
NAMESPACES = [K, K.load(ENGINE), K.load('numpy')]
each = pytest.mark.parametrize('namespace', NAMESPACES, ids=['K', 'loaded', 'numpy'])


@each
@pytest.mark.parametrize('name', sorted(CONTRACT))
def test_docstring_of_every_name(namespace, name):
    """`help` of each K function shows the text of the contract."""
    function = getattr(namespace, name)
    assert function.__doc__ == CONTRACT[name].doc
    assert CONTRACT[name].doc.splitlines()[0] in pydoc.render_doc(function)


@each
def test_old_names_are_live(namespace):
    """`K._FLOATX` and the like say what the functions say, also after these were set."""
    assert namespace._BACKEND == namespace.backend() == ('numpy' if namespace is NAMESPACES[2] else ENGINE)
    K.set_floatx('float64')
    K.set_epsilon(1e-3)
    K.set_image_data_format('channels_first')
    assert ('float64', 1e-3) == (namespace._FLOATX, namespace._EPSILON)
    assert ('th', 'channels_first') == (namespace._IMAGE_DIM_ORDERING, namespace._IMAGE_DATA_FORMAT)
    K.set_image_dim_ordering('tf')
    assert ('tf', 'channels_last') == (namespace._IMAGE_DIM_ORDERING, namespace._IMAGE_DATA_FORMAT)
    assert set(NAMES) <= set(dir(type(namespace)))


@each
@pytest.mark.parametrize(
    ('name', 'value', 'instead'),
    [
        (
            '_FLOATX',
            'float64',
            "K._FLOATX shows what K.floatx() says, and cannot be set; type: K.set_floatx('float64')",
        ),
        ('_EPSILON', 0.001, 'type: K.set_epsilon(0.001)'),
        ('_IMAGE_DIM_ORDERING', 'th', "type: K.set_image_dim_ordering('th')"),
        ('_IMAGE_DATA_FORMAT', 'channels_first', "type: K.set_image_data_format('channels_first')"),
        ('_BACKEND', 'theano', 'type: KERAS_BACKEND=ENGINE before the program starts, or python -m keras_backend use'),
    ],
)
def test_old_names_are_for_reading(namespace, name, value, instead):
    """Setting one would change nothing, so it is an error that says what to type."""
    before = getattr(namespace, name)
    with pytest.raises(AttributeError) as caught:
        setattr(namespace, name, value)
    assert instead in str(caught.value)
    assert before == getattr(namespace, name)


def test_no_other_private_names():
    """Other names with an underscore that were never there stay errors."""
    with pytest.raises(AttributeError):
        K._SEED  # noqa: B018


@each
def test_pickled_namespace(namespace):
    """What pickles functions with their globals finds K again by its name."""
    assert namespace is pickle.loads(pickle.dumps(namespace)) is copy.deepcopy(namespace)
    assert namespace is importlib.import_module(namespace.__name__)
    assert isinstance(namespace, type(sys))
