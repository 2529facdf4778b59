"""What stands in the place of something else in a changed model file: values of JSON, of HDF5, of protocol buffers."""

import h5py
import numpy as np

# A word that becomes a number of 5,000 digits.
DIGITS = 'DIGITS'
TEXTS = [
    '',
    'x',
    'relu',
    'float32',
    '\u00b2',
    '\udcff',
    'a\x1b[31m\n\u202e',
    '9' * 5000,
    '../x',
    'layers',
    'class_name',
]


def _deep(value):
    for _ in range(300):
        value = [value]
    return value


VALUES = {
    'None': lambda value: None,
    'True': lambda value: True,
    'False': lambda value: False,
    '0': lambda value: 0,
    '-1': lambda value: -1,
    '3': lambda value: 3,
    '2**31': lambda value: 2**31,
    '10**30': lambda value: 10**30,
    'digits': lambda value: DIGITS,
    'a fraction': lambda value: 0.5,
    'NaN': lambda value: float('nan'),
    'infinity': lambda value: float('inf'),
    'an empty list': lambda value: [],
    'an empty dict': lambda value: {},
    'a list of it': lambda value: [value],
    'a list of it twice': lambda value: [value, value],
    'a dict of it': lambda value: {'x': value},
    'a wrapped text': lambda value: ['relu'],
    'a list of None': lambda value: [None],
    'numbers': lambda value: [1, 2, 3],
    'nested': _deep,
    'its text': str,
    'an entry': lambda value: {'class_name': 'Dense', 'config': {'units': 2, 'name': 'new'}},
    'an entry without a configuration': lambda value: {'class_name': 'Dense', 'config': None},
    'an entry of numbers': lambda value: {'class_name': 1, 'config': 2},
    'a tuple': lambda value: {'class_name': '__tuple__', 'items': value},
    'an array': lambda value: {'class_name': '__numpy__', 'value': value},
    'a tensor': lambda value: {'class_name': '__tensor__', 'config': {'value': value, 'dtype': 'float32'}},
    **{f'the text {text[:9]!r}': (lambda value, text=text: text) for text in TEXTS},
}


def _of_type(of_type):
    """A writer of a value of a type that h5py does not write by itself."""

    def write(holder, name, array):
        space = h5py.h5s.create(h5py.h5s.SCALAR)
        kind = of_type()
        if array:
            h5py.h5d.create(holder.id, name.encode(), kind, space)
        else:
            h5py.h5a.create(holder.id, name.encode(), kind, space)

    return write


def _sixteen_bytes():
    kind = h5py.h5t.STD_I64LE.copy()
    kind.set_size(16)
    return kind


_NUMBERED = np.dtype([('a', 'i4'), ('b', 'f8')])
_HDF5_VALUES = [
    ('None', lambda: h5py.Empty('f')),
    ('no text', lambda: h5py.Empty(h5py.string_dtype())),
    ('a number', lambda: 3),
    ('a fraction', lambda: float('nan')),
    ('a text', lambda: 'x'),
    ('bytes', lambda: np.bytes_(b'\xff\xfe')),
    ('digits', lambda: '9' * 5000),
    ('a version', lambda: '9' * 5000 + '.1'),
    ('the version 2', lambda: '\u00b2.3.1'),
    ('texts', lambda: np.array([b'a', b'\xff\xfe', b'\xc2\xb2'])),
    ('texts of h5py', lambda: np.array(['a', 'b'], h5py.string_dtype())),
    ('control letters', lambda: 'a\x1b[31m\n\u202e'),
    ('lists', lambda: np.array([[b'a', b'b']])),
    ('no texts', lambda: np.zeros((0,), 'S1')),
    ('booleans', lambda: np.array([True, False])),
    ('an enumeration', lambda: np.array(1, h5py.enum_dtype({'a': 1}))),
    ('a record', lambda: np.zeros((2,), _NUMBERED)),
    ('opaque', lambda: np.void(b'abc')),
    ('complex', lambda: np.complex64(1)),
    ('half', lambda: np.float16(1)),
    ('big endian', lambda: np.ones((2, 2), '>f8')),
    ('of five axes', lambda: np.ones((1, 1, 1, 1, 1))),
    ('of no rows', lambda: np.ones((0, 3))),
]
_HDF5_TYPES = [
    ('a time', lambda: h5py.h5t.UNIX_D32LE),
    ('a number of 16 bytes', _sixteen_bytes),
    # h5py 3.1 does not name it.
    ('a bit field', lambda: getattr(h5py.h5t, 'STD_B8LE', h5py.h5t.STD_U8LE)),
    ('a reference', lambda: h5py.h5t.STD_REF_OBJ),
    ('a reference to a region', lambda: h5py.h5t.STD_REF_DSETREG),
    ('an empty text', lambda: h5py.h5t.C_S1),
    ('lists of numbers', lambda: h5py.h5t.vlen_create(h5py.h5t.NATIVE_INT32)),
    ('an array of a type', lambda: h5py.h5t.array_create(h5py.h5t.NATIVE_INT32, (3,))),
]


def hdf5_value(chance, holder, name, array=False):
    """Put another value in the place of an attribute, or of an array. Result: the words for it."""
    place = holder if array else holder.attrs
    words, value = chance.choice(_HDF5_VALUES + _HDF5_TYPES)
    if not array:
        place.pop(name, None)
    if (words, value) in _HDF5_TYPES:
        _of_type(value)(holder, name, array)
    elif array and words == 'an enumeration':
        holder.create_dataset(name, data=np.array(1, 'i8'))
    else:
        place[name] = value()
    return words


# -- protocol buffers --------------------------------------------------------------------------------------------------
def _number(data, place):
    value = shift = 0
    while place < len(data):
        byte = data[place]
        value |= (byte & 127) << shift
        shift, place = shift + 7, place + 1
        if byte < 128:
            return value, place
    return None, place


def protocol_fields(data):
    """The fields of a message: (number, kind, value). None of bytes that are no message."""
    fields, place = [], 0
    while place < len(data):
        key, place = _number(data, place)
        if key is None or not key >> 3:
            return None
        kind = key & 7
        if kind == 0:
            value, place = _number(data, place)
        elif kind in (1, 2, 5):
            size, place = _number(data, place) if kind == 2 else ({1: 8, 5: 4}[kind], place)
            value = None if size is None or place + size > len(data) else data[place : place + size]
            place += size or 0
        else:
            return None
        if value is None:
            return None
        fields.append((key >> 3, kind, value))
    return fields


def protocol_message(fields):
    """The bytes of a message."""
    parts = []
    for number, kind, value in fields:
        parts.append(_varint(number << 3 | kind))
        parts.append(_varint(value) if kind == 0 else _varint(len(value)) + value if kind == 2 else value)
    return b''.join(parts)


def _varint(value):
    parts = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])
