"""The last versions of other libraries that work without a cure: two combinations, each of which installs together."""

from typing import Dict, NamedTuple, Tuple

from ....basics.tables import beside


class Pin(NamedTuple):
    """The last version of a library beside some Pythons that still has names of 2015 to 2019.

    Attributes
    ----------
    version : str
        The version.
    names : tuple of str
        Names in full that this version has, and that later versions have removed.
    """

    version: str
    names: Tuple[str, ...] = ()


# Pythons -> name for pip -> pin.
PINS: Dict[str, Dict[str, Pin]] = {
    pythons: {library: Pin(row['version'], tuple(row['names'])) for library, row in pins.items()}
    for pythons, pins in beside(__file__, 'pins.json').items()
}
