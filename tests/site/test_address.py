"""The links to the repository and to the address of the site, where they are known and where they are not."""

import os
import subprocess
import sys

import pytest
from checkout import ROOT

sys.path.insert(0, os.path.join(ROOT, 'tools', 'pages'))

import address

REMOTES = {
    'https://example.org/them/it': 'https://example.org/them/it',
    'https://example.org/them/it.git': 'https://example.org/them/it',
    'https://name:secret@example.org/them/it.git/': 'https://example.org/them/it',
    'http://example.org:8080/them/it': 'http://example.org:8080/them/it',
    'ssh://git@example.org:2222/them/it.git': 'https://example.org/them/it',
    'git@example.org:them/it.git': 'https://example.org/them/it',
    '/srv/it.git': '',
    '../it': '',
    'C:/them/it': '',
    'file:///srv/it.git': '',
    '': '',
}


@pytest.mark.parametrize('remote', REMOTES)
def test_web_address_of_remote(remote):
    """A remote of git becomes what a browser opens, without a password; a folder has no such address."""
    assert address.web_address(remote) == REMOTES[remote]


def test_places_that_say_the_repository(tmp_path, monkeypatch):
    """The variable wins over pyproject.toml, and pyproject.toml over git."""
    monkeypatch.delenv('REPOSITORY_URL', raising=False)
    project = tmp_path / 'pyproject.toml'
    project.write_text('[project]\nname = "it"\n')
    subprocess.run(['git', 'init', '--quiet', str(tmp_path)], check=True)
    assert address.repository(str(tmp_path)) == ''
    git = ['git', '-C', str(tmp_path), 'remote', 'add', 'origin', 'git@example.org:by/git.git']
    subprocess.run(git, check=True)
    assert address.repository(str(tmp_path)) == 'https://example.org/by/git'
    project.write_text('[project]\nname = "it"\n\n[project.urls]\nSource = "https://example.org/by/project"\n')
    assert address.repository(str(tmp_path)) == 'https://example.org/by/project'
    monkeypatch.setenv('REPOSITORY_URL', 'https://example.org/by/variable')
    assert address.repository(str(tmp_path)) == 'https://example.org/by/variable'


CONF = """
import sys
sys.path.insert(0, {tools!r})
extensions = ['myst_parser', 'links', 'address']
repository, html_baseurl = {repository!r}, {site!r}
html_theme, html_title, templates_path = 'furo', 'it', [{templates!r}]
"""


@pytest.mark.parametrize(
    ('repository', 'site', 'links'),
    [
        (
            'https://example.org/them/it',
            'https://it.example.org/',
            [
                ('https://example.org/them/it', 'Source code'),
                ('https://example.org/them/it/issues', 'Issues'),
                ('changelog.html', 'Changes'),
                ('https://it.example.org/', 'it.example.org'),
            ],
        ),
        ('', '', [('architecture.html', 'How the source is organised'), ('changelog.html', 'Changes')]),
    ],
    ids=['known', 'unknown'],
)
def test_links_of_a_small_site(tmp_path, repository, site, links):
    """A page ends with the links that are known, and a link to a file of the checkout leads to the repository."""
    tools, templates = os.path.join(ROOT, 'tools', 'pages'), os.path.join(ROOT, 'docs', '_templates')
    conf = CONF.format(tools=tools, templates=templates, repository=repository, site=site)
    (tmp_path / 'conf.py').write_text(conf)
    index = '# It\n\n```{toctree}\narchitecture\nchangelog\n```\n\nSee [the program](../examples/digits.py).\n'
    (tmp_path / 'index.md').write_text(index)
    for name in ('architecture', 'changelog'):
        (tmp_path / f'{name}.md').write_text(f'# {name}\n')
    command = [sys.executable, '-m', 'sphinx', '-W', '-q', str(tmp_path), str(tmp_path / 'site')]
    subprocess.run(command, check=True)
    text = (tmp_path / 'site' / 'index.html').read_text(encoding='utf-8')
    shown = text.partition('<div class="project">')[2].partition('</div>')[0]
    assert shown.split() == ' '.join(f'<a href="{to}">{words}</a>' for to, words in links).split()
    assert ('<link rel="canonical" href="https://it.example.org/index.html"' in text) == bool(site)
    assert ('href="https://example.org/them/it/blob/HEAD/examples/digits.py"' in text) == bool(repository)


def test_links_of_each_page():
    """Each page of the site ends with the link to the repository, or says how the source is organised."""
    wanted = address.repository() or 'architecture.html'
    without = []
    for folder, _, files in os.walk(os.environ['SITE']):
        for name in files:
            if name.endswith('.html'):
                with open(os.path.join(folder, name), encoding='utf-8') as stream:
                    end = stream.read().rpartition('<div class="project">')[2].partition('</div>')[0]
                if f'{wanted}">' not in end and not (name == wanted and '<a href="#">' in end):
                    without.append(name)
    assert without == []
