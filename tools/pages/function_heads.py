"""The title and the menu of the page of a function."""

from functools import lru_cache
from html import escape
from typing import Any, Dict

from api_pages import topic_page
from docstrings import summary
from sphinx.environment.adapters.toctree import global_toctree_for_doc


def title_and_menu(app: Any, pagename: str, templatename: str, context: Dict[str, Any], doctree: Any) -> None:
    """Say in the title what the function does, as a search engine shows it, and give the page the menu of its topic."""
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


def setup(app: Any) -> None:
    # Before the theme, which makes the menu of what it finds.
    app.connect('html-page-context', title_and_menu, priority=400)
