"""Modules that left Python, as much of them as Theano asks for."""

import importlib.util
import shutil
import sys
import sysconfig
from types import ModuleType


def module(name, **attributes):
    """A module made by hand."""
    made = ModuleType(name)
    vars(made).update(attributes)
    return made


def stand_ins():
    """Stand-ins by name; those of submodules are attributes of their parents, too."""
    # From here on they are deprecated or gone, and what they bring in by being imported is changed by setuptools.
    if sys.version_info < (3, 10):
        return {}
    return dict(
        _distutils(),
        imp=module('imp', find_module=importlib.util.find_spec),
        # Caught where the libraries of GPUs are looked for.
        pkg_resources=module('pkg_resources', DistributionNotFound=ImportError),
    )


def _distutils():
    """Where Python keeps its headers and how it names extension modules: its own `sysconfig` says it now."""
    paths = sysconfig.get_path
    settings = module(
        'distutils.sysconfig',
        get_config_var=sysconfig.get_config_var,
        get_config_vars=sysconfig.get_config_vars,
        get_config_h_filename=sysconfig.get_config_h_filename,
        get_python_version=sysconfig.get_python_version,
        get_python_inc=lambda plat_specific=0, prefix=None: paths('platinclude' if plat_specific else 'include'),
        get_python_lib=lambda plat_specific=0, standard_lib=0, prefix=None: paths(
            'stdlib' if standard_lib else 'platlib' if plat_specific else 'purelib'
        ),
    )
    spawn = module('distutils.spawn', find_executable=lambda name, path=None: shutil.which(name, path=path))
    return {
        'distutils': module('distutils', sysconfig=settings, spawn=spawn),
        'distutils.sysconfig': settings,
        'distutils.spawn': spawn,
    }
