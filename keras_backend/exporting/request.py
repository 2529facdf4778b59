"""What every format gets: a K function, taken apart and with names."""

import re
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from ..errors import ArgumentTypeError, ArgumentValueError, ExportError
from ..graph.nodes.base import known
from ..graph.nodes.tensor import Node, Tensor, Variable
from ..graph.run.function import Function, new_values, unchanging

# -- options -----------------------------------------------------------------------------------------------------------
# The arguments of `keras_backend.export` that say what the file holds.

# What may become of updates, and of variables.
UPDATES = ('outputs', 'state', 'leave_out')
VARIABLES = ('constants', 'inputs', 'updated')


class Options:
    """The checked arguments.

    updates:      'outputs', 'state', 'leave_out', or None where the function must have no updates
    variables:    which are inputs: none ('constants'), all ('inputs'), or those that an update changes ('updated')
    input_names:  names that the caller gives, None for those of the placeholders
    output_names: the same for outputs
    opset:        the version of ONNX's operators, None for the one that most programs read
    calibration:  values of the inputs for each run, for a file of int8; None for one of floats
    """

    def __init__(
        self,
        updates: Optional[str] = None,
        variables: Optional[str] = None,
        input_names: Any = None,
        output_names: Any = None,
        opset: Optional[int] = None,
        calibration: Any = None,
    ) -> None:
        if updates is not None and updates not in UPDATES:
            raise ArgumentValueError(
                f'keras_backend.export: updates={updates!r} is not known; write one of {", ".join(map(repr, UPDATES))}.'
            )
        if variables is None:
            variables = 'updated' if updates == 'outputs' else 'constants'
        if variables not in VARIABLES:
            raise ArgumentValueError(
                f'keras_backend.export: variables={variables!r} is not known; write one of '
                f'{", ".join(map(repr, VARIABLES))}.'
            )
        if opset is not None and (not isinstance(opset, int) or isinstance(opset, bool)):
            raise ArgumentTypeError(f'keras_backend.export: opset is a number such as 17, got {opset!r}.')
        if calibration is not None and (not isinstance(calibration, (list, tuple)) or not calibration):
            raise ArgumentTypeError(
                'keras_backend.export: calibration is a list with a list of values for each run, got '
                f'{type(calibration).__name__}.'
            )
        self.calibration: Any = calibration
        self.updates, self.variables, self.opset = updates, variables, opset
        self.input_names = _names('input_names', input_names)
        self.output_names = _names('output_names', output_names)


def _names(argument: str, given: Any) -> Optional[List[str]]:
    if given is None:
        return None
    if not isinstance(given, (list, tuple)) or not all([isinstance(name, str) and name for name in given]):
        raise ArgumentTypeError(f'keras_backend.export: {argument} is a list of names, got {given!r}.')
    names = list(given)
    for name in names:
        if names.count(name) > 1:
            raise ArgumentValueError(f'keras_backend.export: {argument} holds the name {name!r} twice.')
    return names


# What runs a file: from arrays by the names of inputs to arrays in the order of the output names.
Run = Callable[[Dict[str, np.ndarray]], List[np.ndarray]]


class Exported:
    """A K function that becomes a file.

    name:           of the function
    inputs:         the tensors that are fed, without variables
    outputs:        what the file gives: the results of the function, then new values with updates='outputs'
    updates:        every (variable, new value) of the function
    state:          those that the file has to assign: all with updates='state', else none
    variables:      those that the program reads or `state` writes, the oldest first
    values:         the arrays of `variables` at the time of the export
    fed:            those of `variables` that are inputs of the file, after `inputs`; the others are constants
    fed_names:      of `fed`
    input_names:    of `inputs`, in their order
    variable_names: of `variables`
    output_names:   of `outputs`
    program:        computes `outputs`, then the new values of `state`; it assigns nothing
    function:       the same as a K function, which leaves variables as they are
    graph, kernels: of the engine that the function was built on
    draws:          whether anything is drawn at random
    prints:         whether it has K.print_tensor
    """

    def __init__(self, function: Any, options: Options) -> None:
        if not isinstance(function, Function):
            raise _no_function(function)
        self.name = function.name
        self.graph = function._graph
        self.kernels = self.graph.kernels
        self.inputs: List[Tensor] = list(function.inputs)
        self.updates: List[Tuple[Variable, Tensor]] = [(u.variable, u.new) for u in new_values(function)]
        if self.updates and options.updates is None:
            names = ', '.join([variable.name for variable, _new in self.updates[:3]])
            if len(self.updates) > 3:
                names += f' and {len(self.updates) - 3} more variables'
            raise ExportError(
                f'K.function: {self.name} updates {names}, and a file has no variables that last; write '
                "updates='outputs' for the new values as further outputs, or updates='leave_out' to do without them."
            )
        self.state = self.updates if options.updates == 'state' else []
        shown = self.updates if options.updates == 'outputs' else []
        more = [new for _variable, new in shown + self.state]
        self.function = unchanging(function, more)
        self.program = self.function.program
        results = list(self.program.outputs)
        count = len(results) - len(self.state)
        self.outputs, self.new_state = results[:count], results[count:]
        read = dict(self.program.variables)
        read.update({variable.id: variable for variable, _new in self.state})
        self.variables: List[Variable] = [read[key] for key in sorted(read)]
        changed = [variable for variable, _new in self.updates]
        chosen = {'constants': [], 'inputs': self.variables, 'updated': changed}[options.variables]
        self.fed = [variable for variable in self.variables if variable in chosen]
        self.draws = bool(self.program.draws)
        self.prints = any([isinstance(n, Node) and n.op.name == 'print' for n in self.program.nodes.values()])
        self._name(options, [variable for variable, _new in shown])

    def _name(self, options: Options, shown: Sequence[Variable]) -> None:
        names = Names()
        self.input_names = names.given('input_names', options.input_names, self.inputs)
        self.variable_names = [names.new(variable.name) for variable in self.variables]
        own = self.outputs[: len(self.outputs) - len(shown)]
        output_names = options.output_names
        if output_names is not None and len(output_names) == len(self.outputs):
            own, shown = self.outputs, ()
        self.output_names = names.given('output_names', output_names, own)
        self.output_names += [names.new(self._name_of(variable) + '_new') for variable in shown]

    def _name_of(self, variable: Variable) -> str:
        """The name of a variable, where it has one here, else its own."""
        if variable in self.variables:
            return self.variable_names[self.variables.index(variable)]
        return variable.name

    @property
    def values(self) -> List[np.ndarray]:
        """The values of `variables` now."""
        return self._values_of(self.variables)

    def _values_of(self, variables: Sequence[Variable]) -> List[np.ndarray]:
        return [np.asarray(self.kernels.to_numpy(variable.data)) for variable in variables]

    @property
    def fed_names(self) -> List[str]:
        """The names of `fed`, in its order."""
        return [name for name, variable in zip(self.variable_names, self.variables) if variable in self.fed]

    @property
    def fed_values(self) -> Dict[str, np.ndarray]:
        """The values of `fed` now, by their names."""
        return dict(zip(self.fed_names, self._values_of(self.fed)))

    def array(self, data: Any) -> np.ndarray:
        """A constant of the engine as an array of NumPy."""
        return np.asarray(data if isinstance(data, np.ndarray) else self.kernels.to_numpy(data))


class Names:
    """Names that are identifiers in every format, each of them once."""

    def __init__(self) -> None:
        self._taken: Dict[str, int] = {}

    def new(self, wanted: str) -> str:
        """A name like the wanted one."""
        cleaned = re.sub('[^A-Za-z0-9_]+', '_', wanted).strip('_') or 'value'
        if cleaned[0].isdigit():
            cleaned = 'n' + cleaned
        name = cleaned
        while name in self._taken:
            self._taken[cleaned] += 1
            name = f'{cleaned}_{self._taken[cleaned]}'
        self._taken[name] = 0
        return name

    def given(self, argument: str, names: Optional[List[str]], tensors: Sequence[Tensor]) -> List[str]:
        """The names that the caller gives for some tensors, or those that the tensors have."""
        if names is None:
            return [self.new(t.name) for t in tensors]
        if len(names) != len(tensors):
            expected = ', '.join([t.name for t in tensors])
            raise ArgumentValueError(
                f'keras_backend.export: {argument} holds {len(names)} names; give {len(tensors)}, for {expected}.'
            )
        for name in names:
            if name in self._taken:
                raise ArgumentValueError(
                    f'keras_backend.export: {argument} holds {name!r}, which is the name of an input; give another one.'
                )
            self._taken[name] = 0
        return names


def _no_function(given: Any) -> Exception:
    """The error for something that is no function on the K graph."""
    module = type(given).__module__
    if module.startswith('keras_backend.'):
        return ExportError(
            f'K.function: {getattr(given, "name", "function")} was built on an engine with graphs of its own; build '
            "the same function with K = keras_backend.load('numpy') and export that. A function of the TensorFlow "
            "engine can be a SavedModel or a .tflite as it is: format='saved_model', format='tflite'."
        )
    return ArgumentTypeError(f'keras_backend.export: function has to be a result of K.function, got {given!r}.')


# -- free sizes --------------------------------------------------------------------------------------------------------
# Names for the sizes that a file leaves free, for formats that have to know which of them are the same.


Sizes = Dict[Any, str]  # of each size that is not known, its name


def names_of_sizes(exported: Exported) -> Iterator[Tuple[Sizes, str]]:
    """Names for the sizes that are not known: each its own, and where a format cannot say that, fewer and fewer."""
    dims = [
        (d, name, axis)
        for name, t in zip(exported.input_names, exported.inputs)
        for axis, d in enumerate(t.dims)
        if not known(d)
    ]
    free: Sizes = {}
    for d, name, axis in dims:
        free.setdefault(d, f'{name}_{axis}')
    yield free, ''
    if len(free) > 1:
        batch = {d: 'batch' if axis == 0 else free[d] for d, _name, axis in reversed(dims)}
        yield batch, 'All inputs have the same size along their first axis, if it is free.'
        every = {d: 'batch' if axis == 0 else f'size_{axis}' for d, _name, axis in reversed(dims)}
        yield every, 'All inputs have the same size along an axis of the same number, if it is free.'
