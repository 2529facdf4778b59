# Python imports this file when a child process of a program under a launcher starts. A child with another Python has
# this folder on its path, too. It does nothing there, but every Python must be able to read its syntax.
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# TensorFlow imports Keras in the middle of its own import, which is too late for it.
KERAS = ('keras', 'tensorflow')
WORKERS = (b'from multiprocessing.spawn import', b'from multiprocessing.forkserver import')


def run_hidden():  # type: ignore[no-untyped-def]
    """Run the `sitecustomize` that this file hides."""
    try:
        from importlib.machinery import PathFinder
        from importlib.util import module_from_spec
    except ImportError:  # Python 2
        return
    spec = PathFinder.find_spec('sitecustomize', [path for path in sys.path if os.path.abspath(path) != HERE])
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules['sitecustomize'] = module
        spec.loader.exec_module(module)


def program_text():  # type: ignore[no-untyped-def]
    """The text of the program that runs here, as bytes: a file, a module or what follows -c; b'' where nobody knows."""
    arguments, typed = getattr(sys, 'argv', None) or [''], command_line()
    position = len(typed) - len(arguments)  # options of Python stand before it
    if not arguments[0] or not 0 < position < len(typed):
        return b''
    program = typed[position]
    if arguments[0] == '-c':
        return program.encode('utf-8', 'replace')
    path = module_file(program) if arguments[0] == '-m' else program
    if not os.path.isfile(path):  # what is read from a pipe is gone
        return b''
    with open(path, 'rb') as stream:
        return stream.read()


def command_line():  # type: ignore[no-untyped-def]
    """The words of the command that started this process; [] where nobody knows them."""
    if hasattr(sys, 'orig_argv'):  # Python 3.10
        return sys.orig_argv
    try:
        with open('/proc/self/cmdline', 'rb') as stream:
            return [os.fsdecode(word) for word in stream.read().split(b'\0')[:-1]]
    except OSError:
        return []


def module_file(name):  # type: ignore[no-untyped-def]
    """The file of a module that -m names. No package is imported to find it."""
    from importlib.machinery import PathFinder

    names = name.split('.') + ['__main__']  # a package runs that one
    paths = [os.getcwd()] + sys.path
    for n in range(1, len(names) + 1):
        spec = PathFinder.find_spec('.'.join(names[:n]), paths)
        paths = getattr(spec, 'submodule_search_locations', None) or []
        if not paths:
            return getattr(spec, 'origin', None) or ''
    return ''


class PrepareAtKeras:
    """The first finder of `sys.meta_path`. It prepares this process when it imports Keras."""

    def __init__(self, module):  # type: ignore[no-untyped-def]
        self.module = module

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        """The spec of the other finders, those that `prepare` has put there included."""
        if name not in KERAS or self not in sys.meta_path:
            return None
        from importlib.util import find_spec

        sys.meta_path.remove(self)
        prepare(self.module)
        return find_spec(name)


def prepare(module):  # type: ignore[no-untyped-def]
    """Prepare this process like its parent."""
    from importlib import import_module

    root = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
    try:
        import_module(module)
    except ImportError:
        if root in sys.path:
            return
        # The package was in the folder of the program or in the working folder of the parent.
        sys.path.append(root)
        import_module(module)


def prepare_if_keras_is_used(module):  # type: ignore[no-untyped-def]
    """Prepare this process now if it is a worker or its program names Keras; otherwise when it imports Keras."""
    text = program_text()
    # A program may use a name that its Python lacks before it imports Keras, and so may what a worker is sent.
    if text.startswith(WORKERS) or any(name.encode() in text for name in KERAS):
        prepare(module)
    else:
        sys.meta_path.insert(0, PrepareAtKeras(module))


run_hidden()
module, _, prefix = os.environ.get('KERAS_BACKEND_LAUNCHER', '').partition(':')
if module and prefix == sys.prefix and os.environ.get('KERAS_BACKEND_CHILDREN', '').strip() != '0':
    prepare_if_keras_is_used(module)
