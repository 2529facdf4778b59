"""docs/support.md on the site: one table of all engines that can be filtered, in place of one table a topic."""

from typing import Any, List

from api_pages import ORIGINS, support_reports, topic_page

START = """# What each engine supports

A test compares this table with every engine. Choose a kind in the menu of an engine, or type a part of a name.

* **own**: a function of the engine.
* **composed**: composed of other K functions. The numbers are the same; it may be slower.
* **setting**: belongs to keras_backend and is the same on all engines.
* "-n" counts the conformance tests of a function that are known to fail on the engine. The reasons are in
  `keras_backend/conformance/expected/`. All other conformance tests pass.

:::{div} filterable by-column
"""


def table() -> List[str]:
    """The matrix in Markdown: a row a function, a column an engine."""
    from keras_backend.contract import CONTRACT

    reports = support_reports()
    lines = [
        '| function | topic | ' + ' | '.join(report['title'] for report in reports) + ' |',
        '|---' * (len(reports) + 2) + '|',
    ]
    for name, entry in CONTRACT.items():
        # A function that came after an engine was measured has an empty cell.
        seen = [report['functions'].get(name) for report in reports]
        cells = [cell(each) if each else '' for each in seen]
        lines.append(f'| `K.{name}` | [{entry.topic}](api/{topic_page(entry.topic)}.md) | ' + ' | '.join(cells) + ' |')
    return lines


def cell(seen: Any) -> str:
    tests = f' [-{seen["expected"]}]{{.tests}}' if seen['expected'] else ''
    return ORIGINS[seen['origin']] + tests


def replace_source(app: Any, docname: str, source: List[str]) -> None:
    if docname == 'support':
        source[0] = '\n'.join([START, *table(), '', ':::', ''])


def setup(app: Any) -> None:
    app.connect('source-read', replace_source)
