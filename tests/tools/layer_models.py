"""What a recorded case and its test have in common: the numbers of inputs and weights, by the name of the case."""

import zlib

import numpy as np

BATCH = 3


def random(name):
    """The numbers of a case."""
    return np.random.RandomState(zlib.crc32(name.encode()) % 2**32)


def shape_of(spec):
    """The shape that a model knows, without the batch."""
    return tuple([None if size.startswith('?') else int(size) for size in spec.split()[1:]])


def array(spec, numbers):
    """The values of an input."""
    letter = spec[0]
    shape = [BATCH] + [int(size.strip('?')) for size in spec.split()[1:]]
    if letter == 'i':
        return numbers.randint(0, int(spec.split()[0][1:]), shape).astype('int32')
    values = numbers.uniform(0.1, 1, shape) if letter == 'p' else numbers.randn(*shape)
    if letter == 'm':
        kept = numbers.uniform(size=shape[:-1]) > 0.4
        kept[0, ..., 0], kept[1, ..., -1], kept[2, ..., -2] = False, False, True
        values *= kept[..., None]
    return values.astype('float32')


def weight(name, shape, numbers):
    """The values of a weight."""
    if 'variance' in name:
        return numbers.uniform(0.5, 1.5, shape).astype('float32')
    if 'count' in name:
        return np.zeros(shape, 'float32')
    return np.asarray(numbers.randn(*shape) * 0.5).astype('float32')


def single_cases(rows):
    """The cases of single layers by name. The same kind and arguments twice get numbers."""
    found = {}
    for kind, arguments, inputs in rows:
        said = ' '.join([kind, *[f'{key}={value}' for key, value in sorted(arguments.items())], *inputs])
        found[said] = (kind, arguments, inputs)
    return found
