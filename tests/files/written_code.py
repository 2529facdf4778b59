"""Code objects that no compiler writes, in the form in which each Python stores them: instructions by their names."""

import struct

from keras_backend.files.python_code import opcodes


def number(value):
    return b'i' + struct.pack('<i', value)


def text(value):
    raw = value.encode('utf-8', 'surrogatepass')
    return b'u' + struct.pack('<i', len(raw)) + raw


def raw(value):
    return b's' + struct.pack('<i', len(value)) + value


def many(parts):
    parts = list(parts)
    return b'(' + struct.pack('<i', len(parts)) + b''.join(parts)


def kept(data):
    """The object, to which references by its place lead."""
    return bytes([data[0] | 0x80]) + data[1:]


def reference(place):
    return b'r' + struct.pack('<i', place)


def instructions(python, steps):
    """The bytes of `NAME argument` lines of a Python from 3.6."""
    numbers = {name: number for number, name in opcodes.names(python).items()}
    made = b''
    for step in steps.split('\n') if '\n' in steps else steps.split(';'):
        name, *argument = step.split()
        made += bytes([numbers[name], int(argument[0]) if argument else 0])
    return made


def code(steps, consts=(), names=(), varnames=(), free=(), cells=(), stack=4, flags=0x43, arguments=0, only=0,
         positional=0, python=(3, 6), lines=None, **given):  # fmt: skip
    """A code object of Python 3.6 or 3.13. Each argument is a value, or the bytes of an object."""
    body = steps if isinstance(steps, bytes) else instructions(python, steps)

    def part(values):
        return values if isinstance(values, bytes) else many([text(one) for one in values])

    counts = [arguments, *([positional] if python >= (3, 8) else []), only]
    counts += [*([len(varnames)] if python < (3, 11) else []), stack, flags]
    made = b'c' + struct.pack(f'<{len(counts)}i', *counts) + given.get('code', raw(body))
    made += (consts if isinstance(consts, bytes) else many(consts)) + part(names)
    if python >= (3, 11):
        bytes_of = [one for one in (varnames, cells, free) if isinstance(one, bytes)]
        kinds = b'' if bytes_of else bytes([0x20] * len(varnames) + [0x40] * len(cells) + [0x80] * len(free))
        made += part(bytes_of[0] if bytes_of else [*varnames, *cells, *free]) + given.get('kinds', raw(kinds))
    else:
        made += part(varnames) + part(free) + part(cells)
    made += text('a.py') + given.get('name', text('attack')) + (text('attack') if python >= (3, 11) else b'')
    if lines is None:
        units = len(body) // 2
        lines = bytes([0xF8 | min(units - at, 8) - 1 for at in range(0, units, 8)]) if python >= (3, 11) else b''
    if python == (3, 10):
        lines = b'\xc8\x00' * (len(body) // 200) + bytes([len(body) % 200, 0])
    return made + struct.pack('<i', 1) + raw(lines) + (raw(b'') if python >= (3, 11) else b'')
