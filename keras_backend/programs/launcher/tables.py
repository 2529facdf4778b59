"""Tables of names and words: they lie as JSON beside the module that reads them."""

import json
import os
from typing import Any, Dict


def table(module_file: str, name: str) -> Dict[str, Any]:
    """The table of this name beside a module, whose `__file__` is given."""
    path = os.path.join(os.path.dirname(os.path.abspath(module_file)), name)
    with open(path, encoding='utf-8') as stream:
        read: Dict[str, Any] = json.load(stream)
    return read
