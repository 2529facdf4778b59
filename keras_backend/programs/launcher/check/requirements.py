"""The files beside a program that say what it needs: requirements.txt and the like."""

import os
import re
from typing import Dict, List

from .reading import decoded

FILES = ('requirements.txt', 'setup.py', 'environment.yml', 'environment.yaml', 'Pipfile', 'README.md')
# A line of requirements.txt, of a list in YAML, or of a Pipfile begins with a name.
_LINE = re.compile(r'^\s*(?:-\s*)?["\']?([A-Za-z0-9][\w.-]*)["\']?\s*(?:$|[=<>!~;#\[@])', re.M)


def texts(path: str) -> List[str]:
    """The texts of these files in the folder of a program, or in a folder."""
    folder = path if os.path.isdir(path) else os.path.dirname(path) or '.'
    return [_text(os.path.join(folder, name)) for name in FILES]


def _text(path: str) -> str:
    try:
        with open(path, 'rb') as stream:
            return decoded(stream.read(1 << 20))[0]
    except OSError:
        return ''


def distributions(path: str) -> Dict[str, str]:
    """The names of modules -> the names for pip, as the program itself lists them; most modules are called alike."""
    lists = [text for name, text in zip(FILES, texts(path)) if not name.endswith(('.md', '.py'))]
    names = [match.group(1) for text in lists for match in _LINE.finditer(text)]
    return {re.sub(r'[-.]', '_', name).lower(): name for name in names}
