"""Folders of a SavedModel whose model is a class of its own: TensorFlow runs their graphs, and no Python of the folder.

Before TensorFlow sees the folder, each operation of each function in it is looked up. One that reads or writes files,
calls Python, talks to other processes or prints is refused, and so is one that the installed TensorFlow does not know.
How much memory and time the operations ask for is not limited.
"""

import os
import re
import warnings
from importlib import import_module
from typing import Any, Dict, Mapping, Set

from ...errors import UnreadableFileError
from ..reading.limits import opened, part
from ..reading.saved_model import GRAPH
from .own_layers import tf_keras

# Operations without a state that touch more than tensors all the same. Any other one computes its outputs alone.
_REFUSED = re.compile(
    '_|.*(ReadFile|MatchingFiles|PyFunc|Debug|Dataset|Xla|TPU|Custom|Host|Mlir|Reader|Queue|Table|Summary|Collective|'
    'Print|Checkpoint|Nccl|Remote|Rpc|Save|Restore|Quantile)'
)
# Operations with a state that is in the process: variables, random numbers, control flow, tables in memory.
_ALLOWED = re.compile(
    '(VarHandleOp|(Read|Assign|AssignAdd|AssignSub)VariableOp|VarIsInitializedOp|VariableShape|Resource(Gather|Scatter).*'
    '|Resource(Sparse)?Apply.*|ResourceStridedSliceAssign|StatefulPartitionedCall|If|While|Case|Assert|Empty'
    '|Random(Uniform|UniformInt|StandardNormal|Shuffle|Poisson|PoissonV2|Gamma)|TruncatedNormal|Multinomial'
    '|Stateful(Uniform|UniformInt|UniformFullInt|StandardNormal|StandardNormalV2|TruncatedNormal|RandomBinomial)'
    '|StatelessRandomGetAlg|RngSkip|RngReadAndSkip|TensorArray\\w*|Stack(Push|Pop|Close)?(V2)?|CheckNumerics(V2)?'
    '|GuaranteeConst|CudnnRNN\\w*|(Anonymous)?(Mutable)?(Dense)?HashTable(OfTensors)?(V2)?'
    '|LookupTable(Find|Import|Insert|Size|Export|Remove)V2|InitializeTableV2|Placeholder|DisableCopyOnRead)'
)


# TensorFlow prefers it to the file that is looked up.
_IN_PARTS = 'saved_model.cpb'


def check(path: str) -> None:
    """Look up the operations of a folder. Errors: UnreadableFileError, OSError."""
    _check_files(path)
    # TensorFlow's own reader: what it sees is what runs.
    saved: Any = import_module('tensorflow.core.protobuf.saved_model_pb2').SavedModel()
    try:
        saved.ParseFromString(_content(part(path, GRAPH)))
    except import_module('google.protobuf.message').DecodeError as error:
        raise UnreadableFileError(f'{part(path, GRAPH)} is damaged: {error}') from error
    # Without objects, TensorFlow runs a graph of TensorFlow 1 when it reads the folder.
    if len(saved.meta_graphs) != 1 or not saved.meta_graphs[0].HasField('object_graph_def'):
        raise UnreadableFileError(
            f'{path} is no SavedModel of TensorFlow 2: it has no objects. files.load does not run its graph.'
        )
    graph = saved.meta_graphs[0]
    library = graph.graph_def.library
    functions = {function.signature.name: function for function in library.function}
    # The functions that save a model write files. Nothing calls them but `save` of the program that wrote the folder.
    called = {*graph.object_graph_def.concrete_functions}
    called.update(gradient.gradient_func for gradient in [*library.gradient, *library.registered_gradients])
    for function in library.function:
        called.update(_named(function))
    for name in sorted(called & set(functions)):
        operation = _refused_operation(functions[name], functions)
        if operation:
            raise UnreadableFileError(
                f'The function {name[:80]!r} of {path} has the operation {operation[:80]!r}, which may reach more than '
                'tensors: files, Python, other processes. files.load does not run it. If you trust the folder, type: '
                f'tensorflow.saved_model.load({path!r}).'
            )


def _check_files(path: str) -> None:
    for folder, folders, names in os.walk(path):
        for name in [*folders, *names]:
            file = part(path, os.path.relpath(os.path.join(folder, name), path))
            if not os.path.isdir(file) and not os.path.isfile(file):
                raise UnreadableFileError(f'{file} is no regular file.')
    if os.path.exists(part(path, _IN_PARTS)):
        raise UnreadableFileError(f'{path} has its graph in parts ({_IN_PARTS}), which files.load does not read.')


def _content(path: str) -> bytes:
    with opened(path) as file:
        return bytes(file.read())


def _refused_operation(function: Any, functions: Mapping[str, Any]) -> str:
    """The first operation of a function that is not run; '' where each one is."""
    registry: Any = import_module('tensorflow.python.framework.op_def_registry')
    for node in function.node_def:
        if node.op in functions or _ALLOWED.fullmatch(node.op):
            continue
        definition = registry.get(node.op)
        if definition is None or definition.is_stateful or _REFUSED.match(node.op):
            return str(node.op) or 'without a name'
    return ''


def _named(function: Any) -> Set[str]:
    """What the operations of a function may call: their own names, and the names in their attributes."""
    names = {node.op for node in function.node_def}
    for attributes in [function.attr, *[node.attr for node in function.node_def]]:
        for value in attributes.values():
            texts = [value.s, *value.list.s]
            names.update([value.func.name, *[listed.name for listed in value.list.func]])
            names.update([text.decode('utf-8', 'replace') for text in texts])
    return names


class ModelOfGraph(tf_keras.Model):
    """A model whose `call` is that of a folder, as operations of TensorFlow.

    It predicts and trains. Its weights are the variables of the folder. It has no layers, and no configuration. Losses
    that layers of the class added by themselves are not known; `compile` says so.
    """

    def __init__(self, path: str) -> None:
        """Let TensorFlow read the folder. Errors: UnreadableFileError, OSError."""
        super().__init__(name='model')
        check(path)
        tensorflow: Any = import_module('tensorflow')
        self.graph_of_file = tensorflow.saved_model.load(path)
        self._of_call: Any = self.graph_of_file if callable(self.graph_of_file) else None
        signatures = self.graph_of_file.signatures
        if self._of_call is None and 'serving_default' not in signatures:
            raise UnreadableFileError(f'{path} has no function that can be called, and no signature serving_default.')
        functions = [self._of_call] if self._of_call is not None else []
        functions = [entry for function in functions for entry in function.__call__.concrete_functions]
        variables: Dict[int, Any] = {}
        for function in functions or [signatures['serving_default']]:
            variables.update((id(variable), variable) for variable in function.graph.variables)
        self.variables_of_file = list(variables.values())

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """As of `tf_keras.Model`. Warning: losses of the class itself are not known."""
        warnings.warn(
            'The model is the graph of a folder, which does not say what its layers add to the loss: add_loss and '
            'regularizers. Training goes without these.',
            stacklevel=2,
        )
        super().compile(*args, **kwargs)

    def call(self, inputs: Any, training: Any = None) -> Any:
        """The outputs of the model that was saved."""
        if self._of_call is None:
            return self._of_signature(inputs)
        if not self._takes_training():
            return self._of_call(inputs)
        return self._of_call(inputs, training=bool(training))

    def _takes_training(self) -> bool:
        for function in self._of_call.__call__.concrete_functions:
            _, keywords = function.structured_input_signature
            if 'training' in keywords or 'training' in function.function_type.parameters:
                return True
        return False

    def _of_signature(self, inputs: Any) -> Any:
        function = self.graph_of_file.signatures['serving_default']
        names = sorted(function.structured_input_signature[1])
        if not isinstance(inputs, dict):
            values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
            inputs = dict(zip(names, values))
        outputs = function(**inputs)
        return next(iter(outputs.values())) if len(outputs) == 1 else outputs
