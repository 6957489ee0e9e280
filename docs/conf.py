"""Sphinx reads the Markdown of this folder by MyST; rosdoc2 wraps this file (rosdoc2.yaml)."""

project = 'robot_memory'
author = 'robot_memory maintainers'
extensions = ['myst_parser']
source_suffix = {'.md': 'markdown'}
myst_heading_anchors = 4

try:
    import sphinx_rtd_theme  # noqa: F401

    html_theme = 'sphinx_rtd_theme'
except ImportError:
    html_theme = 'alabaster'
# Wide tables wrap instead of being scrolled.
html_static_path = ['images']
html_css_files = ['tables.css']
