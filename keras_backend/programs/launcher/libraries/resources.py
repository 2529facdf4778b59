"""`pkg_resources`, as far as programs use it, over `importlib.metadata` and files."""

import importlib
import importlib.util
import io
import os
import pkgutil
import sys
from types import ModuleType
from typing import Any, Iterator, List

from .giving import give, of_functions


class ResolutionError(Exception):
    """The first of the errors of `pkg_resources`."""


class DistributionNotFound(ResolutionError):
    """A distribution is not installed."""


class VersionConflict(ResolutionError):
    """A distribution is installed in another version than the one that is required."""


def _folder(package: Any) -> str:
    name = str(getattr(package, 'project_name', package))
    module = sys.modules.get(name) or importlib.import_module(name)
    file = getattr(module, '__file__', None)
    if file:
        return os.path.dirname(os.path.abspath(str(file)))
    paths = list(getattr(module, '__path__', []))
    return str(paths[0]) if paths else os.getcwd()


def resource_filename(package_or_requirement: Any, resource_name: str) -> str:
    """`resource_filename`: the path of a file beside a module, or in a package. The names are joined by '/'."""
    return os.path.join(_folder(package_or_requirement), *resource_name.split('/'))


def resource_string(package_or_requirement: Any, resource_name: str) -> bytes:
    """`resource_string`: the bytes of a file in a package."""
    with open(resource_filename(package_or_requirement, resource_name), 'rb') as file:
        return file.read()


def resource_stream(package_or_requirement: Any, resource_name: str) -> Any:
    """`resource_stream`: a file in a package, open for reading bytes."""
    return io.BytesIO(resource_string(package_or_requirement, resource_name))


def resource_exists(package_or_requirement: Any, resource_name: str) -> bool:
    """`resource_exists`: whether there is such a file or folder in a package."""
    return os.path.exists(resource_filename(package_or_requirement, resource_name))


def resource_isdir(package_or_requirement: Any, resource_name: str) -> bool:
    """`resource_isdir`: whether there is such a folder in a package."""
    return os.path.isdir(resource_filename(package_or_requirement, resource_name))


def resource_listdir(package_or_requirement: Any, resource_name: str) -> List[str]:
    """`resource_listdir`: the names in a folder of a package."""
    return os.listdir(resource_filename(package_or_requirement, resource_name))


class Distribution:
    """An installed package: `project_name`, `key`, `version`, `location`."""

    def __init__(self, found: Any) -> None:
        self.project_name = found.metadata['Name']
        self.key = self.project_name.lower()
        self.version = found.version
        self.location = str(found.locate_file(''))
        self._found = found

    @property
    def parsed_version(self) -> Any:
        """The version, for comparisons."""
        return parse_version(self.version)

    def requires(self, extras: Any = ()) -> List[Any]:
        """The requirements of the distribution."""
        from packaging.requirements import Requirement

        needed = [Requirement(text) for text in self._found.requires or []]
        return [need for need in needed if need.marker is None or need.marker.evaluate({'extra': ''})]

    def as_requirement(self) -> str:
        """The name and the version, as pip writes them."""
        return f'{self.project_name}=={self.version}'

    def __str__(self) -> str:
        return f'{self.project_name} {self.version}'

    def __repr__(self) -> str:
        return f'{self} ({self.location})'


def parse_version(version: str) -> Any:
    """`parse_version`: a version for comparisons. The package `packaging` is needed."""
    from packaging.version import parse

    return parse(version)


def _requirement(text: Any) -> Any:
    from packaging.requirements import Requirement

    return text if hasattr(text, 'specifier') else Requirement(str(text))


def get_distribution(dist: Any) -> Distribution:
    """`get_distribution`: what is installed under a name, or DistributionNotFound."""
    from importlib import metadata

    if isinstance(dist, Distribution):
        return dist
    text = str(dist)
    needed = _requirement(text) if any(sign in text for sign in '<>=!~[; ') else None
    name = text if needed is None else needed.name
    try:
        installed = Distribution(metadata.distribution(name))
    except metadata.PackageNotFoundError:
        raise DistributionNotFound(
            f"The '{name}' distribution was not found and is required by the application; type: pip install {name}"
        ) from None
    if needed is not None and not needed.specifier.contains(installed.version, prereleases=True):
        raise VersionConflict(f'{installed} is installed and {needed} is required; type: pip install "{needed}"')
    return installed


def require(*requirements: Any) -> List[Distribution]:
    """`require`: the distributions that meet the requirements, or an error for the first that is not met."""
    texts: List[Any] = []
    for requirement in requirements:
        texts += [requirement] if isinstance(requirement, str) else list(requirement)
    return [get_distribution(_requirement(text)) for text in texts]


def iter_entry_points(group: str, name: Any = None) -> Iterator[Any]:
    """`iter_entry_points`: the entry points of a group."""
    from importlib import metadata

    entry_points: Any = metadata.entry_points()
    points = entry_points.select(group=group) if hasattr(entry_points, 'select') else entry_points.get(group, [])
    return iter([point for point in points if name is None or point.name == name])


class WorkingSet:
    """`working_set`: all distributions that are installed."""

    def __iter__(self) -> Iterator[Distribution]:
        from importlib import metadata

        return iter([Distribution(installed) for installed in metadata.distributions() if installed.metadata['Name']])

    @property
    def by_key(self) -> Any:
        """Name in lower case -> distribution."""
        return {distribution.key: distribution for distribution in self}


def declare_namespace(packageName: str) -> None:
    """`declare_namespace`: let the folders of a namespace package lie in several places."""
    package: Any = sys.modules[packageName]
    package.__path__ = pkgutil.extend_path(package.__path__, packageName)


def fill(module: ModuleType) -> None:
    """Give a module the names of `pkg_resources`."""
    functions = of_functions(
        resource_filename,
        resource_string,
        resource_stream,
        resource_exists,
        resource_isdir,
        resource_listdir,
        parse_version,
        get_distribution,
        require,
        iter_entry_points,
        declare_namespace,
    )
    classes = ResolutionError, DistributionNotFound, VersionConflict, Distribution, WorkingSet
    give(module, functions)
    give(module, {kind.__name__: kind for kind in classes})
    give(module, {'working_set': WorkingSet(), 'Requirement': _Requirement, 'parse_requirements': _parse_requirements})


class _Requirement:
    """`Requirement.parse`."""

    @staticmethod
    def parse(text: str) -> Any:
        """A requirement, as pip writes it."""
        return _requirement(text)


def _parse_requirements(texts: Any) -> Iterator[Any]:
    lines = texts.splitlines() if isinstance(texts, str) else texts
    stripped = [line.split(' #')[0].strip() for line in lines]
    return iter([_requirement(line) for line in stripped if line and not line.startswith('#')])
