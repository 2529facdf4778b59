"""Writes keras_backend/files/python_code/opcodes.json: the numbers of instructions and their caches in each Python.

    python tools/record_opcodes.py PYTHON [PYTHON ...]

Each PYTHON is the program of one version: 2.7 and 3.6 to 3.13. The numbers of Python 3.5 are those of 3.6 but for the
instructions that the documentation of `dis` says came or went with 3.6.
"""

import json
import os
import subprocess
import sys
from typing import Any, Dict

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, 'keras_backend', 'files', 'python_code', 'opcodes.json')
ASK = """
import json, opcode, sys
names = dict((number, name) for name, number in opcode.opmap.items())
caches = getattr(opcode, '_inline_cache_entries', {})
if not isinstance(caches, dict):  # by the number of the instruction, until Python 3.12
    caches = dict((names[number], count) for number, count in enumerate(caches) if number in names)
caches = dict((name, count) for name, count in caches.items() if count and name in opcode.opmap)
print(json.dumps(["%d.%d" % sys.version_info[:2], opcode.opmap, caches]))
"""

NEW_IN_36 = (
    'BUILD_CONST_KEY_MAP BUILD_STRING BUILD_TUPLE_UNPACK_WITH_CALL CALL_FUNCTION_EX FORMAT_VALUE SETUP_ANNOTATIONS '
    'STORE_ANNOTATION'
).split()
GONE_IN_36 = {'MAKE_CLOSURE': 134, 'CALL_FUNCTION_VAR': 140, 'CALL_FUNCTION_KW': 141, 'CALL_FUNCTION_VAR_KW': 142}


def table(versions: Dict[str, Dict[str, int]]) -> Dict[str, Any]:
    """The versions, the oldest first, and for each instruction its numbers in their order, null where it is unknown."""
    versions['3.5'] = {name: number for name, number in versions['3.6'].items() if name not in NEW_IN_36}
    versions['3.5'].update(GONE_IN_36)
    order = sorted(versions, key=lambda version: [int(part) for part in version.split('.')])
    names = sorted({name for numbers in versions.values() for name, number in numbers.items() if number < 256})
    rows = {name: [versions[version].get(name) for version in order] for name in names}
    return {'pythons': order, 'numbers': {name: row for name, row in rows.items() if not name.startswith('INSTR')}}


def main() -> None:
    """Write the table of the Pythons that the command line names."""
    asked = [json.loads(subprocess.check_output([python, '-c', ASK])) for python in sys.argv[1:]]
    made = table({version: numbers for version, numbers, _ in asked})
    caches = [f'  {json.dumps(version)}: {json.dumps(found, sort_keys=True)}' for version, _, found in asked if found]
    rows = [f'  {json.dumps(name)}: {json.dumps(row)}' for name, row in made['numbers'].items()]
    with open(TABLE, 'w', encoding='utf-8') as stream:
        stream.write(
            '{{\n "pythons": {},\n "caches": {{\n{}\n }},\n "numbers": {{\n{}\n }}\n}}\n'.format(
                json.dumps(made['pythons']), ',\n'.join(caches), ',\n'.join(rows)
            )
        )


if __name__ == '__main__':
    main()
