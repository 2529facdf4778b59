"""Check where "go to definition" leads: from `K.conv2d` to the contract, and from there to the method of the front.

python tools/check_definitions.py     exits with 1 and names what leads elsewhere; it needs jedi
"""

import ast
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTRACT = os.path.join(ROOT, 'keras_backend', 'contract')
FRONT = os.path.join(ROOT, 'keras_backend', 'front')


def functions():
    """The K functions by file of the contract: (name, the line and the column at which its statement names it)."""
    for file in sorted(os.listdir(CONTRACT)):
        path = os.path.join(CONTRACT, file)
        if not file.endswith('.py') or file.startswith('_'):
            continue
        with open(path, encoding='utf-8') as stream:
            tree = ast.parse(stream.read())
        for node in tree.body:
            call = getattr(node.body[-1], 'value', None) if isinstance(node, ast.FunctionDef) else None
            method = getattr(call, 'func', None)
            if isinstance(method, ast.Attribute) and getattr(method.value, 'id', '') == 'K':
                # One column into the name, which stands behind `K.`.
                yield path, node.name, method.lineno, method.col_offset + 3


def places(script, line, column):
    """Where a name leads, as (path, name) pairs."""
    return [(str(found.module_path), found.name) for found in script.goto(line, column, follow_imports=True)]


def main():
    import jedi

    project = jedi.Project(ROOT, smart_sys_path=False, added_sys_path=[ROOT])
    wrong, count = [], 0
    for path, name, line, column in functions():
        count += 1
        found = places(jedi.Script(f'import keras_backend as K\nK.{name}\n', project=project), 2, 3)
        if found != [(path, name)]:
            wrong.append(f'K.{name} leads to {found}')
        found = places(jedi.Script(path=path, project=project), line, column)
        if len(found) != 1 or not found[0][0].startswith(FRONT) or found[0][1] != name:
            wrong.append(f'the stub of K.{name} leads to {found}')
    print('\n'.join([*wrong, f'{count} functions, {len(wrong)} wrong ways']))
    return 1 if wrong or count < 162 else 0


if __name__ == '__main__':
    sys.exit(main())
