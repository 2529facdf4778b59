"""Where the project is: links to its repository and to the address of the site, on each page, where they are known.

REPOSITORY_URL, [project.urls] of pyproject.toml or the remote `origin` of git says where the repository is. SITE_URL
says where the site is.
"""

import os
import re
import subprocess
from typing import Any, Dict, List, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# https://host/path, ssh://git@host:22/path or git@host:path; a name and a password in front of the host are left out.
REMOTE = re.compile(
    r'(?:(?P<web>https?)://|ssh://|git://|(?=[\w.-]+@))(?:[^@/]+@)?(?P<host>[\w.-]+)(?P<port>:\d+)?[:/](?P<path>.+)'
)


def web_address(remote: str) -> str:
    """The address that a browser opens of a remote of git; '' of a folder of this machine."""
    found = REMOTE.fullmatch(remote.strip())
    if not found:
        return ''
    port = found['port'] or '' if found['web'] else ''
    path = found['path'].rstrip('/')
    return f'{found["web"] or "https"}://{found["host"]}{port}/{path[:-4] if path.endswith(".git") else path}'


def repository(root: str = ROOT) -> str:
    """The address of the repository, or '' where nothing says it."""
    return web_address(os.environ.get('REPOSITORY_URL') or _of_pyproject(root) or _of_git(root))


def _of_pyproject(root: str) -> str:
    with open(os.path.join(root, 'pyproject.toml'), encoding='utf-8') as stream:
        urls = stream.read().partition('\n[project.urls]\n')[2].partition('\n[')[0]
    found = re.search(r'^Source = "(.*)"$', urls, re.MULTILINE)
    return found.group(1) if found else ''


def _of_git(root: str) -> str:
    command = ['git', '-C', root, 'remote', 'get-url', 'origin']
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding='utf-8').stdout
    except OSError:
        return ''


def links(app: Any, pagename: str, templatename: str, context: Dict[str, Any], doctree: Any) -> None:
    """Give docs/_templates/project.html its links: (words, address)."""
    address = app.config.repository
    to = context['pathto']
    found: List[Tuple[str, str]] = []
    if address:
        found += [('Source code', address), ('Issues', address + '/issues')]
    else:
        found += [('How the source is organised', to('architecture'))]
    found += [('Changes', to('changelog'))]
    site = app.config.html_baseurl
    if site:
        found += [(re.sub(r'^https?://|/$', '', site), site)]
    context['project_links'] = found


def setup(app: Any) -> None:
    app.add_config_value('repository', repository(), 'html')
    app.connect('html-page-context', links)
