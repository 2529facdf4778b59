"""Names that NumPy and SciPy removed, where the cures of the launchers know the name of today."""

import ast
from typing import Any, Iterator

from ...launcher.libraries.numpy_cures import PYTHON_TYPES, RENAMED
from ..code import Change, Code

# These do not mean the same for every argument, or are not in every NumPy that programs run with.
_NOT_THE_SAME = ('trapz', 'in1d', 'typeDict')
# A name of SciPy -> the module that has it today, as the cures of SciPy say.
_OF_SCIPY = {f'scipy.misc.{name}': 'scipy.special' for name in ('comb', 'factorial', 'factorial2', 'logsumexp')}
_OF_SCIPY['scipy.misc.pade'] = 'scipy.interpolate'
_OF_SCIPY.update(
    (f'scipy.signal.{name}', 'scipy.signal.windows') for name in ('gaussian', 'hann', 'hamming', 'blackman')
)

# What the launchers bring back, and no other library has in the same words.
_GONE = {
    f'scipy.misc.{name}' for name in ('imresize', 'imread', 'imsave', 'imrotate', 'imfilter', 'toimage', 'bytescale')
}


def judge(code: Code) -> Iterator[Change]:
    """`np.float`, `np.Inf`, `np.asscalar`, `from scipy.misc import comb`."""
    for node in code.nodes(ast.Attribute):
        full = code.names.written(node)
        if full.startswith('numpy.') and isinstance(node.ctx, ast.Load):
            yield from _of_numpy(code, node, full[6:])
    for node in code.nodes(ast.ImportFrom):
        yield from _moved(code, node)
    if code.route == 'import':
        yield from _gone(code)


def _of_numpy(code: Code, node: Any, name: str) -> Iterator[Change]:
    written = code.source(node)
    if name in PYTHON_TYPES:
        new = PYTHON_TYPES[name].__name__
        if not code.names.scope(node).find(new):
            yield Change(
                'numpy', node.lineno, f'{written} is {new}; NumPy 1.24 removed it', (code.replaced(node, new),)
            )
    elif name in RENAMED and name not in _NOT_THE_SAME:
        new = RENAMED[name]
        reason = f'{written} is {new} of NumPy; NumPy 2 removed the other name'
        yield Change('numpy', node.lineno, reason, ((*code.attribute(node), new),))
    elif name == 'asscalar':
        call = code.names.parents[id(node)]
        if isinstance(call, ast.Call) and call.func is node and len(call.args) == 1 and not call.keywords:
            end = code.span(call)[1]
            reason = f'NumPy 1.23 removed {written}'
            yield Change('numpy', node.lineno, reason, ((*code.attribute(node), 'asarray'), (end, end, '.item()')))


def _gone(code: Code) -> Iterator[Change]:
    """`scipy.misc.imresize`, which only the launchers have."""
    for call in code.nodes(ast.Call):
        full = code.names.written(call.func)
        if full in _GONE:
            reason = f'{full} is gone since SciPy 1.3, and the launchers have it; write it with Pillow by hand'
            yield Change('scipy', call.lineno, reason)


def _moved(code: Code, node: Any) -> Iterator[Change]:
    """`from scipy.misc import comb` is `from scipy.special import comb`."""
    modules = {_OF_SCIPY.get(f'{node.module}.{alias.name}', '') for alias in node.names}
    if node.level or modules == {''} or len(modules) != 1:
        return
    start = code.text.index(node.module, code.span(node)[0])
    new = modules.pop()
    names = ', '.join(alias.name for alias in node.names)
    span = (start, start + len(node.module), new)
    yield Change('scipy', node.lineno, f'{names} of {node.module} is in {new} since SciPy 1.3', (span,))
