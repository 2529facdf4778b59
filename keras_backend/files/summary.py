"""A file of Keras as text: who wrote it, its layers and weights, the source of its functions, and what stops it."""

from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

import numpy as np

from .. import loader
from ..basics.terminal import printable
from ..errors import KerasBackendError
from . import lambdas
from .lambdas import Functions, lambda_layers, likely_pythons
from .layers.composition import compose
from .layers.parameters import in_words, with_inner
from .structure import File, Layer, Model

_FORMS = {'h5': 'HDF5', 'keras': '.keras', 'savedmodel': 'SavedModel', 'json': 'JSON', 'yaml': 'YAML'}
_LIBRARIES = {'keras': 'Keras', 'tf.keras': 'tf.keras', 'keras 3': 'Keras'}
_PARTS = ('function', 'mask', 'output_shape')


class Summary:
    """Data and text about a file.

    Its model is composed on NumPy, for which its functions are interpreted; nothing of the file is run. file: the file.
    problem: why it cannot be composed, '' if it can.
    """

    def __init__(self, file: File) -> None:
        """Compose the model, so that shapes are known."""
        self.file = file
        self.problem = ''
        self._shapes: Dict[Any, Any] = {}
        if file.model is not None:
            K = loader.load('numpy')
            try:
                self._shapes = compose(file.model, K, lambdas=Functions(file, K), library=file.library).shapes
            except (KerasBackendError, ValueError, TypeError, NotImplementedError) as error:
                # What a layer raises that cannot be computed; the summary says it.
                self.problem = str(error)

    def data(self) -> Dict[str, Any]:
        """The summary as plain data, for JSON."""
        file = self.file
        weights = {name: [[one.name, list(one.array.shape)] for one in some] for name, some in file.weights.items()}
        return {
            'path': file.path, 'form': file.form, 'library': file.library, 'version': file.version,
            'engine': file.engine, 'pythons': self.pythons(),
            'layers': [] if file.model is None else [self._layer(layer) for layer in file.model.layers],
            'weights': weights, 'parameters': self.parameters(), 'functions': list(self.functions()),
            'problem': self.problem,
        }  # fmt: skip

    def parameters(self) -> int:
        """The number of weights, each element counted."""
        if self.file.model is None:
            return sum(_count(weights) for weights in self.file.weights.values())
        return sum(_of_layer(layer) for layer in self.file.model.layers)

    def pythons(self) -> List[str]:
        """The Pythons that can have written the functions of the file. Empty without functions."""
        common: Optional[List[Any]] = None
        for _layer, _part, stored in _stored(self.file):
            try:
                some = lambdas.python_of(stored['code'])
            except KerasBackendError:
                continue
            common = some if common is None else [python for python in common if python in some]
        return ['.'.join(map(str, python)) for python in sorted(common or [])]

    def functions(self) -> Iterator[Dict[str, Any]]:
        """The functions of the file: the layer, the part of it, and the source as pseudo-code."""
        likely = likely_pythons(self.file)
        for layer, key, stored in _stored(self.file):
            try:
                text = lambdas.source(stored['code'], stored['defaults'], stored['closure'], likely)
            except KerasBackendError as error:
                text = f'# {error}'
            yield {'layer': layer.name, 'part': key, 'source': text, 'refused': self._refused(stored, likely)}

    @staticmethod
    def _refused(stored: Dict[str, Any], likely: List[Tuple[int, int]]) -> List[Dict[str, Any]]:
        """What the interpreter would refuse, as far as that is known without a call."""
        try:
            refusals = lambdas.refusals(stored['code'], loader.load('numpy'), stored['closure'], None, likely)
        except KerasBackendError:
            return []
        return [{'line': refusal.line, 'reason': refusal.reason} for refusal in refusals]

    def _layer(self, layer: Layer) -> Dict[str, Any]:
        return {
            'name': layer.name, 'class': layer.written_as,
            'shapes': [self._shape(layer, number) for number in range(len(layer.calls))],
            'parameters': _of_layer(layer),
            'inputs': [[reference.layer for reference in call.references()] for call in layer.calls],
        }  # fmt: skip

    def _shape(self, layer: Layer, call: int) -> Any:
        if layer.kind == 'InputLayer':
            return layer.config.get('batch_input_shape')
        shapes = self._shapes.get((layer.name, call))
        return None if shapes is None else shapes[0] if len(shapes) == 1 else shapes

    def lines(self) -> Iterator[str]:
        """The summary for people, without letters that a terminal obeys."""
        return map(printable, self._lines())

    def _lines(self) -> Iterator[str]:
        file = self.file
        on = f' on {file.engine}' if file.engine else ''
        pythons = self.pythons()
        by = f', with functions of Python {" or ".join(pythons)}' if pythons else ''
        yield f'{_FORMS[file.form]}, written by {_LIBRARIES[file.library]} {file.version}{on}{by}'
        yield ''
        if file.model is None:
            rows = [
                [name, ', '.join(f'{weight.name} {_shown(weight.array.shape)}' for weight in some)]
                for name, some in file.weights.items()
            ]
            yield from _table(['Layer', 'Weights'], rows)
        else:
            yield from _table(['Layer', 'Class', 'Output', 'Parameters', 'From'], list(self._rows(file.model)))
        yield f'{self.parameters():,} parameters'
        for function in self.functions():
            yield ''
            yield f'{function["layer"]}, {function["part"]}:'
            yield from [f'    {line}' for line in function['source'].splitlines()]
            for refusal in function['refused']:
                yield f'  refused in line {refusal["line"]}: {refusal["reason"]}'
        if self.problem:
            yield ''
            yield f'This stops it: {self.problem}'

    def _rows(self, model: Model) -> Iterator[List[str]]:
        for layer in model.layers:
            summary = self._layer(layer)
            for number, (shape, inputs) in enumerate(zip(summary['shapes'] or [None], summary['inputs'] or [[]])):
                first = [layer.name, layer.written_as] if not number else ['', '']
                count = f'{summary["parameters"]:,}' if not number else ''
                yield [*first, '' if shape is None else _shown(shape), count, ', '.join(inputs)]


def _stored(file: File) -> Iterator[Any]:
    for layer in lambda_layers(file):
        for key in _PARTS:
            stored = layer.config.get(key)
            if isinstance(stored, dict) and 'code' in stored:
                yield layer, key, stored


def _of_layer(layer: Layer) -> int:
    return sum(_count(inner.weights) for inner in with_inner(layer))


def _count(weights: Iterable[Any]) -> int:
    return sum(int(np.size(weight.array)) for weight in weights)


def _shown(shape: Any) -> str:
    if shape and isinstance(shape[0], (list, tuple)):
        return ', '.join(_shown(single) for single in shape)
    return in_words(shape)


def _table(head: List[str], rows: List[List[str]]) -> Iterator[str]:
    rows = [head, *[[_shortened(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    for row in rows:
        yield '  '.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()


def _shortened(text: str) -> str:
    """Names of a file without what a terminal obeys, and cut where they are long."""
    text = printable(text)
    return text if len(text) <= 60 else f'{text[:57]}...'
