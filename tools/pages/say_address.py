"""Write the address of the repository into what is published on PyPI, which has no folder around it.

    python tools/pages/say_address.py https://github.com/OWNER/REPOSITORY v0.1.0

The workflow of a release calls it before it builds: it knows where it runs, so no file of the checkout has to know.
pyproject.toml gets the project URLs. The links and pictures of README.md lead to the tag, and it gets the badge of CI.
"""

import os
import re
import sys
from typing import Match

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The target of a link to a file or a folder of the checkout: no address, and no place on the same page. The words of a
# link may be a picture.
LINK = re.compile(r'(!\[[^\]]*)?(\]\()(?![a-z]+:|#)([^)\s]+\))')
FIRST_BADGE = '[![License'


def with_urls(project: str, address: str, tag: str) -> str:
    """The text of pyproject.toml with the project URLs, which it must not have yet."""
    assert '[project.urls]' not in project, 'pyproject.toml says where the project is'
    urls = {
        'Source': address,
        'Issues': f'{address}/issues',
        'Documentation': f'{address}/tree/{tag}/docs',
        'Changelog': f'{address}/blob/{tag}/CHANGELOG.md',
    }
    return project + '\n[project.urls]\n' + ''.join(f'{title} = "{url}"\n' for title, url in urls.items())


def with_links(readme: str, address: str, tag: str) -> str:
    """The text of README.md whose links and pictures can be followed from anywhere."""

    def absolute(found: Match[str]) -> str:
        picture, bracket, target = found.groups()
        return f'{picture or ""}{bracket}{address}/{"raw" if picture else "blob"}/{tag}/{target}'

    workflow = f'{address}/actions/workflows/ci.yml'
    badge = f'[![CI]({workflow}/badge.svg)]({workflow})\n'
    return LINK.sub(absolute, readme).replace(FIRST_BADGE, badge + FIRST_BADGE, 1)


def main(address: str, tag: str) -> None:
    for name, change in (('pyproject.toml', with_urls), ('README.md', with_links)):
        path = os.path.join(ROOT, name)
        with open(path, encoding='utf-8') as stream:
            text = stream.read()
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(change(text, address.rstrip('/'), tag))


if __name__ == '__main__':
    main(*sys.argv[1:])
