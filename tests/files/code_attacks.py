"""Byte code that no compiler writes. Each entry is the data, or a function that makes it."""

import struct

from written_code import code, instructions, kept, many, number, raw, reference, text

NONE = b'N'
RETURN = 'LOAD_CONST 0; RETURN_VALUE'
NEW = (3, 13)


def doubled():
    """Places of references count from the outside: each tuple holds one that is read, twice."""
    parts = [kept(many([]))]
    for place in range(40):
        parts.append(kept(many([reference(place), reference(place)])))
    return many(parts)


def shared_codes(count):
    """Codes that share one long table of instructions."""
    body = instructions((3, 6), RETURN) + instructions((3, 6), 'NOP') * 20000
    first = code(body, [NONE], stack=1)
    shared = first.replace(raw(body), kept(raw(body)), 1)
    others = [first.replace(raw(body), reference(0), 1)] * count
    return code(RETURN, many([shared, *others]), stack=1)


def same_hashes(count):
    numbers = [
        b'l' + struct.pack('<i', 6) + struct.pack('<6H', *_digits(place * (2**61 - 1))) for place in range(count)
    ]
    return b'>' + many(numbers)[1:]


def _digits(value):
    return [value >> 15 * place & 0x7FFF for place in range(6)]


DATA = {
    'nothing': b'',
    'only_a_kind': b'c',
    'a_number': number(1),
    'a_list': b'[' + struct.pack('<i', 1) + NONE,
    'a_dict': b'{' + text('a') + NONE + b'0',
    'a_set': b'<' + struct.pack('<i', 0),
    'a_stop': b'S',
    'a_null': b'0',
    'an_unknown_kind': b'?',
    'a_slice': b':' + NONE * 3,
    'more_behind': code(RETURN, [NONE]) + NONE,
    'cut': code(RETURN, [NONE])[:-3],
    'tuple_of_many': code(RETURN, b'(' + struct.pack('<i', 2**31 - 1)),
    'tuple_of_less_than_none': code(RETURN, b'(' + struct.pack('<i', -1)),
    'text_of_many': code(RETURN, many([b'u' + struct.pack('<i', 2**31 - 1)])),
    'text_of_less_than_none': code(RETURN, many([b'u' + struct.pack('<i', -2)])),
    'text_that_is_none': code(RETURN, many([b'u' + struct.pack('<i', 1) + b'\xff'])),
    'long_of_many': code(RETURN, many([b'l' + struct.pack('<i', 2**31 - 1)])),
    'long_of_least': code(RETURN, many([b'l' + struct.pack('<i', -(2**31))])),
    'float_that_is_none': code(RETURN, many([b'f\x03abc'])),
    'deep_tuples': code(RETURN, b')\x01' * 100000 + NONE),
    'tuple_of_itself': code(RETURN, many([kept(b')\x01' + reference(0))])),
    'code_of_itself': kept(code(RETURN, many([reference(0)]))),
    'consts_that_are_the_code': kept(code(RETURN, reference(0))),
    'reference_to_nothing': code(RETURN, many([reference(7)])),
    'reference_below_nothing': code(RETURN, many([reference(-1)])),
    'tower_of_tuples': code(RETURN, many([doubled()])),
    'tower_in_codes': code(RETURN, many([code(RETURN, many([doubled()]))])),
    'codes_with_one_table': lambda: shared_codes(5000),
    'set_of_same_hashes': lambda: code(RETURN, many([same_hashes(40000)])),
    'sets_of_same_hashes': lambda: code(RETURN, many([same_hashes(900)] * 50)),
    'set_of_tuples': code(RETURN, many([b'>' + many([many([])])[1:]])),
    'constants_that_are_none': code(RETURN, NONE),
    'constants_that_are_a_code': code(RETURN, code(RETURN, [NONE])),
    'names_that_are_numbers': code(RETURN, [NONE], names=many([number(1)])),
    'names_that_are_a_code': code(RETURN, [NONE], names=code(RETURN, [NONE])),
    'names_that_a_terminal_obeys': code('LOAD_GLOBAL 0; RETURN_VALUE', names=['\x1b[2J']),
    'name_of_a_terminal': code('LOAD_GLOBAL 0; RETURN_VALUE', names=['open'], name=text('\x1b]0;title\x07')),
    'long_name': code('LOAD_GLOBAL 0; RETURN_VALUE', names=['a' * 100000]),
    'instructions_that_are_text': code(RETURN, [NONE], code=text('abc')),
    'no_kinds': code(RETURN, [NONE], varnames=['x'], kinds=raw(b''), python=NEW),
    'kinds_that_are_none': code(RETURN, [NONE], varnames=['x'], kinds=NONE, python=NEW),
    'table_of_lines_cut': code(RETURN, [NONE], lines=b'\x02', python=(3, 6)),
    'table_of_lines_too_long': code(RETURN, [NONE], lines=b'\xff' * 8, python=NEW),
    'table_of_lines_of_nothing': code(RETURN, [NONE], lines=b'', python=NEW),
    'line_without_end': code(RETURN, [NONE], lines=b'\xe9' + b'\xff' * 1000, python=NEW),
    'many_lines': code(RETURN, [NONE], lines=b'\x00\x01' * 100000),
    'less_than_no_arguments': code(RETURN, [NONE], arguments=-1),
    'arguments_without_names': code(RETURN, [NONE], arguments=3),
    'many_arguments': code(RETURN, [NONE], arguments=2**31 - 1),
    'only_arguments': code(RETURN, [NONE], only=-5, varnames=['x']),
    'more_positional_than_all': code(RETURN, [NONE], varnames=['x'], arguments=1, positional=2, python=NEW),
    'rest_without_a_name': code(RETURN, [NONE], flags=0x4F),
    'stack_below_nothing': code(RETURN, [NONE], stack=-1),
    'stack_of_many': code(RETURN, [NONE], stack=2**31 - 1),
    'no_instructions': code(b''),
    'no_end': code('NOP; NOP'),
    'end_behind_a_jump': code('JUMP_FORWARD 100; LOAD_CONST 0; RETURN_VALUE', [NONE]),
    'jump_below_nothing': code('NOP; JUMP_BACKWARD 100; RETURN_CONST 0', [NONE], python=NEW),
    'jump_into_an_argument': code('JUMP_ABSOLUTE 3; LOAD_CONST 0; RETURN_VALUE', [NONE]),
    'jump_behind_a_prefix': code('JUMP_ABSOLUTE 4; EXTENDED_ARG 1; LOAD_CONST 0; RETURN_VALUE', [NONE]),
    'jump_to_itself': code('JUMP_ABSOLUTE 0'),
    'jump_around': code('JUMP_ABSOLUTE 2; JUMP_ABSOLUTE 0'),
    'only_prefixes': code('EXTENDED_ARG 1; EXTENDED_ARG 1'),
    'many_prefixes': code(
        instructions((3, 6), 'EXTENDED_ARG 0') * 40000 + instructions((3, 6), RETURN), [NONE], stack=1
    ),
    'large_argument': code(
        'EXTENDED_ARG 255; EXTENDED_ARG 255; EXTENDED_ARG 255; LOAD_CONST 255; RETURN_VALUE', [NONE]
    ),
    'large_tuple': code('EXTENDED_ARG 127; EXTENDED_ARG 255; EXTENDED_ARG 255; BUILD_TUPLE 255; RETURN_VALUE'),
    'large_unpacking': code(
        'LOAD_CONST 0; EXTENDED_ARG 127; EXTENDED_ARG 255; UNPACK_SEQUENCE 255; RETURN_VALUE', [many([])], stack=60000
    ),
    'half_an_instruction': code(b'\x64\x00\x53', [NONE]),
    'unknown_instruction': code(b'\xff\x00' * 4, [NONE]),
    'cache_first': code(b'\x00\x00' * 4, [NONE], python=NEW),
    'nothing_to_drop': code('POP_TOP; LOAD_CONST 0; RETURN_VALUE', [NONE]),
    'nothing_to_return': code('RETURN_VALUE'),
    'one_to_add': code('LOAD_CONST 0; BINARY_ADD; RETURN_VALUE', [number(1)]),
    'one_to_turn': code('LOAD_CONST 0; ROT_TWO; RETURN_VALUE', [number(1)]),
    'few_to_call': code('LOAD_CONST 0; CALL_FUNCTION 5; RETURN_VALUE', [number(1)]),
    'copy_from_below': code('LOAD_CONST 0; COPY 9; RETURN_VALUE', [NONE], python=NEW),
    'swap_with_below': code('LOAD_CONST 0; SWAP 9; RETURN_VALUE', [NONE], python=NEW),
    'copy_of_nothing': code('COPY 0; RETURN_VALUE', python=NEW),
    'two_depths': code(
        'LOAD_CONST 0; POP_JUMP_IF_FALSE 6; LOAD_CONST 0; LOAD_CONST 0; LOAD_CONST 0; RETURN_VALUE', [number(0)]
    ),
    'growing_loop': code('LOAD_CONST 0; JUMP_ABSOLUTE 0', [NONE]),
    'deeper_than_said': code('LOAD_CONST 0; LOAD_CONST 0; LOAD_CONST 0; RETURN_VALUE', [NONE], stack=1),
    'append_to_below': code('LOAD_CONST 0; LIST_APPEND 5; LOAD_CONST 0; RETURN_VALUE', [NONE]),
    'append_to_a_number': code('LOAD_CONST 0; LOAD_CONST 0; LIST_APPEND 1; RETURN_VALUE', [number(1)], stack=2),
    'append_to_a_constant': code('LOAD_CONST 0; LOAD_CONST 0; LIST_APPEND 1; RETURN_VALUE', [many([])], stack=2),
    'append_to_itself': code('BUILD_LIST 0; DUP_TOP; LIST_APPEND 1; RETURN_VALUE', stack=2),
    'add_to_a_list': code('BUILD_LIST 0; LOAD_CONST 0; SET_ADD 1; RETURN_VALUE', [number(1)], stack=2),
    'constant_that_is_not_there': code('LOAD_CONST 3; RETURN_VALUE', [NONE]),
    'name_that_is_not_there': code('LOAD_GLOBAL 3; RETURN_VALUE'),
    'variable_that_is_not_there': code('LOAD_FAST 3; RETURN_VALUE'),
    'cell_that_is_not_there': code('LOAD_DEREF 3; RETURN_VALUE'),
    'variable_without_a_value': code('LOAD_FAST 0; RETURN_VALUE', varnames=['x'], stack=1),
    'set_item_of_a_constant': code(
        'LOAD_CONST 1; LOAD_CONST 0; LOAD_CONST 1; STORE_SUBSCR; LOAD_CONST 0; RETURN_VALUE',
        [many([NONE]), number(0)],
        stack=3,
    ),
    'function_of_a_number': code(
        'LOAD_CONST 0; LOAD_CONST 1; MAKE_FUNCTION 0; RETURN_VALUE', [number(1), text('f')], stack=2
    ),
    'function_with_numbers_to_share': code(
        'LOAD_CONST 0; LOAD_CONST 1; LOAD_CONST 2; MAKE_FUNCTION 8; CALL_FUNCTION 0; RETURN_VALUE',
        [many([number(1)]), code('LOAD_DEREF 0; RETURN_VALUE', free=['y'], stack=1), text('f')],
        stack=3,
    ),
    'function_with_nothing_to_share': code(
        'LOAD_CONST 0; LOAD_CONST 1; MAKE_FUNCTION 0; CALL_FUNCTION 0; RETURN_VALUE',
        [code('LOAD_DEREF 0; RETURN_VALUE', free=['y'], stack=1), text('f')],
        stack=2,
    ),
    'function_with_a_number_for_names': code(
        'LOAD_CONST 0; LOAD_CONST 1; LOAD_CONST 2; MAKE_FUNCTION 2; RETURN_VALUE',
        [number(1), code(RETURN, [NONE], stack=1), text('f')],
        stack=3,
    ),
    'attribute_of_no_function': code(
        'LOAD_CONST 0; LOAD_CONST 0; SET_FUNCTION_ATTRIBUTE 1; RETURN_VALUE', [number(1)], stack=2, python=NEW
    ),
    'call_of_a_code': code('LOAD_CONST 0; CALL_FUNCTION 0; RETURN_VALUE', [code(RETURN, [NONE], stack=1)], stack=1),
    'item_of_a_code': code(
        'LOAD_CONST 0; LOAD_CONST 1; BINARY_SUBSCR; RETURN_VALUE', [code(RETURN, [NONE], stack=1), number(5)], stack=2
    ),
    'call_of_a_cell': code('LOAD_CLOSURE 0; CALL_FUNCTION 0; RETURN_VALUE', cells=['y'], stack=1),
    'attribute_of_a_cell': code('LOAD_CLOSURE 0; LOAD_ATTR 0; RETURN_VALUE', names=['value'], cells=['y'], stack=1),
    'names_of_arguments_that_are_a_number': code(
        'LOAD_GLOBAL 0; LOAD_CONST 0; LOAD_CONST 0; CALL_FUNCTION_KW 1; RETURN_VALUE', [number(1)], ['abs'], stack=3
    ),
    'names_of_arguments_that_are_numbers': code(
        'LOAD_GLOBAL 0; LOAD_CONST 0; LOAD_CONST 0; CALL_FUNCTION_KW 1; RETURN_VALUE',
        [many([number(1)])],
        ['dict'],
        stack=3,
    ),
    'more_names_than_arguments': code(
        'LOAD_GLOBAL 0; LOAD_CONST 0; CALL_FUNCTION_KW 0; RETURN_VALUE', [many([text('a')])], ['dict'], stack=2
    ),
    'end_of_no_loop': code('POP_BLOCK; LOAD_CONST 0; RETURN_VALUE', [NONE]),
    'break_of_no_loop': code('BREAK_LOOP; LOAD_CONST 0; RETURN_VALUE', [NONE]),
    'many_loops': lambda: code(
        instructions((3, 6), 'SETUP_LOOP 0') * 20000 + instructions((3, 6), RETURN), [NONE], stack=1
    ),
    'import_of_a_constant': code('LOAD_CONST 0; LOAD_CONST 0; IMPORT_NAME 0; RETURN_VALUE', [NONE], ['os'], stack=2),
    'import_from_a_constant': code(
        'LOAD_CONST 0; IMPORT_FROM 0; ROT_TWO; POP_TOP; RETURN_VALUE', [text('os')], ['system'], stack=2
    ),
    'loop_over_a_number': code('LOAD_CONST 0; FOR_ITER 2; POP_TOP; LOAD_CONST 0; RETURN_VALUE', [number(1)], stack=2),
    'iterator_of_a_number': code('LOAD_CONST 0; GET_ITER; RETURN_VALUE', [number(1)], stack=1),
    'nothing_returned': code('PUSH_NULL; RETURN_VALUE', stack=1, python=NEW),
    'nothing_called': code('PUSH_NULL; PUSH_NULL; CALL 0; RETURN_VALUE', stack=2, python=NEW),
    'nothing_added': code('PUSH_NULL; PUSH_NULL; BINARY_OP 0; RETURN_VALUE', stack=2, python=NEW),
    'nothing_kept': code('PUSH_NULL; STORE_FAST 0; LOAD_FAST 0; RETURN_VALUE', varnames=['x'], stack=1, python=NEW),
    'rest_of_calls': code('LOAD_CONST 0; DICT_MERGE 0; RETURN_VALUE', [NONE], stack=1, python=NEW),
    'exception_matched': code('LOAD_CONST 0; CHECK_EXC_MATCH; RETURN_VALUE', [NONE], stack=1, python=NEW),
    'locals_loaded': code('LOAD_LOCALS; RETURN_VALUE', stack=1, python=NEW),
    'class_built': code('LOAD_BUILD_CLASS; RETURN_VALUE', stack=1),
    'frame_of_a_class': code('LOAD_NAME 0; RETURN_VALUE', names=['__builtins__'], stack=1),
    'name_stored': code('LOAD_CONST 0; STORE_NAME 0; LOAD_CONST 0; RETURN_VALUE', [NONE], ['K'], stack=1),
    'global_stored': code('LOAD_CONST 0; STORE_GLOBAL 0; LOAD_CONST 0; RETURN_VALUE', [NONE], ['K'], stack=1),
    'printed': code('LOAD_CONST 0; PRINT_EXPR; LOAD_CONST 0; RETURN_VALUE', [NONE], stack=1),
    'one_constant_many_times': lambda: code(
        instructions((3, 6), 'LOAD_CONST 1; POP_TOP') * 12000 + instructions((3, 6), 'JUMP_ABSOLUTE 0'),
        [NONE, many([number(1)] * 20000)],
        stack=1,
    ),
    'stack_turned': lambda: code(
        instructions((3, 10), 'LOAD_CONST 0') * 9000
        + instructions((3, 10), 'EXTENDED_ARG 35; ROT_N 40') * 6000
        + instructions((3, 10), 'EXTENDED_ARG 35; JUMP_ABSOLUTE 40'),
        [NONE],
        stack=9000,
        python=(3, 10),
    ),
}
