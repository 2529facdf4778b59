"""The device and the threads that a built-in engine runs on, and NumPy with its BLAS.

An engine is asked in a process of its own, `python -m keras_backend.commands.devices ENGINE`, so that the process that
wants to know imports no engine. The answer also tells whether the engine can be imported at all.
"""

import json
import os
import subprocess
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from ..basics.installed import processors
from ..errors import EngineImportFailed, KerasBackendError

# Theano compiles a helper when it is imported for the first time.
SECONDS = 180


class Devices(NamedTuple):
    """Where an engine runs, and with how many threads, in words."""

    device: str
    threads: str


def _up_to(threads: int) -> str:
    # Libraries say 0 for "as many as there are processors".
    return f'up to {threads or processors()}'


def _numpy() -> Devices:
    return Devices('CPU', '1, and those of the BLAS of NumPy')


def _tensorflow() -> Devices:
    import tensorflow as tf

    ask = tf.config.experimental.get_device_details
    gpus = tf.config.list_physical_devices('GPU')
    names = [f'{device.device_type} {ask(device).get("device_name", device.name)}' for device in gpus]
    return Devices(', '.join(names) or 'CPU', _up_to(tf.config.threading.get_intra_op_parallelism_threads()))


def _torch() -> Devices:
    import torch

    device = torch.empty(()).device
    name = f'GPU {torch.cuda.get_device_name(device)}' if device.type == 'cuda' else device.type.upper()
    if device.type == 'cpu' and torch.cuda.is_available():
        name += ', beside a GPU (see torch.set_default_device)'
    return Devices(name, str(torch.get_num_threads()))


def _jax() -> Devices:
    import jax

    chips = jax.devices()
    kind = chips[0].platform.upper() if chips[0].platform == 'cpu' else f'{chips[0].platform} {chips[0].device_kind}'
    return Devices(kind + (f', {len(chips)} of them' if len(chips) > 1 else ''), _up_to(0))


def _theano() -> Devices:
    theano: Any = sys.modules.get('theano') or sys.modules['pytensor']  # the one that the engine imported

    compiler = theano.config.cxx
    threads = 'those of its BLAS' if not getattr(theano.config, 'openmp', False) else _up_to(0)
    how = f'compiled by {compiler}' if compiler else 'without a C++ compiler, which is slow'
    device = str(getattr(theano.config, 'device', 'cpu'))
    return Devices(f'{device.upper() if device == "cpu" else device}, {how}', threads)


def _cntk() -> Devices:
    import cntk

    return Devices(str(cntk.device.use_default_device()), str(cntk.cntk_py.get_max_num_cputhreads()))


_ASK: Dict[str, Callable[[], Devices]] = {
    'numpy': _numpy,
    'tensorflow': _tensorflow,
    'torch': _torch,
    'jax': _jax,
    'theano': _theano,
    'cntk': _cntk,
}


def ask(engine: str, source: str) -> Devices:
    """The devices of a built-in engine. An engine that cannot be imported raises KerasBackendError with the reason."""
    try:
        process = subprocess.run(
            [sys.executable, '-m', __name__, engine, source],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        message = f'The import of the {engine} engine takes more than {SECONDS} seconds.'
        raise EngineImportFailed(message, engine) from error
    lines = process.stdout.decode('utf-8', 'replace').splitlines()
    try:
        answer = json.loads(lines[-1])
    except (IndexError, ValueError) as error:
        # It ended without an answer: a library may end the process.
        last = (process.stderr.decode('utf-8', 'replace').strip().splitlines() or ['no word'])[-1]
        raise EngineImportFailed(
            f'The import of the {engine} engine ended the process (status {process.returncode}): {last[:300]}', engine
        ) from error
    if 'error' in answer:
        raise EngineImportFailed(answer['error'], engine)
    return Devices(**answer)


def blas() -> Optional[str]:
    """NumPy with its version, its BLAS, and how many threads that may use."""
    try:
        import numpy
    except ImportError:
        return None
    name = _blas_name(numpy)
    variables = [variable for word, variable in _VARIABLES if word in name.lower()] + ['OMP_NUM_THREADS']
    limits = [f'{os.environ[variable]} ({variable})' for variable in variables if os.environ.get(variable, '').strip()]
    return f'{numpy.__version__} with {name}; threads: {limits[0] if limits else _up_to(0)}'


_VARIABLES = [
    ('openblas', 'OPENBLAS_NUM_THREADS'),
    ('mkl', 'MKL_NUM_THREADS'),
    ('accelerate', 'VECLIB_MAXIMUM_THREADS'),
    ('blis', 'BLIS_NUM_THREADS'),
]


def _blas_name(numpy: Any) -> str:
    config: Any = numpy.__config__
    try:
        library = config.show(mode='dicts')['Build Dependencies']['blas']
        return f'{library["name"]} {library.get("version", "")}'.strip()
    except (TypeError, KeyError):  # NumPy before 1.26
        pass
    infos = [vars(config)[key] for key in sorted(vars(config)) if 'blas' in key and key.endswith('_info')]
    libraries: List[str] = [name for info in infos if isinstance(info, dict) for name in info.get('libraries', [])]
    return libraries[0] if libraries else 'a BLAS that it does not name'


def main(engine: str, source: str) -> None:
    """Print the answer of this process as one line of JSON."""
    from .. import loader  # engines use this module, and the loader stands above them

    try:
        loader.namespace_of(engine, source)
        answer: Dict[str, Any] = _ASK[engine]()._asdict()
    except KerasBackendError as error:
        answer = {'error': str(error)}
    except Exception as error:  # noqa: BLE001 - of any library: it is told, and the other engines are asked
        answer = {'error': f'The {engine} engine can be imported, but not asked: {type(error).__name__}: {error}'[:300]}
    # After what a library may have printed without an end of line.
    sys.stdout.write('\n' + json.dumps(answer) + '\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
