"""What PyInstaller has to know to freeze a program that imports K. It finds this by the entry point `pyinstaller40`."""

import os
from typing import List


def hook_folders() -> List[str]:
    """The folders with hooks."""
    return [os.path.dirname(os.path.abspath(__file__))]
