"""List the sentences of over 25 words in the pages that people read first.

python tools/long_sentences.py [PAGE ...]
"""

import os
import re
import sys
from typing import Iterator, List, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ['README.md'] + [
    f'docs/{name}.md' for name in ('start', 'choosing', 'old-models', 'legacy-keras', 'coming-from-tf-keras')
]
LONGEST = 25


def sentences(text: str) -> Iterator[str]:
    """The sentences of a page: of its paragraphs and its lists. Code is one word, and tables have no sentences."""
    text = re.sub(r'^```.*?^```$|^<!--.*?-->$|^\|[^\n]*$|^#[^\n]*$', '', text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r'`[^`]*`', 'CODE', re.sub(r'\]\([^)]*\)', ']', text))
    for paragraph in re.split(r'\n\s*\n|\n(?=\* )', text):
        words = ' '.join(paragraph.split())
        yield from re.split(r'(?<=[.!?:;])\**\s+(?=\S)', words)


def long_sentences(page: str) -> List[Tuple[int, str]]:
    """(words, sentence) of the long ones."""
    with open(os.path.join(ROOT, *page.split('/')), encoding='utf-8') as stream:
        counted = [(len(sentence.split()), sentence) for sentence in sentences(stream.read())]
    return [(count, sentence) for count, sentence in counted if count > LONGEST]


def main() -> None:
    for page in sys.argv[1:] or PAGES:
        for count, sentence in long_sentences(page):
            print(f'{page}: {count} words: {sentence}')


if __name__ == '__main__':
    main()
