"""`tf.contrib.graph_editor.graph_replace`: a copy of a part of the graph that reads other tensors."""

from typing import Any, Dict, List, Set

import tensorflow.compat.v1 as tf


def graph_replace(
    target_ts: Any, replacement_ts: Any, dst_scope: str = '', src_scope: str = '', reuse_dst_scope: bool = False
) -> Any:
    """Tensors computed with other tensors in the place of some on their way.

    Args:
        target_ts: A tensor, or a structure of tensors.
        replacement_ts: A dict: a tensor of the graph -> what stands for it in the copy.
        dst_scope: The scope of the copy.
        src_scope: Not given back.
        reuse_dst_scope: Whether the scope of the copy is that of this name, rather than a new one.

    Returns:
        The same structure, with the tensors of the copy. A tensor that does not depend on those replaced stays.

    Raises:
        ValueError: No tensor depends on those replaced, or `src_scope` is given.
    """
    if src_scope:
        raise ValueError(f'graph_replace(src_scope={src_scope!r}) is gone with TensorFlow 1; leave it out.')
    targets = [_output(leaf) for leaf in tf.nest.flatten(target_ts)]
    replaced = {}
    for old, new in replacement_ts.items():
        tensor = _output(old)
        replaced[tensor.ref()] = tf.convert_to_tensor(new, tensor.dtype.base_dtype)
    copied = _between(list(replaced), targets)
    if not copied:
        raise ValueError(
            'graph_replace: the targets and the replaced tensors are not connected; give tensors on which they depend.'
        )
    results = iter(_copies(targets, replaced, copied, dst_scope, reuse_dst_scope))
    tensors = [
        replaced[target.ref()] if target.ref() in replaced else next(results) if target.op in copied else target
        for target in targets
    ]
    return tf.nest.pack_sequence_as(target_ts, tensors)


def _output(tensor: Any) -> Any:
    """A tensor of the graph; the first result of an operation or a variable."""
    return tensor.outputs[0] if isinstance(tensor, tf.Operation) else tf.convert_to_tensor(tensor)


def _between(replaced: List[Any], targets: List[Any]) -> Set[Any]:
    """The operations on the ways from the replaced tensors to the targets."""
    after: Set[Any] = set()
    waiting = [op for reference in replaced for op in reference.deref().consumers()]
    while waiting:
        op = waiting.pop()
        if op not in after:
            after.add(op)
            waiting += [consumer for output in op.outputs for consumer in output.consumers()]
            waiting += op._control_outputs
    inside: Set[Any] = set()
    waiting = [target.op for target in targets]
    while waiting:
        op = waiting.pop()
        if op in after and op not in inside:
            inside.add(op)
            waiting += [tensor.op for tensor in op.inputs if tensor.ref() not in replaced] + list(op.control_inputs)
    return inside


def _copies(targets: List[Any], replaced: Dict[Any, Any], copied: Set[Any], scope: str, again: bool) -> List[Any]:
    """The copies of the targets that are copied."""
    graph = targets[0].graph
    definition = graph.as_graph_def()
    names = {op.name for op in copied}
    nodes = [node for node in definition.node if node.name in names]
    del definition.node[:]
    definition.node.extend(nodes)
    for node in definition.node:
        # A copy may lie elsewhere than an operation that is not copied.
        node.attr.pop('_class', None)
    feeds: Dict[str, Any] = {}
    for op in copied:
        for tensor in op.inputs:
            if tensor.ref() in replaced:
                feeds[tensor.name] = replaced[tensor.ref()]
            elif tensor.op not in copied:
                feeds[tensor.name] = tensor
    # The inputs of an imported graph can be other tensors, but not other operations to wait for: these are added later.
    waits = {op: [other for other in op.control_inputs if other not in copied] for op in copied}
    waits = {op: outside for op, outside in waits.items() if outside}
    for node in definition.node:
        kept = [name for name in node.input if not name.startswith('^') or name[1:] in names]
        del node.input[:]
        node.input.extend(kept)
    target_names = [tensor.name for tensor in targets if tensor.op in copied and tensor.ref() not in replaced]
    with graph.as_default(), tf.name_scope(None):
        prefix = scope if scope and again else graph.unique_name(scope, mark_as_used=False) if scope else ''
        results: List[Any] = tf.import_graph_def(
            definition, input_map=feeds, return_elements=target_names + [op.name for op in waits], name=prefix
        )
    for copy, outside in zip(results[len(target_names) :], waits.values()):
        copy._add_control_inputs(outside)
    return results[: len(target_names)]
