"""Run the notebooks of examples/notebooks, and store what they print.

    python tools/run_notebooks.py old_repository     one notebook, or several; all without a name

It needs the extra `notebooks`, and what a notebook itself installs in its first cell.
"""

import json
import os
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'tools'))

from notebooks import executed, installs, names, path_of  # noqa: E402

KERNEL = {'display_name': 'Python 3', 'language': 'python', 'name': 'python3'}


def main() -> None:
    os.environ.pop('KERAS_BACKEND', None)
    for name in sys.argv[1:] or names():
        with tempfile.TemporaryDirectory() as folder:
            notebook = executed(name, folder)
        notebook.metadata = {'kernelspec': KERNEL, 'language_info': {'name': 'python'}}
        count = 0
        for cell in notebook.cells:
            if cell.cell_type == 'code' and not installs(cell):
                count += 1
                cell.execution_count = count
                for output in cell.outputs:
                    if 'execution_count' in output:
                        output['execution_count'] = count
        with open(path_of(name), 'w', encoding='utf-8', newline='\n') as file:
            json.dump(notebook, file, indent=1, ensure_ascii=False, sort_keys=True)
            file.write('\n')


if __name__ == '__main__':
    main()
