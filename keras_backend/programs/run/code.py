"""The code of a command line under a launcher: `-m keras_backend.programs.run.code CODE`."""

import os
import sys
import tempfile
from typing import List

from ..launcher import rewriting


def main(arguments: List[str]) -> None:
    """Run code as `python -c` does. It lies in a file meanwhile, because a launcher changes the code of files."""
    sys.argv = ['-c', *arguments[1:]]
    sys.path[0] = ''
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'code.py')
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(arguments[0] + '\n')
        code = rewriting.code_of(path)
    rewriting.execute(code or compile(arguments[0], '<string>', 'exec', dont_inherit=True))


if __name__ == '__main__':
    main(sys.argv[1:])
