"""Starts programs under `python -m keras_backend.keras2` from a process that has imported their libraries already.

    python warm_start.py MODULE ...

imports the modules, and then runs one program after the other, each in a fork of its own. A request is a line of JSON
on stdin. It has the arguments after `-m keras_backend.keras2`, the environment, the working folder, and the files for
the output and the errors. The answers are two lines on stdout: the number of the process, and its exit status.

Nothing of keras_backend or Keras is imported before the fork, so each program imports both anew, in its own order. Its
import of the engine's library, and of what reads files and images, takes no time.
"""

import importlib
import importlib.machinery
import json
import os
import runpy
import sys

# Modules that the launcher watches: their import has to be seen, though it takes no time.
WATCHED = 'tensorflow', 'h5py', 'scipy.ndimage', 'PIL.Image'


class _Ready:
    """A finder and a loader of modules that this process has imported and taken out of sys.modules again."""

    def __init__(self, modules):
        self.modules = modules

    def find_spec(self, name, path=None, target=None):
        """The spec of a module that is held here."""
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name in self.modules else None

    def create_module(self, spec):
        """The module, with the spec that it has had."""
        self.spec = self.modules[spec.name].__spec__
        return self.modules[spec.name]

    def exec_module(self, module):
        """Gives the module its own spec again. The next import of the same name finds what others find."""
        del self.modules[module.__spec__.name]
        module.__spec__ = self.spec


def warm(names):
    """Import modules where they are installed, and hide those that are watched."""
    sys.modules['keras'] = None  # TensorFlow looks for Keras 3, and would find Keras 2 before the launcher is there
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    del sys.modules['keras']
    sys.meta_path.insert(0, _Ready({name: sys.modules.pop(name) for name in WATCHED if name in sys.modules}))


def become(request):
    """Be the process that a request asks for: its environment, folder, output and arguments."""
    if 'numpy' in sys.modules:
        sys.modules['numpy'].random.seed()  # as in a process that has just been started
    os.environ.clear()
    os.environ.update(request['environment'])
    os.chdir(request['cwd'])
    for file, descriptor in (request['out'], 1), (request['err'], 2):
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.path[0] = request['cwd']
    sys.argv[:] = ['-m', *request['arguments']]


def serve():
    """Answer requests. In a fork it returns, so that the fork ends as every Python does."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no answer
    with open(os.devnull) as nothing:
        requests = os.fdopen(os.dup(0), 'r', encoding='utf-8')
        os.dup2(nothing.fileno(), 0)
    for line in iter(requests.readline, ''):
        child = os.fork()
        if not child:
            os.close(answers)
            requests.close()
            become(json.loads(line))
            return True
        os.write(answers, b'%d\n' % child)
        status = os.waitpid(child, 0)[1]
        os.write(answers, b'%d\n' % (os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)))
    return False


if __name__ == '__main__':
    warm(sys.argv[1:])
    if serve():
        runpy._run_module_as_main('keras_backend.keras2')
