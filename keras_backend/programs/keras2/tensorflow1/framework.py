"""`tf.contrib.framework`: variables by their names, `arg_scope`, collections of the graph."""

import functools
import re
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Set

from ....basics.arguments import Given, taking
from .itself import tf

# -- collections -------------------------------------------------------------------------------------------------------
# Variables and tensors in collections of the graph, as the functions of `tf.contrib` keep them.


def collection_names(collections: Any, key: str) -> List[str]:
    """The names in `collections`: a list of names, a name, or a dict of lists by the kind of the variable."""
    names = collections.get(key) if isinstance(collections, dict) else collections
    return [names] if isinstance(names, str) else list(names or [])


def collect(items: Iterable[Any], names: Iterable[str]) -> None:
    """Put items in collections where they are not yet."""
    for name in names:
        there = tf.get_collection_ref(name)
        there.extend(item for item in items if not any(item is known for known in there))


def collect_model_variables(layer: Any, collections: Any) -> None:
    """Put the variables of a layer among the model variables, and in the collections of its caller."""
    collect(layer.variables, [tf.GraphKeys.MODEL_VARIABLES])
    for variable in layer.variables:
        collect([variable], collection_names(collections, variable.op.name.rpartition('/')[2]))


def collected_outputs(outputs: Any, collections: Any) -> Any:
    """The outputs, which are now in the collections of the caller, too."""
    collect([outputs], collection_names(collections, 'outputs'))
    return outputs


# -- arg_scope ---------------------------------------------------------------------------------------------------------
# `tf.contrib.framework.arg_scope`: default arguments of functions in a part of a program.


Defaults = Dict[str, Dict[str, Any]]

_scopes: List[Defaults] = [{}]


def arg_scope_func_key(function: Callable[..., Any]) -> str:
    """The name of a function in a scope."""
    return str(getattr(function, '_key_op', f'{function.__module__}.{function.__name__}'))


def has_arg_scope(function: Callable[..., Any]) -> bool:
    """Whether a scope may give default arguments of this function."""
    return hasattr(function, '_key_op')


def current_arg_scope() -> Defaults:
    """The default arguments of each function here."""
    return _scopes[-1]


@contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[Defaults]:
    """Give default arguments to functions in a `with` statement.

    Args:
        list_ops_or_scope: The functions; or what `with arg_scope(...) as scope` gave before.
        **kwargs: The arguments.

    Raises:
        ValueError: A scope was given, and arguments, too; or a function takes no defaults from scopes.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(
                'arg_scope: a scope that was made before takes no arguments; nest another arg_scope in it.'
            )
        scope = {key: dict(arguments) for key, arguments in list_ops_or_scope.items()}
    else:
        scope = {key: dict(arguments) for key, arguments in current_arg_scope().items()}
        for function in list_ops_or_scope:
            if not has_arg_scope(function):
                raise ValueError(
                    f'arg_scope: {function} takes no default arguments; decorate it with '
                    'tf.contrib.framework.add_arg_scope.'
                )
            scope.setdefault(arg_scope_func_key(function), {}).update(kwargs)
    _scopes.append(scope)
    try:
        yield scope
    finally:
        _scopes.pop()


def add_arg_scope(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with default arguments from `arg_scope`."""
    key = arg_scope_func_key(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **dict(current_arg_scope().get(key, {}), **kwargs))

    call.__dict__['_key_op'] = key
    return call


def get_variables(scope: Any = None, suffix: Optional[str] = None, collection: str = 'variables') -> List[Any]:
    """The variables of a collection.

    Args:
        scope: A scope, or how the names begin, as a regular expression.
        suffix: How the names end.
        collection: The name of the collection.
    """
    pattern = scope.name if isinstance(scope, tf.VariableScope) else scope
    if suffix is not None:
        pattern = (pattern or '') + '.*' + (suffix if ':' in suffix else suffix + ':')
    return list(tf.get_collection(collection, pattern))


def get_trainable_variables(scope: Any = None, suffix: Optional[str] = None) -> List[Any]:
    """The variables that are trained: see `get_variables`."""
    return get_variables(scope, suffix, tf.GraphKeys.TRAINABLE_VARIABLES)


def get_model_variables(scope: Any = None, suffix: Optional[str] = None) -> List[Any]:
    """The variables of layers: see `get_variables`."""
    return get_variables(scope, suffix, tf.GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: Optional[str] = None) -> List[Any]:
    """The variables that are not saved: see `get_variables`."""
    return get_variables(scope, suffix, tf.GraphKeys.LOCAL_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> List[Any]:
    """The variables whose names end with `suffix`."""
    return get_variables(scope, suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> List[Any]:
    """The variables with this name in any scope."""
    return get_variables(scope, f'/{given_name}:|^{given_name}:')


def get_unique_variable(var_op_name: str) -> Any:
    """The variable with this name.

    Raises:
        ValueError: There is none, or there are several.
    """
    variables = [variable for variable in tf.global_variables() if variable.op.name == var_op_name]
    if len(variables) != 1:
        raise ValueError(
            f'get_unique_variable({var_op_name!r}): {len(variables)} variables have this name; '
            'print tf.global_variables() to see all names.'
        )
    return variables[0]


def filter_variables(
    var_list: List[Any],
    include_patterns: Optional[List[str]] = None,
    exclude_patterns: Optional[List[str]] = None,
    reg_search: bool = True,
) -> List[Any]:
    """The variables whose names have one of the first patterns and none of the second.

    Args:
        var_list: The variables.
        include_patterns: Regular expressions; without them, all variables are taken.
        exclude_patterns: Regular expressions.
        reg_search: Whether a pattern may be anywhere in the name. Otherwise it has to be at its beginning.
    """
    finds = re.search if reg_search else re.match

    def has(variable: Any, patterns: List[str]) -> bool:
        return any(finds(pattern, variable.op.name) for pattern in patterns)

    return [
        candidate
        for candidate in var_list
        if (not include_patterns or has(candidate, include_patterns)) and not has(candidate, exclude_patterns or [])
    ]


def get_variables_to_restore(include: Optional[List[str]] = None, exclude: Optional[List[str]] = None) -> List[Any]:
    """The variables whose names begin with one of `include` (all without it) and none of `exclude`.

    Raises:
        TypeError: An argument is not a list.
    """
    for name, value in ('include', include), ('exclude', exclude):
        if value is not None and not isinstance(value, (list, tuple)):
            raise TypeError(f'get_variables_to_restore({name}={value!r}): it has to be a list; write [{value!r}].')
    if include is None:
        variables = get_variables()
    else:
        variables = [variable for prefix in include for variable in get_variables(prefix)]
    excluded = [variable for prefix in exclude or [] for variable in get_variables(prefix)]
    return [candidate for candidate in variables if not any(candidate is other for other in excluded)]


@add_arg_scope
@taking(
    'name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None, '
    'caching_device=None, device=None, partitioner=None, custom_getter=None, use_resource=None, **kwargs'
)
def variable(given: Given) -> Any:
    """`tf.get_variable` on a device."""
    arguments = dict(vars(given))
    arguments.update(arguments.pop('kwargs'))
    arguments['collections'] = list(dict.fromkeys(given.collections or [tf.GraphKeys.GLOBAL_VARIABLES]))
    with tf.device(arguments.pop('device') or ''):
        return tf.get_variable(**arguments)


@add_arg_scope
def model_variable(name: str, shape: Any = None, dtype: Any = tf.float32, *args: Any, **kwargs: Any) -> Any:
    """A variable among the model variables: see `variable`."""
    collections = list(kwargs.pop('collections', None) or [])
    collections += [tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.MODEL_VARIABLES]
    return variable(name, shape, dtype, *args, collections=collections, **kwargs)


def add_model_variable(var: Any) -> None:
    """Put a variable among the model variables."""
    there = tf.get_collection_ref(tf.GraphKeys.MODEL_VARIABLES)
    if not any(var is known for known in there):
        there.append(var)


def assign_from_checkpoint_fn(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False, reshape_variables: bool = False
) -> Optional[Callable[[Any], None]]:
    """A function of a session that reads variables from a file.

    Args:
        model_path: The path of the file.
        var_list: The variables, or a dict of them by their names in the file.
        ignore_missing_vars: Whether variables that the file does not have are left out.
        reshape_variables: Whether the shapes may differ.

    Returns:
        The function; None if there are no variables.
    """
    by_name = var_list if isinstance(var_list, dict) else {variable.op.name: variable for variable in var_list}
    if ignore_missing_vars:
        reader = tf.train.load_checkpoint(model_path)
        by_name = {name: variable for name, variable in by_name.items() if reader.has_tensor(name)}
    if not by_name:
        return None
    saver = tf.train.Saver(by_name, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


def get_name_scope() -> str:
    """The name scope here, without the slash at its end."""
    return str(tf.get_default_graph().get_name_scope())


# -- graph editor ------------------------------------------------------------------------------------------------------
# `tf.contrib.graph_editor.graph_replace`: a copy of a part of the graph that reads other tensors.


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


# -- control flow ------------------------------------------------------------------------------------------------------
# Choices and loops as operations of the graph, as TensorFlow 1 made them.


def by_switches(make: Callable[[], Any]) -> Any:
    """The result of `make` with the control flow of TensorFlow 1: operations of the graph itself."""
    util: Any = import_module('tensorflow.python.ops.control_flow_util')
    before, util.ENABLE_CONTROL_FLOW_V2 = util.ENABLE_CONTROL_FLOW_V2, False
    try:
        with tf.get_default_graph().gradient_override_map(_gradients_of_arrays()):
            return make()
    finally:
        util.ENABLE_CONTROL_FLOW_V2 = before


ARRAYS = ('TensorArrayReadV3', 'TensorArrayWriteV3', 'TensorArrayGatherV3', 'TensorArrayScatterV3')


@functools.lru_cache(maxsize=None)
def _gradients_of_arrays() -> Dict[str, str]:
    """Names of gradients for the arrays of such loops. These, too, need the control flow of TensorFlow 1."""
    ops: Any = import_module('tensorflow.python.framework.ops')
    registry = getattr(ops, 'gradient_registry', None) or ops._gradient_registry

    def register(name: str) -> None:
        gradient = registry.lookup(name)
        tf.RegisterGradient(f'{name}BySwitches')(lambda op, *incoming: by_switches(lambda: gradient(op, *incoming)))

    for name in ARRAYS:
        register(name)
    return {name: f'{name}BySwitches' for name in ARRAYS}
