"""The rows of the grid: under a name, what a call gave, in values that JSON can hold.

A row is the value, or `{'raises': class, 'says': first sentence}`. Floats have six digits. Arrays say their type and
shape; of long ones, the first values and a weighted sum stand for all.
"""

import re

import numpy as np

LONG = 24  # so many numbers of an array are written out


def rounded(number):
    """A float with six significant digits; names for those that JSON has not."""
    number = float(number)
    if number != number or number in (float('inf'), float('-inf')):
        return str(number)
    return float(f'{number:.6g}') + 0.0


def of_array(array):
    """What is written of an array."""
    array = np.asarray(array)
    kind = array.dtype.kind
    values = array.ravel()
    result = {'dtype': str(array.dtype) if kind not in 'OSU' else 'text', 'shape': list(array.shape)}
    if kind in 'OSU':
        values = [value.decode('utf-8', 'replace') if isinstance(value, bytes) else str(value) for value in values]
        return dict(result, values=values[:LONG])
    if kind == 'b':
        return dict(result, values=[int(value) for value in values[:LONG]], total=int(values.sum()))
    if kind in 'iu':
        result['values'] = [int(value) for value in values[:LONG]]
        return dict(result, total=int(values.astype('int64').sum())) if len(values) > LONG else result
    values = values.astype('float64')
    result['values'] = [rounded(value) for value in values[:LONG]]
    if len(values) > LONG:
        result['weighted'] = rounded((values * np.cos(np.arange(len(values)))).sum())
        result['absolute'] = rounded(np.abs(values).sum())
    return result


def without_number(name):
    """A name as it is in a fresh process: the number at its end counts what was made before."""
    return re.sub(r'_\d+(?=$|[:/])', '', name)


def of_mapping(values):
    """A dictionary in plain values; names that were counted up lose their number."""
    result = {}
    for key, value in values.items():
        if key in ('name', 'layer_name') and isinstance(value, str):
            value = without_number(value)
        if key == 'function' and not isinstance(value, str):
            value = '<code>'  # of Lambda: bytes that are others in each Python
        result[str(key)] = plain(value)
    return result


def of_tensor(value):
    """A tensor of TensorFlow, or None where the value is none."""
    name = type(value).__name__
    if name == 'SparseTensor':
        return {'sparse': [of_array(value.indices.numpy()), of_array(value.values.numpy())]}
    if name == 'RaggedTensor':
        return {'ragged': plain(value.to_list())}
    if hasattr(value, 'numpy') and hasattr(value, 'dtype'):
        return of_array(value.numpy())
    if hasattr(value, 'dtype') and hasattr(value, 'shape'):
        return {'symbolic': getattr(value.dtype, 'name', str(value.dtype)), 'shape': plain(value.shape)}
    return None


def plain(value):
    """A value as JSON holds it."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.ndarray):
        return of_array(value)
    if isinstance(value, (np.bool_, np.integer)):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, (float, np.floating)):
        return rounded(value)
    if isinstance(value, bytes):
        return value.decode('utf-8', 'replace')
    if type(value).__name__ == 'TensorShape':
        return None if value.rank is None else [None if size is None else int(size) for size in value.as_list()]
    if hasattr(value, 'items') and hasattr(value, 'keys'):
        return of_mapping(value)
    if isinstance(value, (list, tuple, set, frozenset)) or type(value).__name__ == 'ListWrapper':
        return [plain(item) for item in (sorted(value, key=str) if isinstance(value, (set, frozenset)) else value)]
    tensor = of_tensor(value)
    if tensor is not None:
        return tensor
    if type(value).__name__ == 'DType':
        return value.name
    if hasattr(value, 'get_config') and not isinstance(value, type):
        return {'object': type(value).__name__}
    return f'<{getattr(value, "__name__", type(value).__name__)}>'


def first_sentence(error):
    """What an error says first, without numbers that differ from run to run."""
    text = ' '.join(str(error).split())
    text = re.sub(r'0x[0-9a-f]+', '0x', text)
    text = re.sub(r'\.? at 0x>', '>', text)
    return re.split(r'(?<=[a-z\)\'"`])\. ', text)[0][:160]


def raised(error):
    """The row of an error."""
    return {'raises': type(error).__name__, 'says': first_sentence(error)}


class Rows:
    """Rows of one topic; a name may come once."""

    def __init__(self, topic, fresh=lambda: None):
        self.topic = topic
        self.fresh = fresh  # makes names as they are in a new process
        self.results = {}

    def put(self, name, value):
        """Writes a row."""
        name = f'{self.topic} {name}'
        assert name not in self.results, name
        self.results[name] = value

    def add(self, name, function, *arguments, **options):
        """Writes what a call gives."""
        self.fresh()
        try:
            result = plain(function(*arguments, **options))
        except Exception as error:
            result = raised(error)
        self.put(name, result)

    def each(self, name, function, *arguments, **options):
        """Writes a row for every entry of the dictionary that a call gives, and one for the call if it fails."""
        self.fresh()
        try:
            result = function(*arguments, **options)
            result = {key: plain(value) for key, value in result.items()}
        except Exception as error:
            self.put(name, raised(error))
            return
        self.put(name, 'runs')
        for key, value in result.items():
            self.put(f'{name} / {key}', value)


def safely(function, *arguments, **options):
    """What a call gives, or the row of its error: for one entry among several."""
    try:
        return plain(function(*arguments, **options))
    except Exception as error:
        return raised(error)


def spread(*shape, step=0.37, start=0.0, scale=1.0):
    """Numbers without chance and without a pattern that a layer could hide behind."""
    size = int(np.prod(shape))
    return (scale * np.sin(start + step * np.arange(1, size + 1))).astype('float32').reshape(shape)


def positive(*shape, step=0.37):
    """The same between .05 and .95."""
    return (0.5 + 0.45 * spread(*shape, step=step)).astype('float32')


def set_numbers(layer):
    """Gives the weights of a layer fixed numbers; variances and counts stay above zero."""
    values = []
    for number, weight in enumerate(layer.weights):
        shape = tuple(int(size) for size in weight.shape)
        if 'float' not in str(weight.dtype):
            values.append(weight.numpy())
            continue
        value = spread(*shape, step=0.71 + 0.1 * number, start=number, scale=0.5)
        values.append(np.abs(value) + 0.5 if 'variance' in weight.name else value)
    layer.set_weights(values)
    return layer
