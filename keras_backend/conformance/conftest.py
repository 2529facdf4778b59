"""Options and fixtures of the conformance tests."""

import numpy as np
import pytest

from .. import config as user_settings
from ..loader import load
from . import expected
from ._check import Check
from ._report import Report, Table

DEFAULTS = {'floatx': 'float32', 'epsilon': 1e-7, 'image_data_format': 'channels_last'}
BUILT_IN = 'keras_backend.engines.'


def pytest_addoption(parser):
    group = parser.getgroup('keras_backend')
    group.addoption('--engine', default='numpy', help='the engine to test: a name or a dotted module')
    group.addoption('--expected', default=None, help='a file of expected failures, one "test id: reason" a line')
    group.addoption('--through', default=None, help='run each function as a file of this format, e.g. onnx')


def pytest_configure(config):
    config.addinivalue_line('markers', 'covers(*names): the K functions that a test is about')
    engine = config.getoption('--engine')
    K = load(engine)
    path = config.getoption('--expected')
    paths = [] if path is None else [path]
    if path is None and K.__name__.startswith(BUILT_IN):
        paths = expected.paths_for(K._engine.name, K._engine.library)
    through = config.getoption('--through')
    if through is not None:
        paths += expected.paths_through(through)
    config.conformance_K = K
    report = Report(engine, K, expected.read(*paths), ' and '.join(paths))
    config.pluginmanager.register(report, 'conformance-report')
    config.pluginmanager.register(Table(report), 'conformance-table')
    if through is not None:
        from ._through import Through

        config.pluginmanager.register(Through(K, through), 'conformance-through')


@pytest.fixture(scope='session')
def engine(request):
    """The name of the engine on the command line."""
    return request.config.getoption('--engine')


@pytest.fixture(scope='session', autouse=True)
def _users_settings():
    """Restores the settings of the user after the tests."""
    before = {name: getattr(user_settings, name)() for name in DEFAULTS}
    yield
    _set(before)


def _set(values):
    for name, value in values.items():
        getattr(user_settings, 'set_' + name)(value)


@pytest.fixture
def K(request, _users_settings):
    """The namespace under test, in the state of a new process."""
    _set(DEFAULTS)
    np.random.seed(20180719)
    namespace = request.config.conformance_K
    yield namespace
    _set(DEFAULTS)
    namespace.clear_session()
    namespace.reset_uids()


@pytest.fixture
def check(K):
    """Runs K tensors and compares their values."""
    return Check(K)
