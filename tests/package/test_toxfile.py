"""What toxfile.py adds to tox: the Pythons of pyenv, what a run costs, and what was left out. tox itself is no part."""

import os
import sys
import types

import pytest
from checkout import ROOT


class Missing(Exception):
    """What tox raises where it finds no Python."""


@pytest.fixture
def toxfile(monkeypatch, tmp_path):
    """The module, loaded beside a tox that only has the names it takes from there, with an empty home and PATH."""
    names = {
        'tox.plugin': {'impl': lambda function: function},
        'tox.tox_env.errors': {'Skip': Missing},
        'tox.tox_env.python.api': {'NoInterpreter': Missing},
        'importlib.metadata': {'version': {'tox': '4.5.1', 'virtualenv': '20.21'}.get},
        'tox': {},
        'tox.tox_env': {},
        'tox.tox_env.python': {},
    }
    for name, values in names.items():
        module = types.ModuleType(name)
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setenv('PATH', str(tmp_path / 'first'))
    monkeypatch.setenv('PYENV_ROOT', str(tmp_path / 'pyenv'))
    with open(os.path.join(ROOT, 'toxfile.py'), encoding='utf-8') as stream:
        text = stream.read()
    loaded = types.ModuleType('toxfile')
    exec(compile(text, 'toxfile.py', 'exec'), vars(loaded))
    later = []
    monkeypatch.setattr(
        loaded, 'atexit', types.SimpleNamespace(register=lambda function, *args: later.append((function, args)))
    )
    loaded.later = later
    return loaded


class Environment:
    """An environment of tox, whose Python was found or not."""

    def __init__(self, python, found):
        self.conf, self.found = {'base_python': [python]}, found

    @property
    def base_python(self):
        if not self.found:
            raise Missing
        return 'found'


class Environments(dict):
    def iter(self):
        return iter(self)


def state(command='run', default=True, **environments):
    """What tox hands to a plugin: the options, and the environments that were asked for."""
    options = types.SimpleNamespace(command=command, env=types.SimpleNamespace(is_default_list=default))
    return types.SimpleNamespace(conf=types.SimpleNamespace(options=options), envs=Environments(environments))


def requires(wanted):
    """The settings of [tox]; a requirement is met where the version is that of the fixture."""
    specifier = types.SimpleNamespace(contains=lambda version, prereleases: version == wanted)
    return {'requires': [types.SimpleNamespace(name='tox', specifier=specifier)], 'work_dir': 'the folder'}


def test_pythons_of_pyenv_come_last(toxfile, tmp_path):
    """tox finds the Pythons of pyenv, after all that PATH has already, and each once."""
    for version in '3.6.15', '3.13.0':
        (tmp_path / 'pyenv' / 'versions' / version / 'bin').mkdir(parents=True)
    toxfile.add_pyenv()
    toxfile.add_pyenv()
    places = [tmp_path / 'first'] + [tmp_path / 'pyenv' / 'versions' / name / 'bin' for name in ('3.13.0', '3.6.15')]
    assert os.pathsep.join(map(str, places)) == os.environ['PATH']


def test_left_out_environments_are_named(toxfile, capsys):
    """The last lines name each environment whose Python is missing, and the Pythons to install."""
    asked = state(
        numpy36=Environment('py36', False), here=Environment('py313', True), old=Environment('python3.7', False)
    )
    toxfile.tox_add_core_config(requires('4.5.1'), asked)
    begun = capsys.readouterr().out
    assert 'about two hours' in begun
    assert 'GB of disk in the folder' in begun
    ((last, arguments),) = toxfile.later
    last(*arguments)
    told = capsys.readouterr().out.splitlines()
    assert ['numpy36 Python 3.6', 'old Python 3.7'] == [' '.join(line.split()) for line in told[1:3]]
    assert 'install Python 3.6, Python 3.7,' in told[3]


def test_nothing_to_say(toxfile, capsys):
    """Nothing is said where no environment runs, by a tox that starts another one, or where each Python was found."""
    toxfile.tox_add_core_config(requires('4.5.1'), state('list'))
    toxfile.tox_add_core_config(requires('another'), state())
    assert [] == toxfile.later
    toxfile.tox_add_core_config(requires('4.5.1'), state(default=False, here=Environment('py313', True)))
    ((last, arguments),) = toxfile.later
    last(*arguments)
    assert '' == capsys.readouterr().out
