# Python imports this file when a child process of a program under a launcher starts. A child with another Python has
# this folder on its path, too. It does nothing there, but every Python must be able to read its syntax.
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def run_hidden():  # type: ignore[no-untyped-def]
    """Run the `sitecustomize` that this file hides."""
    try:
        from importlib.machinery import PathFinder
        from importlib.util import module_from_spec
    except ImportError:  # Python 2
        return
    spec = PathFinder.find_spec('sitecustomize', [place for place in sys.path if os.path.abspath(place) != HERE])
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules['sitecustomize'] = module
        spec.loader.exec_module(module)


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


run_hidden()
module, _, prefix = os.environ.get('KERAS_BACKEND_LAUNCHER', '').partition(':')
if module and prefix == sys.prefix:
    prepare(module)
