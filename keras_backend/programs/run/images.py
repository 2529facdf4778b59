"""Whether a program of Keras 1 or 2 has images with the channels first, as Theano had them, and only shows it."""

import ast
import re
from typing import Any, List, Optional, Sequence

from ..launcher.check.files import Read
from ..launcher.check.rules import Place

FIRST, LAST = 'first', 'last'
# A program with one of these words chooses by itself.
_CHOOSES = re.compile(r'dim_ordering|data_format|channels_first|channels_last')
_OF_IMAGES = re.compile(r'2D$')
_SHAPES = {'input_shape': 0, 'batch_input_shape': 1}
_CHANNELS = re.compile(r'chan|depth', re.I)


def channels_first(files: Sequence[Read]) -> Optional[Place]:
    """The place of the first `input_shape=(1, 28, 28)` of a layer of images; None where nothing or another tells.

    files: those of the program.
    """
    if any(_CHOOSES.search(file.source.text) for file in files):
        return None
    found: List[Place] = []
    for file in files:
        for node in ast.walk(file.tree.tree) if file.tree.tree is not None else ():
            for shape in _shapes(node):
                order = _order(shape)
                if order == LAST:
                    return None
                if order == FIRST:
                    found.append(file.source.place(node.lineno))  # type: ignore[attr-defined]
    return found[0] if found else None


def _shapes(node: ast.AST) -> List[Sequence[ast.expr]]:
    """The shapes of images, without the batch, that a layer is called with."""
    if not isinstance(node, ast.Call):
        return []
    name = getattr(node.func, 'attr', getattr(node.func, 'id', ''))
    if not _OF_IMAGES.search(name):
        return []
    shapes = []
    for keyword in node.keywords:
        if keyword.arg in _SHAPES and isinstance(keyword.value, ast.Tuple):
            shapes.append(keyword.value.elts[_SHAPES[keyword.arg] :])
    return [shape for shape in shapes if len(shape) == 3]


def _order(shape: Sequence[ast.expr]) -> str:
    """Where the channels of a shape are; '' if it does not tell."""
    first, last = _is_channels(shape[0]), _is_channels(shape[-1])
    return '' if first == last else FIRST if first else LAST


def _is_channels(node: Any) -> bool:
    value = getattr(node, 'value', getattr(node, 'n', None))
    return value in (1, 3) if isinstance(value, int) else bool(_CHANNELS.search(getattr(node, 'id', '')))
