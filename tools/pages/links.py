"""What Sphinx does not do by itself: anchors of raw HTML, links, short names, unbroken code.

K functions and pages that a text names are links. A block of code that is a file has its name above it.
"""

import re
from typing import Any, List, Set

from docutils import nodes
from sphinx.addnodes import desc_addname, pending_xref

ANCHOR = re.compile(r'<a id="([^"]+)"')
LONGEST_ON_ONE_LINE = 28
LONGEST_WORD = 45
FILE = re.compile(r'^```(\w+) ([\w-]+\.\w+)( more)?$', re.MULTILINE)
PAGE = re.compile(r'\bdocs/([\w-]+)\.md\b')
CALL = re.compile(r'K\.(\w+)(\(.*\))?$')


def links_of_the_site(app: Any, docname: str, source: List[str]) -> None:
    """What is a link to another folder of the checkout leads to the repository, and `#anchor` names its page.

    Where the address of the repository is not known, it is a text. MyST looks for an anchor of raw HTML only where the
    page is named, too.
    """
    address = app.config.repository
    with_address = rf'[`\1`]({address}/blob/HEAD/\2)'
    to_a_file = r'\[([^\]]+)\]\(\.\./(?!differences|semantics)([^)\s]*)\)'
    text = re.sub(to_a_file, with_address if address else r'`\1`', source[0])
    # A rule in a list shows that it can be linked to.
    text = re.sub(
        r'^(\* )<a id="([^"]+)"></a>', r'\1<a id="\2" class="rule" href="#\2">#</a>', text, flags=re.MULTILINE
    )
    # A block that is a file, or goes on with one, has its name above it.
    text = FILE.sub(
        lambda found: '```{{code-block}} {}\n:caption: {}{}\n'.format(
            found.group(1), found.group(2), ', continued' if found.group(3) else ''
        ),
        text,
    )
    # The title of a page says more than the name of its file.
    text = re.sub(r'\[[\w-]+\.md\]\(', '[](', text)
    source[0] = re.sub(r'\]\(#', f']({docname.rpartition("/")[2]}.md#', text)


def known_anchors(app: Any, doctree: nodes.document) -> None:
    """Tell MyST the anchors `<a id="...">` of a page, so that `page.md#anchor` is a link that it checks."""
    slugs = app.env.metadata[app.env.docname].setdefault('myst_slugs', {})
    for node in doctree.findall(nodes.raw):
        for anchor in ANCHOR.findall(node.astext()):
            slugs.setdefault(anchor, (0, anchor, anchor))


def functions_as_links(app: Any, doctree: nodes.document) -> None:
    """Make `K.dot` in a text a link to its entry in the reference."""
    names: Set[str] = app.config.k_functions
    for node in list(doctree.findall(nodes.literal)):
        found = CALL.match(node.astext())
        if not found or found.group(1) not in names:
            continue
        above = node.parent
        while above is not None and not isinstance(above, (nodes.title, nodes.reference, pending_xref)):
            above = above.parent
        if above is not None:
            continue
        link = pending_xref(
            '',
            refdomain='py',
            reftype='func',
            reftarget='keras_backend.' + found.group(1),
            refexplicit=True,
            refdoc=app.env.docname,
            refwarn=True,
        )
        node.replace_self(link)
        link += node


def pages_as_links(app: Any, doctree: nodes.document) -> None:
    """Make docs/engines.md in a text, or as code, a link to the page."""
    for node in list(doctree.findall(nodes.Text)):
        if isinstance(node.parent, (nodes.reference, pending_xref, nodes.literal_block, nodes.title, nodes.raw)):
            continue
        if isinstance(node.parent, nodes.literal):
            page = PAGE.fullmatch(node)
            if page:
                literal = node.parent
                link = _to_page(app, page.group(1))
                literal.replace_self(link)
                link += literal
            continue
        parts: List[nodes.Node] = []
        end = 0
        for found in PAGE.finditer(node):
            link = _to_page(app, found.group(1))
            link += nodes.inline('', found.group())
            parts += [nodes.Text(node[end : found.start()]), link]
            end = found.end()
        if parts:
            node.parent.replace(node, [*parts, nodes.Text(node[end:])])


def _to_page(app: Any, name: str) -> pending_xref:
    return pending_xref(
        '', refdomain='std', reftype='doc', reftarget='/' + name, refexplicit=True, refdoc=app.env.docname, refwarn=True
    )


def code_on_one_line(app: Any, doctree: nodes.document) -> None:
    """Short code in a table is not broken: `x // y` and `ArgumentTypeError` are read as one. A long word may be."""
    for entry in doctree.findall(nodes.entry):
        for node in entry.findall(nodes.literal):
            if len(node.astext()) <= LONGEST_ON_ONE_LINE:
                node['classes'].append('unbroken')
            elif max(map(len, node.astext().split())) > LONGEST_WORD:
                node['classes'].append('long')


def short_names(app: Any, doctree: nodes.document, docname: str) -> None:
    """Show `K.dot(x, y)` where Sphinx shows `keras_backend.dot(x, y)`."""
    for node in doctree.findall(desc_addname):
        if node.astext() == 'keras_backend.':
            node.children = [nodes.Text('K.')]


def setup(app: Any) -> None:
    app.add_config_value('k_functions', set(), 'env')
    app.connect('source-read', links_of_the_site)
    app.connect('doctree-read', known_anchors)
    app.connect('doctree-read', functions_as_links)
    app.connect('doctree-read', pages_as_links)
    app.connect('doctree-read', code_on_one_line)
    app.connect('doctree-resolved', short_names)
