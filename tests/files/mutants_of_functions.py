"""Functions of several Pythons, changed at random, and instructions at random: each number is a mutant."""

import base64
import json
import os
import random
import struct

from written_code import code, many, number, text

from keras_backend.errors import UnreadableCodeError
from keras_backend.files.python_code import opcodes
from keras_backend.files.python_code.marshal_data import Code, Fields
from keras_backend.files.python_code.operations import REFUSED
from keras_backend.files.python_code.translation import Place, operations

HERE = os.path.dirname(os.path.abspath(__file__))
# The same eight functions, as each Python writes them.
with open(os.path.join(HERE, 'functions_of_pythons.json'), encoding='utf-8') as _stream:
    FUNCTIONS = {
        tuple(map(int, python.split('.'))): [base64.b64decode(text) for text in texts]
        for python, texts in json.load(_stream).items()
    }


def _deep(python, data):
    """A function that says that its stack is deep: what is changed in it fits more often."""
    place = 9 if python < (3, 0) else 17 if (3, 8) <= python < (3, 11) else 13
    return data[:place] + struct.pack('<i', 40) + data[place + 4 :]


ALL = [data for python in sorted(FUNCTIONS) for data in FUNCTIONS[python]]
ALL += [_deep(python, data) for python in sorted(FUNCTIONS) for data in FUNCTIONS[python]]
KINDS = b'NTF.iIlgfystRuaAzZ()>rc[{<:?\xe3\xa9\xda\xfa'
NUMBERS = [0, 1, 2, 3, 255, 256, 65535, 65536, 2**31 - 1, -1, -2, -(2**31)]


def mutant(seed):
    """The bytes of a function with up to six changes, or of instructions at random that fit the stack."""
    chance = random.Random(seed)
    if seed % 3 == 0:
        return _written(chance)
    data = bytearray(chance.choice(ALL))
    for _ in range(chance.choice([1, 1, 1, 2, 3, 6])):
        data = chance.choice(CHANGES)(chance, data) or bytearray(b'c')
    return bytes(data)


def _flipped(chance, data):
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return data


def _replaced(chance, data):
    data[chance.randrange(len(data))] = chance.randrange(256)
    return data


def _nearly(chance, data):
    place = chance.randrange(len(data))
    data[place] = (data[place] + chance.choice([-2, -1, 1, 2])) % 256
    return data


def _another_kind(chance, data):
    data[chance.randrange(len(data))] = chance.choice(KINDS)
    return data


def _number(chance, data):
    place = chance.randrange(len(data))
    data[place : place + 4] = struct.pack('<i', chance.choice(NUMBERS))
    return data


def _cut(chance, data):
    start = chance.randrange(len(data))
    del data[start : start + chance.choice([1, 2, 4, 16])]
    return data


def _inserted(chance, data):
    place = chance.randrange(len(data))
    data[place:place] = bytes([chance.randrange(256) for _ in range(chance.choice([1, 2, 4]))])
    return data


def _moved(chance, data):
    """A part of the data, at another place."""
    size = chance.choice([1, 2, 4, 8])
    start, place = chance.randrange(len(data)), chance.randrange(len(data))
    data[place : place + size] = data[start : start + size]
    return data


def _swapped_instructions(chance, data):
    start = data.find(b's')
    place = chance.randrange(start + 5, len(data)) if 0 <= start < len(data) - 6 else 0
    data[place : place + 4] = data[place + 2 : place + 4] + data[place : place + 2]
    return data


def _joined(chance, data):
    """The start of one function and the end of another."""
    other = chance.choice(ALL)
    place = chance.randrange(min(len(data), len(other)))
    return data[:place] + other[place:]


def _instructions_of_another(chance, data):
    """The instructions of another function, with the constants and names of this one."""
    other = chance.choice(ALL)
    ours, theirs = _instructions(data), _instructions(other)
    return data[: ours[0]] + other[theirs[0] : theirs[1]] + data[ours[1] :]


def _instructions(data):
    """Where the first string of bytes begins and ends."""
    start = min([place for place in (data.find(b's'), data.find(b'\xf3')) if place >= 0] or [0])
    size = struct.unpack('<i', bytes(data[start + 1 : start + 5]).ljust(4, b'\0'))[0]
    return start, min(max(start + 5 + size, start), len(data))


CHANGES = [
    _flipped, _replaced, _nearly, _nearly, _another_kind, _number, _cut, _inserted, _moved, _swapped_instructions,
    _joined, _instructions_of_another,
]  # fmt: skip


# -- instructions at random ----------------------------------------------------------------------------------------
PYTHONS = [python for python in opcodes.pythons() if python >= (3, 6)]
NAMES = (
    'K', 'sum', 'x', 'map', 'getattr', 'shape', 'range', 'np', 'tf', 'sorted', 'append', 'ones', 'dict', 'reduce', 'T',
    'list', 'zip', 'extend', 'stack', 'concat', 'max', 'str', 'update', 'index', 'not_there',
)  # fmt: skip
VARIABLES = ('x', 'y', 'z', 'u', 'v')
INNER = {}


def _constants(chance, python, depth):
    made = [b'N', b'T', number(chance.choice(NUMBERS)), text(chance.choice(NAMES)), many([number(1), text('x')])]
    made += [many([text('axis')]), b'g' + struct.pack('<d', chance.choice([0.5, -1e300, float('inf')])), many([])]
    return [*made, _written(chance, python, 1) if not depth else b'N']


def _written(chance, python=None, depth=0):
    """A code whose instructions never take more than there is. Jumps are short, and some fit."""
    python = python or chance.choice(PYTHONS)
    names, consts = chance.sample(NAMES, 8), _constants(chance, python, depth)
    names[0], free = 'K', VARIABLES[4:] if depth else ()
    tables = (consts, tuple(names), VARIABLES[:3], free, VARIABLES[3:4])
    known = Code(Fields(1, 0, 0, 40, 0, b'', *tables, '', 'f', 1, b'', VARIABLES[: 4 + len(free)]))
    body, height = b'', 0
    for _ in range(chance.choice([4, 8, 16, 40])):
        number, argument = _fitting(chance, python, known, len(body), height)
        if number is not None:
            height += sum([one.effect for one in _translated(python, number, argument, known, len(body))])
            body += bytes([number, argument])
    numbers = {name: number for number, name in opcodes.names(python).items()}
    body += b'' if height else bytes([numbers['LOAD_CONST'], chance.randrange(len(consts))])
    body += bytes([numbers['RETURN_VALUE'], 0])
    flags = chance.choice([0x43, 0x43, 0x43, 0x63, 0x4F])
    arguments = chance.choice([0, 1, 1])
    return code(body, consts, names, *tables[2:], stack=40, flags=flags, arguments=arguments, python=python)


def _fitting(chance, python, known, place, height):
    """An instruction that takes no more than there is."""
    for _ in range(20):
        number = chance.choice(_likely(python))
        argument = chance.choice([0, 0, 1, 1, 2, 2, 3, 4, 5, 7, 8, 64, 200])
        try:
            made = _translated(python, number, argument, known, place)
        except UnreadableCodeError:
            continue
        after = height
        for one in made:
            if one.kind in (REFUSED, 'return') or one.takes > after:
                break
            if (one.target is not None or one.kind in ('end block', 'break')) and chance.random() < 0.95:
                break
            after += one.effect
        else:
            if after < 30:
                return number, argument
    return None, 0


def _translated(python, number, argument, known, place):
    return operations(Place(opcodes.names(python)[number], argument, place + 2, known, python))


def _likely(python):
    """All instructions, and those more often that put something on the stack or call."""
    if python not in INNER:
        names = {name: number for number, name in opcodes.names(python).items() if number < 256}
        often = [
            number for name, number in names.items() if name.startswith(('LOAD_', 'CALL', 'BUILD_', 'GET_', 'STORE_'))
        ]
        left_out = ('CACHE', 'EXTENDED_ARG')
        INNER[python] = [number for name, number in names.items() if name not in left_out] + often * 2
    return INNER[python]
