"""What `keras_backend.export` returns."""

from typing import Dict, List, NamedTuple

import numpy as np


class Difference(NamedTuple):
    """How far a file is from its function at some sizes of the inputs.

    sizes:   the shapes of what was fed, in words
    largest: of each output that is not drawn at random, the largest absolute difference, by its name
    """

    sizes: str
    largest: Dict[str, float]


class ExportReport:
    """The file that was written, and how it compares with the K function. `print` shows it.

    path:        where the file is
    format:      its format: 'onnx', 'stablehlo', 'torch_export' or 'saved_model'
    inputs:      names of its inputs
    outputs:     names of its outputs
    variables:   the values of the variables that are inputs, by the names of these
    differences: a `Difference` for each run of both; empty where the check was left out, or is of no use
    notes:       what a reader of the file has to know, a sentence each
    """

    def __init__(self, path: str, format: str, inputs: List[str], outputs: List[str]) -> None:
        self.path, self.format, self.inputs, self.outputs = path, format, inputs, outputs
        self.variables: Dict[str, np.ndarray] = {}
        self.differences: List[Difference] = []
        self.notes: List[str] = []

    def __str__(self) -> str:
        lines = [f'{self.path} ({self.format}): {", ".join(self.inputs) or "nothing"} -> {", ".join(self.outputs)}']
        for difference in self.differences:
            if difference.largest:
                most = max(difference.largest.values())
                lines.append(f'  {difference.sizes}: it differs from the K function by at most {most:.2g}')
        return '\n'.join([*lines, *[f'  {note}' for note in self.notes]])

    __repr__ = __str__
