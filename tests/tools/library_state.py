"""The state that Python and libraries keep for their process: `taken()` before and after, and `changes(before, after)`.

A library is looked at if it is imported already, and nothing is started by the look.
"""

import atexit
import builtins
import decimal
import gc
import locale
import logging
import os
import random
import signal
import sys
import threading
import types
import warnings

# The start of a program that tells what changes in each of its steps. The libraries come first, so that what they set
# themselves is no matter of it. {warm} is code for what a library sets when it does something for the first time.
STEPS = """
import json
import sys

sys.path.insert(0, {tools!r})
import library_state

for name in {libraries!r}:
    __import__(name)
{warm}
library_state.taken()
before = library_state.taken()
found = {{}}

def step(name):
    global before
    after = library_state.taken()
    found[name] = library_state.changes(before, after)
    before = library_state.taken()

step('nothing')
"""


def taken():
    """A dict of names and values. Two of them are compared by `==`."""
    state = _of_python()
    for library, look in _LOOKS.items():
        module = sys.modules.get(library)
        # One that is half imported, or a name that stands for it until it is used.
        if isinstance(module, types.ModuleType) and hasattr(module, '__version__'):
            state.update({f'{library}: {name}': value for name, value in look(module).items()})
    return state


def changes(before, after):
    """The names whose values differ. A library and a logger that came in between are left out."""
    known = {name.partition(':')[0] for name in before}
    names = [name for name in {**before, **after} if name.partition(':')[0] in known]
    names = [name for name in names if name in before or not name.startswith('python: logging ')]
    return sorted(name for name in names if name not in before or name not in after or before[name] != after[name])


def _of_python():
    loggers = [logging.getLogger(), *[v for v in logging.root.manager.loggerDict.values() if hasattr(v, 'handlers')]]
    state = {
        'warnings.filters': [repr(each) for each in warnings.filters],
        'warnings.showwarning': id(warnings.showwarning),
        'sys.meta_path': [id(each) for each in sys.meta_path],
        'sys.path_hooks': [id(each) for each in sys.path_hooks],
        'sys.path': list(sys.path),
        'sys.excepthook': id(sys.excepthook),
        'sys.displayhook': id(sys.displayhook),
        'sys.stdout': (id(sys.stdout), id(sys.stderr), id(sys.stdin)),
        'sys.getrecursionlimit': sys.getrecursionlimit(),
        'sys.getswitchinterval': sys.getswitchinterval(),
        'sys.gettrace': (id(sys.gettrace()), id(sys.getprofile())),
        'sys.argv': list(sys.argv),
        'threading.excepthook': id(getattr(threading, 'excepthook', None)),
        'threading.stack_size': threading.stack_size(),
        'builtins': sorted(vars(builtins)),
        'builtins.__import__': id(builtins.__import__),
        'signal': [str(signal.getsignal(each)) for each in range(1, signal.NSIG)],
        'locale': locale.setlocale(locale.LC_ALL),
        'gc': (gc.isenabled(), gc.get_threshold(), gc.get_debug(), [id(each) for each in gc.callbacks]),
        'decimal': repr(decimal.getcontext()),
        'random': hash(random.getstate()),
        'os.environ': dict(os.environ),
        'os.getcwd': os.getcwd(),
        'umask': _mask(),
        'logging.disable': logging.root.manager.disable,
        'logging.raiseExceptions': logging.raiseExceptions,
    }
    state.update({f'logging {each.name}': ([id(h) for h in each.handlers], each.level) for each in loggers})
    if hasattr(atexit, '_ncallbacks'):
        state['atexit'] = atexit._ncallbacks()
    return {f'python: {name}': value for name, value in state.items()}


def _mask():
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _of_numpy(np):
    return {
        'error state': np.geterr(),
        'error call': id(np.geterrcall()),
        'print options': repr(np.get_printoptions()),
        'random state': str(np.random.get_state()[1].sum()) + str(np.random.get_state()[2:]),
        **_functions(np, 'array asarray zeros ones dtype ndarray sum mean dot matmul load save'.split()),
    }


def _of_torch(torch):
    state = {
        'default dtype': str(torch.get_default_dtype()),
        'threads': torch.get_num_threads(),
        'threads between operations': torch.get_num_interop_threads(),
        'gradients': torch.is_grad_enabled(),
        'inference': torch.is_inference_mode_enabled(),
        'deterministic': torch.are_deterministic_algorithms_enabled(),
        'precision of products': torch.get_float32_matmul_precision(),
        'tf32': (
            torch.backends.cuda.matmul.allow_tf32,
            torch.backends.cudnn.allow_tf32,
            torch.backends.cudnn.benchmark,
        ),
        'denormals': float(torch.tensor(1e-40) * 1) != 0,
        'autocast': torch.is_autocast_enabled(),
        'random state': hash(bytes(torch.get_rng_state().numpy())),
        'gpu was started': torch.cuda.is_initialized(),
        **{f'Tensor.{name}': value for name, value in _attributes(torch.Tensor).items()},
        **{f'nn.Module.{name}': value for name, value in _attributes(torch.nn.Module).items()},
    }
    if hasattr(torch, 'get_default_device'):
        state['default device'] = str(torch.get_default_device())
    return state


def _of_jax(jax):
    from jax._src import array, xla_bridge

    values = {f'config {name}': repr(value) for name, value in sorted(jax.config.values.items())}
    for kind in (array.ArrayImpl, jax.core.Tracer):
        values.update({f'{kind.__name__}.{name}': value for name, value in _attributes(kind).items()})
    return {'devices were started': xla_bridge.backends_are_initialized(), **values}


def _of_tensorflow(tf):
    if not hasattr(tf, 'config'):
        return {}
    from tensorflow.python.eager import context

    known = context.context()
    return {
        'eager': tf.executing_eagerly(),
        'devices were started': known._context_handle is not None,
        'threads': (
            tf.config.threading.get_inter_op_parallelism_threads(),
            tf.config.threading.get_intra_op_parallelism_threads(),
        ),
        'soft placement': known._soft_device_placement,
        'jit': tf.config.optimizer.get_jit() if known._context_handle is None else '',
        'options': repr(sorted(known._optimizer_experimental_options.items())),
        'random seed': known._seed,
        'functions run eagerly': tf.config.functions_run_eagerly(),
        'numpy behaviour': id(getattr(tf.Tensor, '__array_priority__', None)),
        **{f'Tensor.{name}': value for name, value in _attributes(tf.Tensor).items()},
        **{f'Variable.{name}': value for name, value in _attributes(tf.Variable).items()},
    }


def _of_keras(keras):
    if not keras.__version__.startswith('3.'):
        return {}
    from keras.src.backend.common import global_state

    kept = {**vars(global_state.GLOBAL_STATE_TRACKER), **vars(global_state.GLOBAL_SETTINGS_TRACKER)}
    return {
        'floatx': keras.config.floatx(),
        'epsilon': keras.config.epsilon(),
        'image data format': keras.config.image_data_format(),
        'tracebacks': keras.config.is_traceback_filtering_enabled(),
        'interactive logging': keras.config.is_interactive_logging_enabled(),
        'custom objects': sorted(map(str, keras.saving.get_custom_objects())),
        **{f'state {name}': repr(value) for name, value in kept.items() if value not in (None, [], {})},
        **{f'Layer.{name}': value for name, value in _attributes(keras.layers.Layer).items()},
        **{f'Model.{name}': value for name, value in _attributes(keras.Model).items()},
        **{f'KerasTensor.{name}': value for name, value in _attributes(keras.KerasTensor).items()},
    }


_LOOKS = {'numpy': _of_numpy, 'torch': _of_torch, 'jax': _of_jax, 'tensorflow': _of_tensorflow, 'keras': _of_keras}
# What Python and the libraries put into classes by themselves, when it is asked for.
_LAZY = '__abstractmethods__ _abc_impl __annotations_cache__ __annotate_func__ __annotations__'.split()


def _attributes(kind):
    return {name: id(value) for name, value in vars(kind).items() if name not in _LAZY}


def _functions(module, names):
    return {f'function {name}': id(getattr(module, name)) for name in names}
