"""Tables in files of JSON, each beside the module that reads it."""

import json
import os
from typing import Any


def beside(module: str, name: str) -> Any:
    """What is in the file of this name in the folder of a module. module: its `__file__`."""
    with open(os.path.join(os.path.dirname(os.path.abspath(module)), name), encoding='utf-8') as stream:
        return json.load(stream)
