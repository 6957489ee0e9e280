"""Sphinx reads the Markdown of this folder by MyST; rosdoc2 wraps this file (rosdoc2.yaml)."""

import posixpath
import re
from importlib.util import find_spec

project = 'robot_memory'
author = 'robot_memory maintainers'
copyright = 'robot_memory maintainers, Apache-2.0'
extensions = ['myst_parser']
source_suffix = {'.md': 'markdown'}
myst_heading_anchors = 4
# README and CONTRIBUTING as rosdoc2 copies them: their links hold in the repository only.
exclude_patterns = ['standard_docs']
smartquotes = False
html_static_path = ['images']
html_css_files = ['tables.css']

html_theme = 'sphinx_rtd_theme' if find_spec('sphinx_rtd_theme') else 'alabaster'

REPOSITORY = 'https://github.com/robot-memory/robot_memory/blob/main/'


def lead_to_the_repository(app, docname, source):
    """Make links that leave this folder links to the repository's files."""
    folder = posixpath.dirname('docs/' + docname)

    def absolute(link):
        path = posixpath.normpath(posixpath.join(folder, link[1]))
        return link[0] if path.startswith('docs/') else f']({REPOSITORY}{path})'

    source[0] = re.sub(r'\]\((\.\./[^)]+)\)', absolute, source[0])


def setup(app):
    """Register what this folder needs."""
    app.connect('source-read', lead_to_the_repository)
