"""Write the messages of tools/messages into the pages of errors.

python tools/make_error_pages.py            write the pages
python tools/make_error_pages.py --check    compare, change nothing
"""

import argparse
import os
import re
import sys

from error_texts import shown

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'docs')
# Door -> page. The messages stand between two comments of the page.
PAGES = {'keras2': 'legacy-errors', 'tf_keras': 'tf-keras-errors', 'files': 'file-errors', 'engines': 'errors'}
BEGIN, END = (
    '<!-- messages of tools/messages: tools/make_error_pages.py writes them -->',
    '<!-- end of the messages -->',
)


def code(text: str) -> str:
    """A text as code, also where it has marks of code."""
    return (
        f'`` {text} ``' if text.startswith('`') or text.endswith('`') else f'``{text}``' if '`' in text else f'`{text}`'
    )


def text_of(door: str) -> str:
    """The messages of a door: a heading, the cause, what to type."""
    lines, section = [], ''
    for entry, title, origin in shown(door):
        if entry.section != section:
            section = entry.section
            lines += [f'## {section}', '']
        verb = 'Type' if entry.cure.startswith('`') else 'Cure:'
        lines += [f'### {code(title)}', '', f'{entry.cause} (Said by {origin}.)\\', f'**{verb}** {entry.cure}.', '']
    return '\n'.join(lines)


def page_with(door: str, text: str) -> str:
    """A page with the messages of today."""
    pattern = re.compile(f'{re.escape(BEGIN)}\n.*{re.escape(END)}', re.DOTALL)
    return pattern.sub(lambda _: f'{BEGIN}\n\n{text_of(door)}\n{END}', text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true', help='compare, and change nothing')
    check, stale = parser.parse_args().check, []
    for door, name in PAGES.items():
        path = os.path.join(DOCS, name + '.md')
        with open(path, encoding='utf-8') as stream:
            text = stream.read()
        written = page_with(door, text)
        if written != text and check:
            stale.append(name)
        elif written != text:
            with open(path, 'w', encoding='utf-8') as stream:
                stream.write(written)
    if stale:
        print('Not as tools/messages says: {}. Type: python tools/make_error_pages.py'.format(', '.join(stale)))
    return 1 if stale else 0


if __name__ == '__main__':
    sys.exit(main())
