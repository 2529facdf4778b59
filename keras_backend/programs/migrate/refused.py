"""What migrate does not take, in one sentence each."""

import ast
import os
import warnings
from typing import List, Tuple

from ...errors import UnreadableFileError
from ..launcher.check.files import TOO_DEEP, Read
from .documents import Document
from .what_program import NO_KERAS, Written


def check_files(path: str, files: List[Read], documents: List[Document]) -> None:
    """Raise UnreadableFileError if there is no code, or if Python reads none of it."""
    if not files:
        raise UnreadableFileError(f'{path} has no program in it: no file ends in .py or .ipynb.')
    if len(files) == 1 and documents[0].refused:
        raise UnreadableFileError(f'migrate cannot read {path}: {documents[0].problem}.')
    if not any(one.source.text.strip() for one in files):
        notebook = path.endswith('.ipynb')
        raise UnreadableFileError(
            f'{path} has no cell with code, so there is nothing to migrate.'
            if notebook
            else f'{path} is empty, so there is nothing to migrate.'
        )
    tree = files[0].tree
    if len(files) == 1 and documents[0].problem and (tree.broken or tree.tree is None) and not tree.python2:
        line, told = _fault(files[0].source.text)
        raise UnreadableFileError(
            f'Python cannot read {path}: {told} at {files[0].source.place(line)}; mend it, and type the command again.'
        )


def check_kind(written: Written) -> None:
    """Raise UnreadableFileError for a program that has nothing to do with Keras."""
    if written.kind == NO_KERAS:
        path = written.keras2.path
        told = f'No program in {path} uses' if os.path.isdir(path) else f'{path} does not use'
        raise UnreadableFileError(f'{told} Keras, so there is nothing to migrate.')


def _fault(text: str) -> Tuple[int, str]:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            ast.parse(text)
        except SyntaxError as error:
            return error.lineno or 1, str(error.msg)
        except ValueError as error:
            return 1, str(error)
        except (RecursionError, MemoryError):  # both mean that it is nested too deep
            pass
    return 1, TOO_DEEP
