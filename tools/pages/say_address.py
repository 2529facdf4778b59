"""Write the address of the repository into what is published on PyPI, which has no folder around it.

    python tools/pages/say_address.py https://github.com/OWNER/REPOSITORY v0.1.0

The workflow of a release calls it before it builds: it knows where it runs, so no file of the checkout has to know.
pyproject.toml gets the project URLs, and the links and pictures of README.md lead to the tag.
"""

import os
import re
import sys
from typing import Match

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# A link to a file or a folder of the checkout: no address, and no place on the same page.
LINK = re.compile(r'(!?)(\[[^\]]*\]\()(?![a-z]+:|#)([^)\s]+\))')


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
        picture, words, target = found.groups()
        return f'{picture}{words}{address}/{"raw" if picture else "blob"}/{tag}/{target}'

    return LINK.sub(absolute, readme)


def main(address: str, tag: str) -> None:
    for name, change in (('pyproject.toml', with_urls), ('README.md', with_links)):
        path = os.path.join(ROOT, name)
        with open(path, encoding='utf-8') as stream:
            text = stream.read()
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(change(text, address.rstrip('/'), tag))


if __name__ == '__main__':
    main(*sys.argv[1:])
