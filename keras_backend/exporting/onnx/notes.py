"""What a reader of a file of ONNX has to know."""

from typing import List

from ..request import Exported


def notes(exported: Exported) -> List[str]:
    """A sentence for each thing that the file does in another way than the function."""
    found = []
    for name, t in zip(exported.input_names, exported.inputs):
        if t.sparse:
            found.append(f'{name} is dense in the file: ONNX has no sparse matrices.')
    if exported.draws:
        found.append(
            'Draws have the distribution of K and the numbers of what runs the file, whatever seed K was given.'
        )
    if exported.prints:
        found.append('K.print_tensor prints nothing in the file; the tensor passes through.')
    return found
