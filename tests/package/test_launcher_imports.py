"""The finder of the launchers: what comes before an import, and what a question for a module may not do."""

import pytest
from processes import run

START = """
import importlib.util, sys

from keras_backend.programs.launcher import imports

done = []
"""


@pytest.fixture
def packages(tmp_path):
    """A folder with two packages, to be imported."""
    for name in 'asked', 'other':
        (tmp_path / name).mkdir()
        (tmp_path / name / '__init__.py').write_text(f'words = {name!r}\n')
    return tmp_path


def test_question_starts_no_action(packages, home):
    """`importlib.util.find_spec` finds a watched module, imports nothing and runs nothing; the import does."""
    run(
        START
        + """
imports.before('asked', lambda: done.append('asked'))
spec = importlib.util.find_spec('asked')
assert spec.origin.endswith('__init__.py') and spec.submodule_search_locations, spec
assert 'words' in spec.loader.get_source('asked')
assert not done and 'asked' not in sys.modules
import asked
assert (done, asked.words) == (['asked'], 'asked')
assert asked.__spec__.loader is asked.__loader__ and type(asked.__loader__).__name__ == 'SourceFileLoader'
importlib.reload(asked)
assert done == ['asked', 'asked']
""",
        home=home,
        path=[packages],
    )


def test_question_for_a_module_below(packages, home):
    """A question for a module imports the packages above it, which are those that a function gives."""
    run(
        START
        + """
import other
imports.answered('asked', lambda name: other if name == 'asked' else None)
assert importlib.util.find_spec('asked') is not None and 'asked' not in sys.modules
assert importlib.util.find_spec('asked.below') is None
assert sys.modules['asked'] is other
""",
        home=home,
        path=[packages],
    )


def test_action_imports_the_module_itself(packages, home):
    """An action may import its module, and another one with an action of its own: each is executed once."""
    run(
        START
        + """
def both():
    if not done:
        done.append('both')
        import other
        import asked

imports.before('asked', both)
imports.before('other', both)
assert importlib.util.find_spec('other') is not None and not done
import other
import asked
assert done == ['both'] and asked.words + other.words == 'askedother'
assert other is sys.modules['other'] and other.__spec__.name == 'other'
assert other.__spec__.origin.endswith('__init__.py')
""",
        home=home,
        path=[packages],
    )


def test_action_changes_what_is_imported(packages, home):
    """What an action moves is found by the import that it comes before."""
    run(
        START
        + """
imports.before('asked', lambda: imports.replaced('asked', 'other'))
import asked
assert asked.words == 'other'
""",
        home=home,
        path=[packages],
    )


def test_module_that_is_not_there(packages, home):
    """A question for a missing module has the answer None; its import lets the action say more."""
    run(
        START
        + """
def tell():
    raise ValueError('more')

imports.before('absent', tell)
assert importlib.util.find_spec('absent') is None
try:
    import absent
except ValueError as error:
    assert str(error) == 'more'
else:
    raise AssertionError
""",
        home=home,
        path=[packages],
    )


def test_stand_in_is_found_without_keras(home):
    """With --stand-in, a question for TensorFlow imports no Keras."""
    run(
        """
import importlib.util, sys

from keras_backend.programs.on_keras3 import stand_in

stand_in.ask()
stand_in.watch()
sys.path[:] = [folder for folder in sys.path if 'site-packages' not in folder]
assert importlib.util.find_spec('tensorflow') is not None
assert not {'keras', 'tensorflow'} & set(sys.modules)
""",
        home=home,
    )
