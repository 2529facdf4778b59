"""Records what the original gives for the idioms and the composite programs, or compares with the record.

It runs where Keras 2.3.1 and TensorFlow 1.15.5 are installed: `python tests/original/record_programs.py [--check]`.
"""

import json
import os
import sys
from typing import Any, Callable, Dict, List, Tuple

import composites
import idioms
import numpy as np

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'programs.json')

SEEDS = range(320)

# A value is [dtype, shape, elements in order]; floats have 7 digits.
Value = Tuple[str, List[int], List[Any]]
Values = Dict[str, Value]


def programs() -> Dict[str, Callable[[Any, Any], Dict[str, Any]]]:
    """Every program by its name: the idioms, then the composite programs."""
    found = dict(idioms.all_idioms())
    found.update((f'composite_{seed:03d}', composites.program(seed)) for seed in SEEDS)
    return found


def element(value: Any) -> Any:
    """A number as the record has it: JSON knows neither NaN nor infinity."""
    if not isinstance(value, float):
        return value
    text = f'{value:.7g}'
    return float(text) if np.isfinite(value) else text


def dense(value: Any) -> Any:
    """The array of a value; the original gives rows with their numbers for the gradient of a table."""
    if hasattr(value, 'dense_shape'):
        array = np.zeros(value.dense_shape, value.values.dtype)
        np.add.at(array, value.indices, value.values.reshape((-1,) + array.shape[1:]))
        return array
    array = np.asarray(value)
    if array.dtype == object:
        raise TypeError(f'a value is no array: {value!r}')
    return array


def encoded(values: Dict[str, Any]) -> Values:
    """The values of one program as they are recorded."""
    found = {}
    for name, value in values.items():
        array = dense(value)
        found[name] = (str(array.dtype), list(array.shape), [element(x) for x in array.ravel().tolist()])
    return found


def run(program: Callable[[Any, Any], Dict[str, Any]], K: Any) -> Values:
    """The values of one program, in a graph of its own."""
    K.clear_session()
    return encoded(program(K, np))


def read() -> Dict[str, Values]:
    """The record: the values of every program by its name."""
    with open(RECORD, encoding='utf-8') as stream:
        return json.load(stream)


def written(record: Dict[str, Values]) -> str:
    """The text of the record: one line for a program."""
    lines = [
        '{}: {}'.format(json.dumps(name), json.dumps(values, separators=(',', ':'))) for name, values in record.items()
    ]
    return '{\n' + ',\n'.join(lines) + '\n}\n'


def allowed(scale: float, tolerance: float) -> float:
    """How far two floats may be from each other in an array whose largest element is `scale`."""
    return tolerance * max(scale, 0.1)


def differences(wanted: Values, found: Values, tolerance: float = 1e-5) -> List[str]:
    """Where the values of a program differ from the record: a sentence each."""
    wrong = [f'{name} is missing' for name in wanted if name not in found]
    wrong += [f'{name} is not in the record' for name in found if name not in wanted]
    for name in wanted:
        if name not in found:
            continue
        (dtype, shape, values), (found_dtype, found_shape, found_values) = wanted[name], found[name]
        if dtype != found_dtype:
            wrong.append(f'{name} has the dtype {found_dtype}, not {dtype}')
        if list(shape) != list(found_shape):
            wrong.append(f'{name} has the shape {found_shape}, not {shape}')
            continue
        expected, given = np.array(values, 'float64'), np.array(found_values, 'float64')
        finite = np.isfinite(expected)
        scale = float(np.abs(expected[finite]).max()) if finite.any() else 0.0
        with np.errstate(invalid='ignore'):
            apart = np.where(expected == given, 0.0, np.abs(expected - given))
            apart = np.where(np.isnan(expected) & np.isnan(given), 0.0, apart)
        far = ~(apart <= allowed(scale, tolerance))
        if far.any():
            at = int(np.argmax(np.where(np.isnan(apart), np.inf, apart)))
            wrong.append(
                f'{name}: element {at} is {float(given[at])}, not {float(expected[at])}'
                f' ({far.sum()} of {far.size} elements differ)'
            )
    return wrong


def main(arguments: List[str]) -> int:
    os.environ['KERAS_BACKEND'] = 'tensorflow'
    os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
    from keras import __version__
    from keras import backend as K

    if __version__ != '2.3.1':
        print(f'The record is of Keras 2.3.1, and this is Keras {__version__}.', file=sys.stderr)
        return 2
    K.set_floatx('float32')
    K.set_epsilon(1e-7)
    K.set_image_data_format('channels_last')
    found = {}
    for name, program in programs().items():
        try:
            found[name] = run(program, K)
        except Exception as error:
            raise RuntimeError(f'{name} fails in the original') from error
    if arguments != ['--check']:
        with open(RECORD, 'w', encoding='utf-8', newline='\n') as stream:
            stream.write(written(found))
        print(f'{len(found)} programs recorded')
        return 0
    record = read()
    wrong = [f'{name} is recorded, but is no program any more' for name in record if name not in found]
    wrong += [f'{name} is not recorded' for name in found if name not in record]
    wrong += [f'{name}: {line}' for name in found for line in differences(record.get(name, {}), found[name], 2e-6)]
    print('\n'.join(wrong) or f'{len(found)} programs give what is recorded')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
