"""The command line, `lsec`: a thin skin over the library.

::

    start  ─►  main  ─►  demo, datasets, fit, predict, info, consensus  ─►  common
                                                         consensus      ─►  label_tables

One file per command; `common` holds shared options and turns mistakes into one line. These
files import click, the standard library and plain names only; all else is imported when a
command runs, so that `lsec --help` answers at once.
"""

import sys
from importlib.util import find_spec


def start() -> None:
    """Run the `lsec` command; without its libraries, say how to install them."""
    missing = [name for name in ("click", "rich") if find_spec(name) is None]
    if missing:
        sys.exit(
            f"Error: the command line needs {' and '.join(missing)}. Install the extra with: "
            "pip install 'lsec[cli]'"
        )
    from lsec.cli.main import main

    main()
