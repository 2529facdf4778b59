"""Who owns and who may write the folders above a keras.json that names a module."""

import os

import pytest

from keras_backend.config import keras_json

pytestmark = pytest.mark.skipif(not hasattr(os, 'getuid'), reason='needs owners and permissions')


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """(above, home, settings): the home of the user lies in `above`, the folder of keras.json in the home."""
    settings = tmp_path / 'above' / 'home' / 'settings'
    settings.mkdir(parents=True)
    path = settings / 'keras.json'
    path.write_text('{"backend": "my_engine"}')
    path.chmod(0o644)
    for folder in (tmp_path / 'above', tmp_path / 'above' / 'home', settings):
        folder.chmod(0o755)
    monkeypatch.setenv('HOME', str(tmp_path / 'nowhere'))
    return tmp_path / 'above', tmp_path / 'above' / 'home', settings


@pytest.fixture
def give(monkeypatch):
    """Gives a folder to a user or a group, as far as `os.stat` tells: only root can give folders away."""
    owners, stat = {}, os.stat

    def told(path, *args, **options):
        found = list(stat(path, *args, **options))
        found[4:6] = owners.get(str(path), found[4:6])
        return os.stat_result(found)

    def give(folder, user, group):
        owners[str(folder)] = user, group

    monkeypatch.setattr(os, 'stat', told)
    return give


def danger_in(settings):
    """Why the file may not name a module."""
    return keras_json.read(str(settings / 'keras.json')).danger


def test_folders_of_one_user(folders):
    """Where only this user and root may write, there is no danger."""
    assert danger_in(folders[2]) is None


@pytest.mark.parametrize('which', [0, 1, 2])
def test_folder_for_everybody(folders, which):
    """A folder at any height where everybody may write is named, and what to type."""
    folders[which].chmod(0o777)
    assert f'everybody may write in {folders[which]} (type: chmod o-w {folders[which]})' == danger_in(folders[2])


@pytest.mark.parametrize('which', [0, 1])
def test_sticky_folder_higher_up(folders, which):
    """In a sticky folder such as /tmp nobody can replace the folder of another user."""
    folders[which].chmod(0o1777)
    assert danger_in(folders[2]) is None


@pytest.mark.parametrize('which', [0, 1, 2])
def test_folder_of_another_user(folders, give, which):
    """The owner of a folder can replace all that is in it; so can the owner of a folder in /tmp."""
    give(folders[which], 12345, 0)
    folders[0].parent.chmod(0o1777)
    assert f'the folder {folders[which]} belongs to another user (uid 12345)' == danger_in(folders[2])


@pytest.mark.parametrize('which', [0, 1, 2])
def test_folder_of_another_group(folders, give, which):
    """A folder that a group may write is as open as the group has members; a sticky one higher up is not."""
    give(folders[which], os.getuid(), 12345)
    assert danger_in(folders[2]) is None
    folders[which].chmod(0o775)
    assert f'others may write in {folders[which]} (type: chmod g-w {folders[which]})' == danger_in(folders[2])
    folders[which].chmod(0o1775)
    assert (danger_in(folders[2]) is None) == (which < 2)


def test_folder_of_root(folders, give):
    """What belongs to root is safe for every user."""
    for folder in folders:
        give(folder, 0, 0)
    assert danger_in(folders[2]) is None
    folders[0].chmod(0o775)
    assert danger_in(folders[2]) is None


class Group:
    """As much of an entry of a table of groups as is asked for."""

    gr_gid, gr_name, gr_mem = 12345, 'ada', ()


class User:
    """The same of a table of users."""

    pw_name, pw_gid = 'ada', 12345


@pytest.mark.parametrize(
    ('name', 'members', 'safe'),
    [('ada', [], True), ('ada', ['ada'], True), ('ada', ['ada', 'eve'], False), ('users', [], False)],
)
def test_group_of_the_user_alone(folders, give, monkeypatch, name, members, safe):
    """Many systems give each user a group and let it write the home: umask 002. That is no danger."""
    import grp
    import pwd

    monkeypatch.setattr(Group, 'gr_name', name)
    monkeypatch.setattr(Group, 'gr_mem', members)
    monkeypatch.setattr(grp, 'getgrgid', lambda gid: Group)
    monkeypatch.setattr(pwd, 'getpwuid', lambda uid: User)
    for folder in folders:
        give(folder, os.getuid(), 12345)
        folder.chmod(0o775)
    assert safe == (danger_in(folders[2]) is None)


def test_nothing_above_the_home_is_asked(folders, monkeypatch):
    """Whoever can write above the home of a user has that user's account already, as ssh sees it."""
    folders[0].chmod(0o777)
    monkeypatch.setenv('HOME', str(folders[1]))
    assert danger_in(folders[2]) is None
    folders[1].chmod(0o777)
    assert str(folders[1]) in danger_in(folders[2])
