"""Whether keras.json may name a module, which is code to run: only if nobody else could have written the file."""

import os
import stat
from typing import Iterator, Optional


def danger(path: str, status: os.stat_result) -> Optional[str]:
    """The reason why the file at `path` must not name code to run, or None. `status` is that of the file.

    The file and the folders above it, up to the home of the user or to the root, have to belong to this user or to
    root, and nobody else may write them. ssh asks the same of its files.
    """
    if not hasattr(os, 'getuid'):
        return None
    if status.st_uid not in (os.getuid(), 0):
        return f'the file belongs to another user (uid {status.st_uid})'
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f'others may write the file (type: chmod go-w {path})'
    folder = os.path.dirname(os.path.realpath(path))
    # In a shared folder, such as /tmp, any user can make keras.json or .keras first.
    firsts = [folder] if os.path.basename(folder) != '.keras' else [folder, os.path.dirname(folder)]
    for place in _folders(folder):
        try:
            found = _danger_of_folder(place, os.stat(place), place in firsts)
        except OSError:
            continue
        if found is not None:
            return found
    return None


def _folders(folder: str) -> Iterator[str]:
    """The folder and those above it, up to the home of the user or to the root."""
    home = os.path.realpath(os.path.expanduser('~'))
    while True:
        yield folder
        above = os.path.dirname(folder)
        if folder in (home, above):
            return
        folder = above


def _danger_of_folder(place: str, status: os.stat_result, is_first: bool) -> Optional[str]:
    if status.st_uid not in (os.getuid(), 0):
        return f'the folder {place} belongs to another user (uid {status.st_uid})'
    # In a sticky folder nobody can replace what belongs to others, and the folder below has been asked who owns it.
    protected = bool(status.st_mode & stat.S_ISVTX) and not is_first
    if status.st_mode & stat.S_IWOTH and not protected:
        return f'everybody may write in {place} (type: chmod o-w {place})'
    if status.st_mode & stat.S_IWGRP and not protected and not _is_own_group(status.st_gid):
        return f'others may write in {place} (type: chmod g-w {place})'
    return None


def _is_own_group(gid: int) -> bool:
    """Whether a group has this user as its only member, or root: many systems give each user such a group."""
    import grp  # absent on Windows, and seldom needed
    import pwd

    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    is_own = group.gr_gid == 0 or (group.gr_gid == user.pw_gid and group.gr_name == user.pw_name)
    return is_own and set(group.gr_mem) <= {user.pw_name, 'root'}
