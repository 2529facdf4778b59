"""tools/affected.py: what a change reaches runs, and nothing that runs is unknown to it."""

import os
import subprocess
import sys

import pytest
from checkout import ROOT, TESTS
from processes import run
from test_engine_table import ENVIRONMENTS, OTHER_ENVIRONMENTS

sys.path.append(os.path.join(ROOT, 'tools'))
import affected
import import_graph

if sys.version_info < (3, 8) or not os.path.exists(os.path.join(ROOT, '.git')):
    pytest.skip('reads the syntax of newer Pythons, and the files that git tracks', allow_module_level=True)

ON_JAX, INSIDE = 'py313-jax', 'py313-keras3-jax'


@pytest.fixture(scope='module')
def reach():
    return affected.Reach()


def plans(reach, *paths):
    """What runs of the environments when some files are changed."""
    change = reach.known_to_tests(affected.change_of(paths))
    return {name: reach.plan(name, change) for name in [*ENVIRONMENTS, *OTHER_ENVIRONMENTS]}


@pytest.mark.slow
def test_a_page_reaches_no_engine(reach):
    assert set(affected.ALWAYS) == {
        name for name, plan in plans(reach, 'docs/index.md', 'CHANGELOG.md').items() if plan is not None
    }


@pytest.mark.slow
def test_a_tool_reaches_the_tests_of_tools(reach):
    """They run on NumPy."""
    found = plans(reach, 'tools/what_ran.py')
    assert {'py313-numpy', 'readme', 'lint'} <= {name for name, plan in found.items() if plan == {}}
    assert found[ON_JAX] is None


@pytest.mark.slow
@pytest.mark.parametrize('path', ['tox.ini', 'conftest.py', 'keras_backend/gone.py', 'tests/files/models/a.h5', 'new'])
def test_what_is_unknown_reaches_all(reach, path):
    assert all(plan == {} for plan in plans(reach, 'docs/index.md', path).values())


@pytest.mark.slow
def test_k_reaches_all_engines(reach):
    """A module that each engine imports: no test and no conformance test of an engine is left out."""
    found = plans(reach, 'keras_backend/front/nn.py')
    assert all(plan is not None for plan in found.values())
    assert all(plan.get('conformance', True) for plan in found.values())
    left = [path for plan in found.values() for path in plan.get('left_out', ()) if '/engines/' in path]
    assert [] == left


@pytest.mark.slow
def test_an_engine_reaches_itself(reach):
    """Its own tests, and those that start it. The other engines run none of theirs."""
    found = plans(reach, 'keras_backend/engines/jax_backend/trace.py')
    assert {'left_out': [], 'conformance': True} == found[ON_JAX]
    for name in (INSIDE, 'py313-torch'):
        assert not found[name]['conformance']
    assert 'tests/engines/keras3/test_slopes.py' in found[INSIDE]['left_out']
    assert found['py310-torch22'] is None
    # Nobody maintains Theano and CNTK, so a first look is there each time.
    tests = [path for path in reach.texts if path.startswith('tests/smoke/')]
    assert tests
    for name in ('py36-theano', 'py36-cntk', 'py313-pytensor'):
        assert not found[name]['conformance']
        assert not set(tests) & set(found[name]['left_out'])
        assert 'tests/original/test_original.py' in found[name]['left_out']


@pytest.mark.slow
def test_a_wing_reaches_what_imports_it(reach):
    """A launcher: its programs and the files that name it run, the conformance tests do not."""
    found = plans(reach, 'keras_backend/programs/on_keras3/layers.py')
    assert not found[INSIDE]['conformance']
    assert 'tests/programs/keras3/test_keras3_launcher.py' not in found[INSIDE]['left_out']
    # That starts the launcher, and imports none of it.
    assert 'tests/programs/keras3/test_keras3_programs.py' not in found[INSIDE]['left_out']
    found = plans(reach, 'keras_backend/programs/keras2/layer_cures.py')
    assert 'tests/programs/test_programs.py' not in found['clients-py37-keras231-numpy']['left_out']
    found = plans(reach, 'keras_backend/files/layers/attention.py')
    assert not found[ON_JAX]['conformance']
    assert 'tests/files/test_models.py' not in found[ON_JAX]['left_out']
    assert 'tests/original/test_original.py' in found[ON_JAX]['left_out']


@pytest.mark.slow
def test_a_module_that_is_imported_by_name_alone_reaches_all(reach):
    """No import says who reads it."""
    assert all(plan == {} for plan in plans(reach, 'keras_backend/programs/keras2/tensorflow1/cells.py').values())
    dark = affected.Change(frozenset(['keras_backend.nobody']), frozenset(), False, '')
    assert 'keras_backend.nobody' == reach.known_to_tests(dark).unknown


@pytest.mark.slow
def test_tests_and_their_helpers(reach):
    """A test that is changed runs. So do those that import what is changed beside them."""
    found = plans(reach, 'tests/tools/hostile_objects.py')
    users = [path for path, text in reach.texts.items() if 'hostile_objects' in text and affected._is_test(path)]
    assert users
    change = affected.change_of(['tests/tools/hostile_objects.py'])
    assert all(reach.is_reached(path, change, []) for path in users)
    assert found['py313-torch'] is None or found['py313-torch']['left_out']


def test_environments_have_the_folders_that_conftest_chooses(request, monkeypatch):
    """No folder runs in an environment without being known there."""
    chosen = request.config.pluginmanager.get_plugin(os.path.join(ROOT, 'conftest.py'))._left_out
    folders = [name for name in os.listdir(TESTS) if os.path.isdir(os.path.join(TESTS, name))]
    names = {*folders, *['engines/' + name for name in os.listdir(os.path.join(TESTS, 'engines'))]} - {'engines'}
    monkeypatch.delenv('TEST_ORIGINAL', raising=False)
    for environment, engine, inside in (
        ('py313-torch', 'torch', ''),
        ('py36-cntk', 'cntk', ''),
        ('clients-py37-keras231-theano', 'keras_backend.engines.theano_backend', ''),
        (INSIDE, 'jax', 'keras3'),
    ):
        monkeypatch.setenv('TEST_ENGINE', inside)
        known = set(affected.environment(environment).folders) | {'data', 'tools', 'exporting'}
        # Inside Keras 3 the programs of Keras 2 are left out one by one.
        known |= {'programs'} if inside else set()
        assert set() == names - chosen(engine) - known - {'__pycache__', 'engines/__pycache__'}


def test_the_graph_has_what_is_imported(tmp_path):
    """All modules that a process imports are reached from those that it names."""
    program = (
        'import sys\nimport keras_backend as K\nf = K.function([], [K.ones((2,)) * 2])\nf([])\n'
        'print(" ".join(name for name in sys.modules if name.startswith("keras_backend")))'
    )
    imported = set(run(program, home=tmp_path, backend='numpy').split()) - {'keras_backend.conformance'}
    _known, edges = import_graph.of_package(import_graph.FOLDER)
    found = import_graph.reached(edges, ['keras_backend', 'keras_backend.engines.numpy_backend'])
    assert len(imported) > 80
    assert set() == imported - found


def test_what_is_changed_is_that_of_the_last_hours(tmp_path, monkeypatch):
    """Each commit of 36 hours before the last one counts, those of a merged branch, too; a shallow clone knows none."""
    monkeypatch.setattr(affected, 'ROOT', str(tmp_path))

    def git(*arguments, at=0):
        date = f'{1700000000 + at * 3600} +0000'
        names = {f'GIT_{who}_{what}': 'a' for who in ('AUTHOR', 'COMMITTER') for what in ('NAME', 'EMAIL')}
        variables = {**os.environ, **names, 'GIT_AUTHOR_DATE': date, 'GIT_COMMITTER_DATE': date}
        subprocess.check_call(['git', *arguments], cwd=str(tmp_path), env=variables, stdout=subprocess.DEVNULL)

    def commit(name, at):
        (tmp_path / name).write_text(name)
        git('add', '.')
        git('commit', '-q', '-m', name, at=at)

    git('init', '-q', '-b', 'main')
    commit('old', 0)
    commit('yesterday', 20)
    git('checkout', '-q', '-b', 'side')
    commit('aside', 30)
    git('checkout', '-q', 'main')
    commit('today', 40)
    git('merge', '-q', '--no-ff', '-m', 'both', 'side', at=45)
    assert ['aside', 'today', 'yesterday'] == affected.changed()
    git('clone', '-q', '--depth', '1', f'file://{tmp_path}', 'shallow')
    monkeypatch.setattr(affected, 'ROOT', str(tmp_path / 'shallow'))
    assert affected.changed() is None
