"""The documentation site: Sphinx, the theme furo, and pages in Markdown (MyST).

    python -m sphinx -W --keep-going docs site

The pages of docs/api are made here, out of the contract. Their examples run on the NumPy engine.
"""

import os
import sys

os.environ['KERAS_BACKEND'] = 'numpy'
os.environ.setdefault('OMP_NUM_THREADS', '1')

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, 'tools', 'pages'))
# An installed keras_backend goes first; the checkout stands in where there is none.
sys.path.append(ROOT)

import api_pages  # noqa: E402

import keras_backend  # noqa: E402
from keras_backend.contract import CONTRACT  # noqa: E402

project = 'keras_backend'
author = 'The keras_backend developers'
project_copyright = '2026, ' + author
version = release = keras_backend.__version__

extensions = ['myst_parser', 'sphinx_copybutton', 'sphinx_design']
extensions += ['links', 'heads', 'address', 'support_matrix', 'charts', 'pictures', 'notebook_pages', 'answers']
exclude_patterns = ['_drawn']
templates_path = ['_templates']
myst_enable_extensions = ['attrs_inline', 'colon_fence', 'deflist']
# Headings have the anchors that GitHub gives them.
myst_heading_anchors = 3
k_functions = set(CONTRACT)
highlight_language = 'text'
# The page of a function has one entry.
toc_object_entries = False
maximum_signature_line_length = 88
copybutton_exclude = '.linenos, .gp, .go'

html_theme = 'furo'
html_title = 'keras_backend'
html_favicon = '_static/icon.svg'
html_static_path = ['_static']
html_css_files = ['site.css']
html_js_files = ['filter.js', 'k_names.js']
html_sidebars = {
    '**': [
        'sidebar/brand.html',
        'sidebar/search.html',
        'sidebar/scroll-start.html',
        'sidebar/navigation.html',
        'project.html',
        'sidebar/scroll-end.html',
    ]
}
html_copy_source = False
html_show_sourcelink = False
# api/index has all functions in a table that filters.
html_use_index = False
# The address of the site, which the links rel="canonical" need. It is known where the site is published.
html_baseurl = os.environ.get('SITE_URL', '')
pygments_style = 'friendly'
pygments_dark_style = 'github-dark'
html_theme_options = {
    'light_css_variables': {'color-brand-primary': '#b3261e', 'color-brand-content': '#a3231c'},
    'dark_css_variables': {'color-brand-primary': '#ff8a80', 'color-brand-content': '#ff9e94'},
}

api_pages.write(os.path.join(HERE, 'api'))
