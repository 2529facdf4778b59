"""Records what the original gives for the idioms and the composite programs, or compares with the record.

    python record_programs.py              in the original's environment: writes programs.json
    python record_programs.py --keras224   where Keras 2.2.4 is in place of 2.3.1: writes keras224_programs.json, which
                                           has the values that are not those of programs.json
    --check                                with either: fails if the record is not what the original gives now

record.py says what the original's environment is.
"""

import argparse
import json
import os
import sys
from typing import Any, Callable, Container, Dict, List, Optional, Tuple, Union

import composites
import idioms
import numpy as np
import original_run

FOLDER = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(FOLDER, 'programs.json')
KERAS224 = os.path.join(FOLDER, 'keras224_programs.json')

SEEDS = range(320)

# How far the original may be from itself: the order of a sum depends on the machine.
AGAIN = 5e-6

# A value is [dtype, shape, elements in order]; floats have 7 digits.
Value = Tuple[str, List[int], List[Any]]
Values = Dict[str, Value]

# The values of a program, or the kind of its error.
Outcome = Union[Values, str]


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


def run(program: Callable[[Any, Any], Dict[str, Any]], K: Any, opened: Callable[[], None] = lambda: None) -> Values:
    """The values of one program, in a graph of its own."""
    K.clear_session()
    opened()
    return encoded(program(K, np))


def read(path: str = RECORD) -> Dict[str, Any]:
    """The record: the values of every program by its name."""
    with open(path, encoding='utf-8') as stream:
        return json.load(stream)


def written(record: Dict[str, Outcome]) -> str:
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


def original(version: str, only: Optional[Container[str]] = None) -> Dict[str, Outcome]:
    """What a version of Keras gives for every program, or those named. All run on 2.3.1, which they are for."""
    import record

    runner = record.original(version)
    with_updates: List[str] = []
    function = runner.K.function

    def noted(inputs: Any, outputs: Any, updates: Any = None, **more: Any) -> Any:
        if updates:
            with_updates.append(name)
        return function(inputs, outputs, updates, **more)

    runner.K.function = noted
    found: Dict[str, Outcome] = {}
    for name, program in programs().items():
        if only is not None and name not in only:
            continue
        runner.fresh()
        try:
            found[name] = run(program, runner.K, runner.opened)
        except Exception as raised:
            if version == '2.3.1':
                raise RuntimeError(f'{name} fails in the original') from raised
            found[name] = original_run.error(raised)
    # Keras 2.2.4 reads a variable before or after its update, by chance.
    return found if version == '2.3.1' else {name: found[name] for name in found if name not in with_updates}


def keras224_now(only: Optional[Container[str]] = None) -> Dict[str, Outcome]:
    """What Keras 2.2.4 gives where that is not what the original gives."""
    recorded, other = read(), {}
    for name, outcome in original('2.2.4', only).items():
        if not isinstance(outcome, str):
            same = [key for key in outcome if not differences({key: recorded[name][key]}, {key: outcome[key]}, AGAIN)]
            outcome = {key: value for key, value in outcome.items() if key not in same}
        if outcome:
            other[name] = outcome
    return other


def unlike(wanted: Outcome, found: Outcome, tolerance: float) -> List[str]:
    """Where an outcome differs from another: a sentence each."""
    if isinstance(wanted, str) or isinstance(found, str):
        return [] if wanted == found else ['one fails, or both fail in another way']
    return differences(wanted, found, tolerance)


def compared(record: Dict[str, Outcome], found: Dict[str, Outcome]) -> int:
    """Says where the outcomes are not those of a record: 1 if there is one that is not."""
    wrong = [f'{name} is recorded, and is not among what comes out now' for name in record if name not in found]
    wrong += [f'{name} is not recorded' for name in found if name not in record]
    for name in found:
        if name in record:
            wrong += [f'{name}: {line}' for line in unlike(record[name], found[name], AGAIN)]
    print('\n'.join(wrong) or f'{len(found)} programs give what is recorded')
    return 1 if wrong else 0


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--keras224', action='store_true')
    options = parser.parse_args(arguments)
    # Neither version changes any more: what was alike stays alike.
    listed = read(KERAS224) if options.keras224 and options.check else None
    path, found = (KERAS224, keras224_now(listed)) if options.keras224 else (RECORD, original('2.3.1'))
    if options.check:
        return compared(read(path), found)
    with open(path, 'w', encoding='utf-8', newline='\n') as stream:
        stream.write(written(found))
    print(f'{len(found)} programs recorded')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
