"""What a release says about itself is the same everywhere, and nothing is published that was not tested."""

import os
import re
import runpy
import sys

import pytest
from checkout import ROOT

from keras_backend import __version__

sys.path.append(os.path.join(ROOT, 'tools', 'pages'))
import say_address

WORKFLOWS = os.path.join(ROOT, '.github', 'workflows')
in_checkout = pytest.mark.skipif(not os.path.isdir(WORKFLOWS), reason='is not in the source distribution')


def text(*path):
    """The text of a file of the checkout."""
    with open(os.path.join(ROOT, *path), encoding='utf-8') as stream:
        return stream.read()


def test_version_is_dated():
    """CHANGELOG.md has the version with its date, and CITATION.cff has the same two."""
    (date,) = re.findall(rf'^## {re.escape(__version__)} \((\d{{4}}-\d\d-\d\d)\)$', text('CHANGELOG.md'), re.M)
    assert f'\nversion: {__version__}\ndate-released: {date}\n' in text('CITATION.cff')


def test_unreleased_changes_come_first():
    """What is not released yet stands above the versions, and these are in order."""
    titles = re.findall(r'^## (\S+)', text('CHANGELOG.md'), re.M)
    assert 'Unreleased' == titles[0]
    versions = [tuple(map(int, title.split('.'))) for title in titles[1:]]
    assert versions == sorted(versions, reverse=True)


def test_classifiers():
    """The classifiers name each Python that tox tests, and no older one than pip accepts."""
    minors = sorted({int(minor) for minor in re.findall(r'py3(\d+)', text('tox.ini'))})
    named = [
        int(minor) for minor in re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', text('pyproject.toml'))
    ]
    assert set(minors) <= set(named)
    assert named == list(range(minors[0], minors[-1] + 1))
    assert f'requires-python = ">=3.{named[0]}"' in text('pyproject.toml')


def test_old_pip_is_told_what_to_type():
    """pip before 19 reads setup.py, which says how to get a newer one. Newer ones read pyproject.toml."""
    with pytest.raises(SystemExit, match='Type: python -m pip install --upgrade pip'):
        runpy.run_path(os.path.join(ROOT, 'setup.py'))


@in_checkout
@pytest.mark.parametrize('name', ['ci.yml', 'docs.yml', 'release.yml'])
def test_actions_are_pinned(name):
    """An action is named by the hash of a commit, with its version beside it, the same in all files.

    Where nobody could check a hash, the full version stands in its place and says so: a hash that does not exist fails.
    """
    everywhere = ''.join(text('.github', 'workflows', each) for each in sorted(os.listdir(WORKFLOWS)))
    used = re.findall(r'uses: ([\w./-]+)(.*)$', text('.github', 'workflows', name), re.M)
    assert used
    for action, version in used:
        if not action.startswith('./'):
            by_hash = re.fullmatch(r'@[0-9a-f]{40}  # v\d+\.\d+\.\d+', version)
            by_tag = re.fullmatch(r'@v\d+\.\d+\.\d+  # a tag: its hash could not be checked', version)
            assert by_hash or by_tag, (action, version)
            assert {version} == set(re.findall(rf'uses: {re.escape(action)}(.*)$', everywhere, re.M))


def test_published_pages_say_the_address():
    """What PyPI shows leads to the repository, also from a link or a picture that is relative in the checkout."""
    address, tag = 'https://example.org/them/it', 'v9.1.0'
    readme = say_address.with_links(text('README.md'), address, tag)
    targets = re.findall(r'\]\(([^)\s]+)\)', readme)
    assert [] == [target for target in targets if '://' not in target and not target.startswith('#')]
    assert f'({address}/raw/{tag}/docs/losses.png)' in readme
    assert f'license-MIT-blue)]({address}/blob/{tag}/LICENSE)' in readme
    assert f'\n[![CI]({address}/actions/workflows/ci.yml/badge.svg)]({address}/actions/workflows/ci.yml)\n' in readme
    assert f'({address}/blob/{tag}/docs/differences.md)' in readme
    project = say_address.with_urls(text('pyproject.toml'), address, tag)
    assert project.startswith(text('pyproject.toml'))
    assert f'\nSource = "{address}"\n' in project
    if sys.version_info >= (3, 11):
        import tomllib

        assert address == tomllib.loads(project)['project']['urls']['Source']


@in_checkout
def test_release_says_the_address_before_it_builds():
    """The workflow knows where it runs; no file of the checkout has to."""
    release = text('.github', 'workflows', 'release.yml')
    call = 'say_address.py "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" "$GITHUB_REF_NAME"'
    assert release.index(call) < release.index('python -m build')


@in_checkout
def test_nothing_is_published_untested():
    """The job that publishes waits for all tests and for the wheel, and alone may ask for a token."""
    release = text('.github', 'workflows', 'release.yml')
    jobs = dict(re.findall(r'^  (\w+):\n((?:(?:    .*)?\n)+)', release.partition('\njobs:\n')[2], re.M))
    assert ['build', 'publish', 'test'] == sorted(jobs)
    assert './.github/workflows/ci.yml' in jobs['test']
    assert 'workflow_call:' in text('.github', 'workflows', 'ci.yml')
    assert 'needs: [test, build]' in jobs['publish']
    assert [True, False, False] == ['id-token: write' in jobs[name] for name in ('publish', 'build', 'test')]
