"""The common parts of the launchers: `python -m keras_backend.keras2` and `python -m keras_backend.keras3`.

`command.py` runs a program as `python` would, `imports.py` acts when the program imports a module, `cures.py` keeps the
list of what was changed and explains it, `libraries` has the cures for Python and other libraries, `check` reads a
program for `--check`, and `child_processes` prepares the children of the process.
"""
