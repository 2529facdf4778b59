"""The command `run` in the process of a test."""

from keras_backend.programs.run import command


def said(*arguments):
    """Carry out a command line of `run`; returns (exit status, standard output, standard error)."""
    out, err = [], []
    return command.main(list(arguments), out.append, err.append), '\n'.join(out), '\n'.join(err)
