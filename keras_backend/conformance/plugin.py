"""A plugin of pytest for libraries that are written in K: their tests run on several engines. docs/testing.md shows it.

pytest imports this module in each of its runs, wherever keras_backend is installed. So it loads nothing but pytest, and
it adds no option and no parameter unless it is asked: by `keras_backend_engines` in the settings of pytest, by
`--engines`, by a mark, or by a test that takes one of the fixtures.
"""

import argparse
import io

import pytest

SETTING, OPTION = 'keras_backend_engines', '--engines'
INSTALLED = 'installed'
SEED = 20180719
MARKS = [
    'engines(*names): run the test on these engines of keras_backend; with --engines, on those of them that are chosen',
    'skip_engine(*names, reason): do not run the test on these engines of keras_backend',
    'xfail_engine(*names, reason, raises=None, strict=True): the test fails on these engines of keras_backend',
]


# -- which engines -----------------------------------------------------------------------------------------------------


def pytest_addoption(parser, pluginmanager):
    parser.addini(SETTING, 'the engines of keras_backend that the fixture K runs on; it adds --engines', type='args')
    config = pluginmanager.get_plugin('pytestconfig')
    if config is not None and config.getini(SETTING):
        _add_option(parser)


@pytest.hookimpl(hookwrapper=True)
def pytest_load_initial_conftests(early_config, parser, args):
    """Take `--engines` without a setting, too, unless a conftest has an option of that name."""
    yield
    if any(arg.partition('=')[0] == OPTION for arg in args):
        try:
            _add_option(parser)
        except (ValueError, argparse.ArgumentError):  # it is there
            pass


def _add_option(parser):
    parser.getgroup('keras_backend').addoption(
        OPTION,
        dest=SETTING,
        metavar='ENGINE,...',
        help='the engines that the fixture K runs on, such as numpy,torch; "installed": all that are there',
    )


def pytest_configure(config):
    for mark in MARKS:
        config.addinivalue_line('markers', mark)


def _split(names):
    """The names in texts such as 'numpy,torch jax', in their order, each once."""
    several = [name for text in names for name in text.replace(',', ' ').split()]
    if INSTALLED in several:
        from ..engines.table import ENGINES
        from ..loader import has_library, is_built

        index = several.index(INSTALLED)
        several[index : index + 1] = [name for name in ENGINES if is_built(name) and has_library(name)]
    return list(dict.fromkeys(several))


def _asked(config):
    """The engines of the command line, else of the settings of pytest; empty if neither says any."""
    option = getattr(config.option, SETTING, None)
    return _split([option] if option else config.getini(SETTING))


def _names_of(mark, definition):
    """The engines that a mark names; an unknown one is an error, so that no mark is there for nothing."""
    from ..errors import ConfigError, EngineNotFound
    from ..loader import find_here

    names = _split(mark.args)
    for name in names:
        try:
            find_here(name, f'the mark {mark.name} of {definition.nodeid}')
        except (ConfigError, EngineNotFound) as error:
            raise pytest.UsageError(str(error)) from None
    if not names:
        raise pytest.UsageError(f'{definition.nodeid}: the mark {mark.name} names no engine.')
    return names


def _engines_of(definition):
    """(the engines that a test runs on, why there is none)."""
    asked, mark = _asked(definition.config), definition.get_closest_marker('engines')
    if mark is None:
        return asked or [_configured()], ''
    names = _names_of(mark, definition)
    both = [name for name in names if name in asked] if asked else names
    return both, f'it is for {", ".join(names)}, and this run is for {", ".join(asked)}'


def _marks_of(definition):
    """(engines, mark of pytest) for each mark of the test that is about engines. A reason has to be there."""
    for mark in definition.iter_markers():
        if mark.name not in ('skip_engine', 'xfail_engine'):
            continue
        options = dict(mark.kwargs)
        if not options.get('reason'):
            raise pytest.UsageError(f'{definition.nodeid}: {mark.name} needs a reason=... .')
        skips = mark.name == 'skip_engine'
        if skips:
            of_pytest = pytest.mark.skip(reason=options['reason'])
        else:
            of_pytest = pytest.mark.xfail(**dict({'strict': True}, **options))
        yield _names_of(mark, definition), of_pytest


def pytest_generate_tests(metafunc):
    if '_keras_backend_engine' not in metafunc.fixturenames:
        return
    names, why_none = _engines_of(metafunc.definition)
    marks = list(_marks_of(metafunc.definition))
    params = [
        pytest.param(name, id=name, marks=[of_pytest for engines, of_pytest in marks if name in engines])
        for name in names
    ]
    if not params:
        params = [pytest.param(None, id='no engine', marks=pytest.mark.skip(reason=why_none))]
    metafunc.parametrize('_keras_backend_engine', params, indirect=True)


def _configured():
    """The name of the engine that `import keras_backend as K` takes."""
    from ..config import settings

    return settings.get('backend').value


def _namespace(engine):
    from .. import loader
    from ..errors import KerasBackendError

    if not isinstance(engine, str):
        return engine
    try:
        return loader.configured() if engine == _configured() else loader.load(engine)
    except KerasBackendError as error:
        pytest.fail(str(error), pytrace=False)


# -- fixtures ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def _keras_backend_engine(request):
    return request.param


@pytest.fixture
def _keras_backend_state():
    """Settings of K and random numbers of NumPy as in a new process; afterwards those of before."""
    import numpy as np

    from .. import config

    names = ('floatx', 'epsilon', 'image_data_format')
    before, random = {name: getattr(config, name)() for name in names}, np.random.get_state()
    np.random.seed(SEED)
    yield
    for name, value in before.items():
        getattr(config, f'set_{name}')(value)
    np.random.set_state(random)


@pytest.fixture
def K(_keras_backend_engine, _keras_backend_state):
    """The namespace of an engine of keras_backend: one test for each engine that the run is for.

    After the test, the session of the engine is cleared, and the settings and the random numbers of NumPy are those of
    before.
    """
    namespace = _namespace(_keras_backend_engine)
    yield namespace
    namespace.clear_session()
    namespace.reset_uids()


@pytest.fixture
def on_engine(K):
    """A function that makes a copy of a module in which `import keras_backend as K` gives the engine of the test."""
    from ..comparison import on

    return lambda module: on(K, module)


@pytest.fixture
def same_on_engines(request, _keras_backend_state):
    """A function like `keras_backend.compare` over the engines of the run; the test fails where they first differ.

    They are compared with NumPy. `engines`, if it is given, takes the place of those of the run.
    """
    from ..comparison import compare

    def same(build, inputs=(), engines=None, steps=1, rtol=None):
        __tracebackhide__ = True
        if engines is None:
            chosen, why_none = _engines_of(request.node)
            if not chosen:
                pytest.skip(why_none)
            left_out = [name for names, mark in _marks_of(request.node) if mark.name == 'skip' for name in names]
            engines = ['numpy'] + [name for name in chosen if name != 'numpy' and name not in left_out]
        namespaces = [_namespace(engine) for engine in engines]
        used.extend(namespaces)
        found = compare(build, inputs, namespaces, steps=steps, rtol=rtol, file=io.StringIO())
        if not found:
            pytest.fail(str(found))
        return found

    used = []
    yield same
    for namespace in used:
        namespace.clear_session()
        namespace.reset_uids()
