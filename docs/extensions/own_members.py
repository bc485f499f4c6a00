"""Reference pages show the members of lsec, not all that scikit-learn's base classes bring."""

from typing import Any

from sphinx.application import Sphinx

INHERITED = ("fit_predict",)  # methods of scikit-learn that a user of lsec calls


def skip(app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out methods that other libraries define; None keeps Sphinx's own choice."""
    if what != "class" or name in INHERITED:
        return None
    function = getattr(obj, "fget", None) or getattr(obj, "func", obj)  # of a property
    home = getattr(function, "__module__", None)
    foreign = isinstance(home, str) and not home.startswith("lsec")
    return True if foreign else None


def signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, shown: str | None, result: str | None
) -> tuple[str, str | None] | None:
    """Show no signature of a class that users receive but never make."""
    return ("", result) if what == "class" and " _" in (shown or "") else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the rules."""
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-signature", signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
