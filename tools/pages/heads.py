"""What a search engine shows of a page, title and description, and the menu of the page of a function."""

import re
from functools import lru_cache
from html import escape
from typing import Any, Dict

from api_pages import topic_page
from docstrings import summary
from docutils import nodes
from sphinx.environment.adapters.toctree import global_toctree_for_doc


def of_function(app: Any, pagename: str, templatename: str, context: Dict[str, Any], doctree: Any) -> None:
    """Say in the title what the function does, and give the page the menu of its topic."""
    from keras_backend.contract import CONTRACT

    folder, _, name = pagename.rpartition('/')
    if folder == 'api' and name in CONTRACT:
        words = summary(CONTRACT[name].doc or '').rstrip('.')
        context['title'] = escape(f'K.{name} - {words}'.replace('`', ''), quote=False)
        topic = topic_page(CONTRACT[name].topic)
        context['toctree'] = lambda **options: menu(app.builder, topic, tuple(sorted(options.items())))


@lru_cache(maxsize=None)
def menu(builder: Any, topic: str, options: Any) -> str:
    """The menu of the page of a topic, as the page of one of its functions shows it."""
    tree = global_toctree_for_doc(builder.env, f'api/{topic}', builder, tags=builder.tags, **dict(options))
    text: str = builder.render_partial(tree)['fragment']
    return text.replace('href="#"', f'href="{topic}.html"')


def description(app: Any, pagename: str, templatename: str, context: Dict[str, Any], doctree: Any) -> None:
    """Describe a page that says nothing else by its first sentences."""
    if doctree is None or 'name="description"' in context['metatags']:
        return
    words = ''
    for paragraph in doctree.findall(nodes.paragraph):
        if not isinstance(paragraph.parent, nodes.entry):
            words = f'{words} {paragraph.astext()}'.strip().replace('\n', ' ')
        if len(words) > 60:
            break
    # Whole sentences where they are short enough.
    short = re.match(r'.{40,200}?[.:](?= |$)', words)
    words = short.group() if short else words[:200]
    context['metatags'] += f'<meta name="description" content="{escape(words)}" />\n'


def setup(app: Any) -> None:
    # Before the theme, which makes the menu of what it finds.
    app.connect('html-page-context', of_function, priority=400)
    app.connect('html-page-context', description)
