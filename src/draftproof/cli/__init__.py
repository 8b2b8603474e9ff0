"""The command line: one verb a file.

stdout holds the result and nothing else; progress, warnings and errors go to stderr. What every exit code means stands
in `report.verdicts.Exit`. A verb imports what it needs when it runs, so that help is quick.
"""

from draftproof.cli.app import main

__all__ = ["main"]
