r"""Equations as MathML, which browsers show without JavaScript or a network.

The converter is that of docutils. It knows the commands of LaTeX that the pages use; an unknown one
is a warning, and so stops `make docs`.
"""

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def math_element(node: nodes.Element, display: bool) -> str:
    """The `<math>` element of an equation."""
    source = node.astext()
    try:
        tree = latex2mathml.tex2mathml(source, as_block=display)
    except MathError as error:
        logger.warning("equation %r: %s", source, error, location=node)
        return ""
    return str(tree)


def visit_inline(translator: Any, node: nodes.Element) -> None:
    """Write an equation within a line."""
    translator.body.append(math_element(node, display=False))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.Element) -> None:
    """Write an equation of its own, with its number if it has one."""
    number = f'<span class="equation-number">({node["number"]})</span>' if node["number"] else ""
    anchor = f' id="{node["ids"][0]}"' if node["ids"] else ""
    translator.body.append(
        f'<div class="equation"{anchor}>{math_element(node, True)}{number}</div>'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer and make it the one that is used."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
