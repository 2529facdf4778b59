"""`python -m keras_backend.keras2 --check` in this process, and without Keras."""

from keras_backend.programs.keras2.check import program as checks


def check(path, text=None, encoding='utf-8'):
    """What is found in a file, which is written first if there is a text."""
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return checks.check(str(path))


def found(program, *severities):
    """(rule, line) of the findings, of these severities if there are any."""
    return [(one.rule, one.line) for one in program.findings if one.severity in severities or not severities]


def reasons(program):
    """Why it is this Keras: what is used, with its line."""
    return [(need.what, need.place.line) for need in program.choice.reasons]
