"""The sub-commands that need nothing but the standard library, one file each.

A command is a module (this is ``stackglass.commands.catalogue.CommandModule``)::

    def add_arguments(parser: argparse.ArgumentParser) -> None: ...
    def run(arguments: argparse.Namespace) -> int: ...   # the exit code

``run`` raises ``StackglassError`` (or a subclass of its own) if it fails: the command line prints
the error as one line and exits with 1, or with 2 for a ``UsageError``.

Commands of the viewer's package are found through entry points, so that core imports nothing
above itself.
"""
