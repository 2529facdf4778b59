"""What tools/messages says of the errors that people paste: programs, causes, what to type, and the recorded messages.

A file of tools/messages is a door: the programs of one kind. Its first comment explains how it is written.
"""

import json
import os
import re
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'messages')
RECORD = os.path.join(HERE, 'recorded.json')
DOORS = ('keras2', 'tf_keras', 'files', 'engines')
RUN = 'python -m keras_backend run --install train.py'
# What to type where an entry says nothing else.
CURES = {
    'keras2': f'`{RUN}`',
    'tf_keras': f'`{RUN}`',
    'files': '`python -m keras_backend model old.h5 --save new.keras`',
}
LONGEST = 110
# Where the part of a message ends that is the same for everyone.
ENDS = (
    ' (...',
    '. Did you mean',
    ' Did you mean',
    ' Received: ',
    ' using config=',
    '. Full object config',
    ' Full object',
)
ENDS += (
    ': <keras.',
    ', got <keras',
    ' [(<tf.Variable',
    ' at .../',
    ': {<',
    ' (graphs are',
    ' in ...',
    ' by the environment variable',
)


class Entry(NamedTuple):
    """A program that stops, and what the page says of it.

    Attributes
    ----------
    name : str
        The door and the name of the entry.
    section : str
        The heading above it.
    program : str
        The program; '' where a model file is opened.
    files : tuple of str
        The files of tests/files/models that are opened: a model, or a configuration and its weights.
    world : str
        What it ran on: '' for the libraries of today, 'tf_keras', 'flag', 'keras231', 'tf210', or an engine.
    cause, cure : str
        What the page says.
    shown : str
        The heading, where it is not the beginning of the message.
    """

    name: str
    section: str
    program: str
    files: Tuple[str, ...]
    world: str
    cause: str
    cure: str
    shown: str


def entries(door: str) -> List[Entry]:
    """The entries of a door in their order."""
    with open(os.path.join(HERE, door + '.txt'), encoding='utf-8') as stream:
        text = stream.read()
    read: List[Entry] = []
    for chapter in text.split('\n== ')[1:]:
        section, _, rest = chapter.partition('\n')
        for block in ('\n' + rest).split('\n@ ')[1:]:
            read += _of_block(door, section, block)
    return read


def _of_block(door: str, section: str, block: str) -> Iterator[Entry]:
    """The entries of one block: as many as there are words for {x}."""
    head, *lines = block.strip('\n').split('\n')
    name, *options = head.split(' | ')
    given = dict(re.split(r' = | ', option, maxsplit=1) for option in options)
    marked: Dict[str, str] = {line[0]: line[2:] for line in lines if line[:2] in ('> ', '! ', '= ')}
    program = '\n'.join(line for line in lines if line[:2] not in ('> ', '! ', '= '))
    for word in given.get('x', '').split(', '):
        texts = [
            text.replace('{x}', word)
            for text in (
                name,
                program,
                given.get('by', ''),
                marked['>'],
                marked.get('!', CURES.get(door, '')),
                marked.get('=', ''),
            )
        ]
        files = tuple(given['file'].split()) if 'file' in given else ()
        yield Entry(f'{door} {texts[0]}', section, texts[1].strip(), files, *texts[2:])


def recorded() -> Dict[str, Dict[str, str]]:
    """{name of an entry: its message, and what said it}."""
    if not os.path.exists(RECORD):
        return {}
    with open(RECORD, encoding='utf-8') as stream:
        read: Dict[str, Dict[str, str]] = json.load(stream)
    return read


def heading(entry: Entry, message: str) -> str:
    """The part of a message that is the same for everyone, on one line."""
    if entry.shown:
        return entry.shown
    lines = [line.strip() for line in message.strip().split('\n')]
    text = lines[-1] if lines[-1].startswith('SyntaxError') else lines[0]
    for end in ENDS:
        text = text.partition(end)[0]
    if len(text) > LONGEST:
        sentence = re.match(rf'.{{50,{LONGEST}}}[.;](?= )', text)
        text = sentence.group() if sentence else text[:LONGEST].rpartition(' ')[0]
    return text.rstrip(' .;:,')


def shown(door: str) -> List[Tuple[Entry, str, str]]:
    """(entry, heading, what said it) of a page. A message stands on one page, that of the first door which has it."""
    record = recorded()
    seen = {title for earlier in DOORS[: DOORS.index(door)] for _, title, _ in shown(earlier)}
    rows = []
    for entry in entries(door):
        if entry.name in record:
            title = heading(entry, record[entry.name]['message'])
            if title not in seen:
                seen.add(title)
                rows.append((entry, title, record[entry.name]['said by']))
    return rows


def pasted() -> List[Dict[str, Any]]:
    """What the search of the site looks up: {page, title, names} of each message of each page."""
    return [
        {'door': door, 'title': title, 'names': names(entry, title)}
        for door in DOORS
        for entry, title, _ in shown(door)
    ]


def names(entry: Entry, title: str) -> List[str]:
    """The names for which a message is the answer: `np.float`, `tf.Session`, `scipy.misc.imread`, `fit_generator`."""
    listed = re.findall(r'\b(?:np|tf|pd|plt|time|inspect|Image)\.[A-Za-z_][\w.]*', entry.program)[-1:]
    imported: Optional[Any] = re.fullmatch(r'from ([\w.]+) import (\w+).*|import ([\w.]+)', entry.program)
    if imported and imported.group(1):
        listed += [f'{imported.group(1)}.{imported.group(2)}', imported.group(1), imported.group(2)]
    elif imported:
        listed.append(imported.group(3))
    absent = re.search(r"(?:no attribute|keyword argument|KeyError:|Unknown layer:|name) '?(\w+)'?$", title)
    return listed + ([absent.group(1)] if absent else [])
