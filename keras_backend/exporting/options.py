"""The arguments of `keras_backend.export` that say what the file holds."""

from typing import Any, List, Optional

from ..errors import ArgumentTypeError, ArgumentValueError

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
    """

    def __init__(
        self,
        updates: Optional[str] = None,
        variables: Optional[str] = None,
        input_names: Any = None,
        output_names: Any = None,
        opset: Optional[int] = None,
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
