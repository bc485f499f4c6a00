"""The command line, `lsec`: a thin skin over the library.

::

    main  ─►  demo      ─►  picture
          ─►  datasets  ─►  files, parameters
          ─►  fit       ─►  files, parameters
          ─►  predict   ─►  files, parameters
          ─►  info      ─►  parameters
          ─►  consensus ─►  files, tables

One file per command; `errors` turns mistakes into one line. At the top these files import click,
the standard library and plain names only: all else is imported when a command runs, so that
`lsec --help` answers at once.
"""
