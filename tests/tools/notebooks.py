"""The notebooks of examples/notebooks: how they run, and what they print."""

import os

from checkout import ROOT

FOLDER = os.path.join(ROOT, 'examples', 'notebooks')


def path_of(name):
    """The file of a notebook."""
    return os.path.join(FOLDER, name + '.ipynb')


def names():
    """The names of all notebooks."""
    return [name[: -len('.ipynb')] for name in sorted(os.listdir(FOLDER)) if name.endswith('.ipynb')]


def installs(cell):
    """Whether a cell installs packages, which no run here does."""
    return 'install' in cell['metadata'].get('tags', [])


def executed(name, folder):
    """A notebook with the outputs of today, as nbformat has it. Its kernel runs in `folder`."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path_of(name), as_version=4)
    nbformat.validate(notebook)
    whole = list(notebook.cells)
    notebook.cells = [cell for cell in whole if not installs(cell)]
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name='python3', record_timing=False, resources={'metadata': {'path': str(folder)}}
    )
    client.execute()
    notebook.cells = whole
    return notebook


def printed(cell):
    """The text that a cell gave. What goes to stderr counts, too."""
    words = []
    for output in cell.get('outputs', []):
        words.append(''.join(output['text'] if 'text' in output else output['data']['text/plain']))
    # A stream comes in parts, cut anywhere.
    return ''.join(words)
