"""The modules and files of K that no import statement names: PyInstaller runs this file."""

import os
from typing import Iterator

from PyInstaller.utils.hooks import collect_data_files, copy_metadata


def modules() -> Iterator[str]:
    """All modules but the conformance tests. They are listed, not imported: some need a library that is absent."""
    package = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))
    for folder, folders, files in os.walk(package):
        folders[:] = [name for name in folders if name not in ('conformance', 'frozen', '__pycache__')]
        names = os.path.relpath(folder, os.path.dirname(package)).split(os.sep)
        for file in files:
            if file.endswith('.py'):
                yield '.'.join([*names, file[:-3]]).replace('.__init__', '')


# An engine is imported by its name, and so are many parts of the launchers and of what reads model files.
hiddenimports = list(modules())
datas = collect_data_files('keras_backend') + copy_metadata('keras_backend')
