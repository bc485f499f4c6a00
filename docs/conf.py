"""Settings of the documentation site; `make docs` builds it."""

import sys
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder

import lsec

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "extensions"))

project = "lsec"
author = "The lsec developers"
project_copyright = author
version = release = lsec.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "own_members",
    "repository_pages",
]
exclude_patterns = ["_build", "**/sg_execution_times.rst", "sg_execution_times.rst", "templates"]
templates_path = ["templates"]
nitpicky = True

# Markdown, as GitHub renders it
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3

# The reference, from docstrings
autosummary_generate = True
autosummary_filename_map = {"lsec.Consensus": "lsec.consensus-class"}  # else a file named alike
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

# The gallery, in the order of the learner
EXAMPLES = [
    "plot_shapes.py",
    "plot_digits.py",
    "plot_number_of_clusters.py",
    "plot_layers.py",
    "plot_own_clusterings.py",
    "plot_outliers.py",
    "plot_profiles.py",
    "plot_categories.py",
    "plot_text.py",
    "plot_embeddings.py",
    "plot_segmentation.py",
    "plot_file.py",
    "plot_dask.py",
]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "backreferences_dir": "api/examples_of",
    "doc_module": ("lsec",),
    "within_subsection_order": ExplicitOrder(EXAMPLES),
    "download_all_examples": False,
    "remove_config_comments": True,
    "min_reported_time": 0,
    "capture_repr": (),
    "thumbnail_size": (560, 320),
    "show_memory": False,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
}

# The pages
html_theme = "pydata_sphinx_theme"
html_title = "lsec"
html_static_path = ["static"]
html_css_files = ["lsec.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "lsec"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
}
html_sidebars = {"index": [], "quick_start": [], "method": []}
html_context = {"default_mode": "light"}
