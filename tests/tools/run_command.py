"""The command `run` in the process of a test."""

from keras_backend.basics import installed
from keras_backend.programs.run import command


def said(*arguments):
    """Carry out a command line of `run`; returns (exit status, standard output, standard error)."""
    out, err = [], []
    return command.main(list(arguments), out.append, err.append), '\n'.join(out), '\n'.join(err)


def few_libraries(monkeypatch, home):
    """Let NumPy and what Keras needs be all that is installed: a dict of names and versions, which may be changed."""
    there = {'numpy': '2.0', 'h5py': '3', 'yaml': '6', 'scipy': '1', 'six': '1', 'PIL': '9', 'pip': '24'}
    monkeypatch.setattr(installed, 'spec', lambda name: there.get(name))
    monkeypatch.setattr(installed, 'version', lambda names: next((there[n] for n in names if n in there), None))
    monkeypatch.delenv('KERAS_BACKEND', raising=False)
    monkeypatch.setenv('KERAS_HOME', str(home))
    return there
