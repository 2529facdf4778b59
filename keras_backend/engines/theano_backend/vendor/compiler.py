"""The C++ compiler of Theano: the BLAS that it links, and headers that are compiled once."""

import collections
import ctypes
import ctypes.util
import glob
import hashlib
import os
import subprocess
import sys
import tempfile
import warnings
from typing import Any, Iterator, Optional, Sequence, Tuple

import numpy as np

# The wheels of SciPy call theirs scipy_sgemm_, so that it is not taken for another BLAS in the same process.
PREFIXES = ('', 'scipy_')
# The functions of a BLAS that the C++ code of Theano and PyTensor calls.
NAMES = [
    kind + name + '_'
    for kind in 'sd'
    for name in 'gemm gemv ger dot axpy scal copy swap nrm2 asum symv syr syrk symm trmv trmm trsv trsm'.split()
]


def linker_flags(found: str, chosen: bool, flags: str) -> str:
    """Linker flags for a BLAS if there is a compiler, `found`; else one warning, unless the user has `chosen` so.

    `flags` is the variable of the environment in which the user chooses.
    """
    if found:
        return flags_found()
    if not chosen:
        warnings.warn(
            'The theano engine found no C++ compiler, so it runs everything in Python, which is many times '
            f'slower. Install g++, or set {flags}=cxx= to hear no more of this.',
            RuntimeWarning,
            stacklevel=2,
        )
    return ''


def flags_found() -> str:
    """Flags for compiler and linker that make a BLAS known by the usual names, '' if there is none.

    Without one, Theano multiplies batches of matrices not at all and others at half the speed: training an MLP took
    11.9 ms a step on PyTensor, and with SciPy's BLAS 6.0 ms.
    """
    for path in _candidates() if sys.platform.startswith('linux') else ():
        prefix = _prefix(path)
        if prefix is not None:
            folder = os.path.dirname(path)
            # A file for the linker: Theano looks for what stands behind -l, by rules that wheels do not follow.
            linked = f'-Wl,--no-as-needed,{path} -Wl,-rpath,{folder}' if folder else '-l:' + path
            return ' '.join([linked] + [f'-D{name}={prefix}{name}' for name in NAMES if prefix])
    return ''


def _candidates() -> Iterator[str]:
    for package in ('numpy', 'scipy'):
        try:
            home = __import__(package).__path__[0]
        except ImportError:
            continue
        # Where wheels keep the libraries they bring, in their newer and their older form.
        for folder in (home + '.libs', os.path.join(home, '.libs')):
            # Spaces would end a flag.
            yield from [path for path in sorted(glob.glob(os.path.join(folder, '*openblas*'))) if ' ' not in path]
    # Without the link that a development package brings, a library cannot be linked by its short name.
    yield from filter(None, map(ctypes.util.find_library, ('openblas', 'mkl_rt', 'blis', 'blas')))


def _prefix(path: str) -> Optional[str]:
    """The prefix of the usual names in a library; None if it is no BLAS, or one of 64-bit sizes."""
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return None
    return next((prefix for prefix in PREFIXES if hasattr(library, prefix + NAMES[0])), None)


# -- headers ----------------------------------------------------------------------------------------------------------
# The headers that all C++ code of Theano begins with, in this order. Code that asks for more headers gets them, and
# headers that it does not ask for cost nothing. A training step of 34 operations was compiled for the first time in
# 13.6 seconds, and in 19.4 without this: reading the headers takes longer than compiling the code after them.
_ALWAYS = '<Python.h> <iostream> "theano_mod_helper.h" <math.h> <numpy/arrayobject.h> <numpy/arrayscalars.h>'.split()
_OFTEN = ['<vector>', '<algorithm>']
# Compiling the headers takes as long as reading them for a few modules.
_WORTH_IT = 3


def _lines(names: Sequence[str]) -> str:
    return ''.join([f'#include {name}\n' for name in names])


def use_compiled_headers(theano: Any) -> None:
    """Let the compiler of Theano use compiled headers, where it is GCC."""
    counts: collections.Counter[str]
    compiler, counts = theano.gof.cmodule.GCC_compiler, collections.Counter()
    plain = compiler.compile_str

    def compile_str(
        module_name: str,
        src_code: str,
        location: Optional[str] = None,
        include_dirs: Optional[Sequence[str]] = None,
        preargs: Optional[Sequence[str]] = None,
        **options: Any,
    ) -> Any:
        # Clang refuses a file that does not fit, where GCC reads the headers instead.
        if src_code.startswith(_lines(_ALWAYS)) and 'clang' not in theano.config.cxx:
            header = _header(theano, counts, tuple(preargs or ()), tuple(include_dirs or ()))
            if header is not None:
                # The code includes the same headers, each of which guards itself against the second time.
                preargs = ['-include', header, *(preargs or ())]
        return plain(module_name, src_code, location, include_dirs, preargs=preargs, **options)

    if sys.platform.startswith('linux'):
        compiler.compile_str = staticmethod(compile_str)


def _header(
    theano: Any, counts: 'collections.Counter[str]', options: Tuple[str, ...], include_dirs: Tuple[str, ...]
) -> Optional[str]:
    """The file to include before all else, None if there is none yet."""
    settings, cmodule = theano.config, theano.gof.cmodule
    folders = [d for d in include_dirs if d] + cmodule.std_include_dirs()
    # A compiler does not see that headers have changed since they were compiled.
    what = [settings.cxx, cmodule.GCC_compiler.version_str(), sys.version, np.__version__, theano.__version__]
    key = hashlib.sha256(repr((what, options, folders)).encode()).hexdigest()[:16]
    header = os.path.join(settings.compiledir, 'keras_headers', key + '.h')
    counts[key] += 1
    if os.path.exists(header + '.gch'):
        return header
    return header if counts[key] == _WORTH_IT and _compile(header, settings.cxx, options, folders) else None


def _compile(header: str, cxx: str, options: Sequence[str], folders: Sequence[str]) -> bool:
    """Compile the headers into a file that GCC finds beside `header`; whether it worked."""
    folder = os.path.dirname(header)
    # Nothing is linked here, so neither BLAS.
    options = [o for o in options if not o.startswith(('-l', '-L', '-Wl,'))] + ['-I' + d for d in folders]
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as directory:
            source, output = os.path.join(directory, 'all.h'), os.path.join(directory, 'all.gch')
            with open(source, 'w') as file:
                file.write(_lines(_ALWAYS + _OFTEN))
            command = [cxx, '-shared', '-g', *options, '-fvisibility=hidden', '-x', 'c++-header', source, '-o', output]
            subprocess.check_output(command, stderr=subprocess.STDOUT)
            # Processes may do this at the same time; each moves a whole file into place, and the header before it.
            os.replace(source, header)
            os.replace(output, header + '.gch')
    except (OSError, subprocess.CalledProcessError):
        return False  # Theano goes on as it would without
    return True
