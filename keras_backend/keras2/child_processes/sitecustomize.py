# Python imports this at its start in the child processes of a program that runs under keras_backend.keras2. A child
# with another Python has this folder on its path, too. Nothing happens there, so the syntax is that of every Python.
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def run_hidden():  # type: ignore[no-untyped-def]
    """Run the sitecustomize that this one hides."""
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


def prepare():  # type: ignore[no-untyped-def]
    """Prepare this process as its parent was."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
    try:
        import keras_backend.keras2
    except ImportError:
        if root in sys.path:
            return
        # The parent found the package beside its program or in its working folder.
        sys.path.append(root)
        import keras_backend.keras2  # noqa: F401


run_hidden()
if os.environ.get('KERAS_BACKEND_KERAS2') == sys.prefix:
    prepare()
