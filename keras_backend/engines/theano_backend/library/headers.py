"""The headers that all C++ code of Theano begins with, compiled once: reading them takes longer than what follows.

A training step of 34 operations was compiled for the first time in 13.6 seconds, and in 19.4 without this.
"""

import hashlib
import os
import subprocess
import sys
import tempfile

import numpy as np

# In this order; what asks for more of them gets it, and what is here unasked for costs nothing.
ALWAYS = (
    '<Python.h>',
    '<iostream>',
    '"theano_mod_helper.h"',
    '<math.h>',
    '<numpy/arrayobject.h>',
    '<numpy/arrayscalars.h>',
)
OFTEN = ('<vector>', '<algorithm>')
# Compiling the headers takes as long as reading them for a few modules.
WORTH_IT = 3


def _lines(names):
    return ''.join([f'#include {name}\n' for name in names])


class Precompiled:
    """Compiles like `compile_str`, the function of Theano, with the headers of the same options at hand."""

    def __init__(self, theano, compile_str):
        self._theano, self._compile_str = theano, compile_str
        self._counts, self._prefix = {}, _lines(ALWAYS)

    def __call__(
        self,
        module_name,
        src_code,
        location=None,
        include_dirs=None,
        lib_dirs=None,
        libs=None,
        preargs=None,
        *args,
        **kwargs,
    ):
        # Clang refuses a file that does not fit, where GCC reads the headers instead.
        if src_code.startswith(self._prefix) and 'clang' not in self._theano.config.cxx:
            header = self._header(tuple(preargs or ()), tuple(include_dirs or ()))
            if header is not None:
                # The code includes the same headers, each of which guards itself against the second time.
                preargs = ['-include', header] + list(preargs or ())
        return self._compile_str(
            module_name, src_code, location, include_dirs, lib_dirs, libs, preargs, *args, **kwargs
        )

    def _header(self, options, include_dirs):
        """The file to include before all else, None if there is none yet."""
        settings, cmodule = self._theano.config, self._theano.gof.cmodule
        folders = [d for d in include_dirs if d] + cmodule.std_include_dirs()
        # A compiler does not see that headers have changed since they were compiled.
        what = [settings.cxx, cmodule.GCC_compiler.version_str(), sys.version, np.__version__, self._theano.__version__]
        key = hashlib.sha256(repr((what, options, folders)).encode()).hexdigest()[:16]
        header = os.path.join(settings.compiledir, 'keras_headers', key + '.h')
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if not os.path.exists(header + '.gch'):
            if count != WORTH_IT or not _compile(header, settings.cxx, options, folders):
                return None
        return header


def _compile(header, cxx, options, folders):
    """Compile the headers into a file that GCC finds beside `header`; whether it worked."""
    folder = os.path.dirname(header)
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as place:
            source, made = os.path.join(place, 'all.h'), os.path.join(place, 'all.gch')
            with open(source, 'w') as file:
                file.write(_lines(ALWAYS + OFTEN))
            # Nothing is linked here, so neither BLAS.
            options = [o for o in options if not o.startswith(('-l', '-L', '-Wl,'))]
            command = [cxx, '-shared', '-g'] + options + ['-I' + d for d in folders]
            subprocess.check_output(
                command + ['-fvisibility=hidden', '-x', 'c++-header', source, '-o', made], stderr=subprocess.STDOUT
            )
            # Processes may do this at the same time; each moves a whole file into place, and the header before it.
            os.replace(source, header)
            os.replace(made, header + '.gch')
    except (OSError, subprocess.CalledProcessError):
        return False  # Theano goes on as it would without
    return True


def install(theano):
    """Let the compiler of Theano use compiled headers, where it is GCC."""
    compiler = theano.gof.cmodule.GCC_compiler
    if sys.platform.startswith('linux') and not isinstance(compiler.compile_str, Precompiled):
        compiler.compile_str = staticmethod(Precompiled(theano, compiler.compile_str))
