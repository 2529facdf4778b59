"""Lets NaN pass the maxima and minima of a cluster, as it passes those of TensorFlow.

XLA takes the other operand where one is NaN, and leaves NaN out of the maximum of an array. So a loss that is NaN
would look like a number once its function is compiled. Each such operation is written with a test:

    Maximum(x, y)     Select(x != x or x >= y, x, y)       where y is NaN, nothing holds, and y is taken
    Relu(x)           Select(x <= 0, 0, x)
    Max(x, axes)      Select(any(x != x, axes), NaN, Max(x, axes))

Operations are named as in https://www.tensorflow.org/api_docs/python/tf/raw_ops.
"""

from typing import Any, Dict, List

from ..vendor import tf

_COMPARISONS = {'Maximum': 'GreaterEqual', 'Minimum': 'LessEqual'}
_REDUCTIONS = frozenset(['Max', 'Min'])
# The results by name, which the nodes of a function add to the name of a node.
_OUTPUTS = dict.fromkeys(['NotEqual', 'GreaterEqual', 'LessEqual', 'LogicalOr'], 'z')
_OUTPUTS.update(dict.fromkeys(['Any', 'Max', 'Min', 'Const'], 'output'))
_REPLACED = {'Maximum': 'z', 'Minimum': 'z', 'Relu': 'activations', 'Max': 'output', 'Min': 'output'}


def keep_nan(definition: Any) -> None:
    """Rewrite the maxima and minima of a GraphDef, those of its functions included."""
    _Rewriting(definition.node, {}).run()
    for function in definition.library.function:
        _Rewriting(function.node_def, function.ret, inside=True).run()


class _Rewriting:
    """The nodes of a graph or of a function, and the results of the latter by their names."""

    def __init__(self, nodes: Any, results: Any, inside: bool = False) -> None:
        self._nodes, self._results, self._inside = nodes, results, inside
        self._renamed: Dict[str, str] = {}

    def run(self) -> None:
        """Rewrite the nodes."""
        for node in list(self._nodes):
            if node.op in _REPLACED and tf.as_dtype(node.attr['T'].type).is_floating:
                self._rewrite(node)
        if self._inside and self._renamed:
            for node in self._nodes:
                inputs = [self._renamed.get(i, i) for i in node.input]
                del node.input[:]
                node.input.extend(inputs)
            for name, value in self._results.items():
                self._results[name] = self._renamed.get(value, value)

    def _rewrite(self, node: Any) -> None:
        """Make `node` the choice between its operands, so that what reads it reads that."""
        name, dtype, kind = node.name, node.attr['T'].type, node.op
        x, *others = [i for i in node.input if not i.startswith('^')]
        controls = [i for i in node.input if i.startswith('^')]
        if kind in _REDUCTIONS:
            keep = dict(node.attr)
            reduced = self._add(f'{name}/reduced', kind, [x, *others], **keep)
            any_nan = self._add(
                f'{name}/any', 'Any', [self._is_nan(node, x), *others], Tidx=keep['Tidx'], keep_dims=keep['keep_dims']
            )
            chosen = [any_nan, self._number(f'{name}/nan', float('nan'), dtype), reduced]
        elif kind == 'Relu':
            zero = self._number(f'{name}/zero', 0.0, dtype)
            chosen = [self._add(f'{name}/negative', 'LessEqual', [x, zero], T=node.attr['T']), zero, x]
        else:
            better = self._add(f'{name}/better', _COMPARISONS[kind], [x, others[0]], T=node.attr['T'])
            chosen = [self._add(f'{name}/first', 'LogicalOr', [self._is_nan(node, x), better]), x, others[0]]
        self._renamed[f'{name}:{_REPLACED[kind]}:0'] = f'{name}:output:0'
        node.Clear()
        node.name, node.op = name, 'SelectV2'
        node.input.extend(chosen + controls)
        node.attr['T'].type = dtype

    def _is_nan(self, node: Any, x: str) -> str:
        output = self._add(f'{node.name}/is_nan', 'NotEqual', [x, x], T=node.attr['T'])
        self._nodes[-1].attr['incompatible_shape_error'].b = True
        return output

    def _number(self, name: str, value: float, dtype: int) -> str:
        output = self._add(name, 'Const', [])
        self._nodes[-1].attr['dtype'].type = dtype
        self._nodes[-1].attr['value'].tensor.CopyFrom(tf.make_tensor_proto(value, tf.as_dtype(dtype)))
        return output

    def _add(self, name: str, kind: str, inputs: List[str], **attributes: Any) -> str:
        """Add a node; returns what stands for its result."""
        node = self._nodes.add(name=name, op=kind, input=inputs)
        for key, value in attributes.items():
            node.attr[key].CopyFrom(value)
        return f'{name}:{_OUTPUTS[kind]}:0' if self._inside else name
