"""The command line: verbs as subcommands; each parses, calls one function of the house, prints.

Data on stdout, progress on stderr. Exit 0 yes, 1 no or findings, 2 misuse or input that cannot be read.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import Annotated

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy comes: more of its threads would spin, with no work

import typer

from sim3d import __version__
from sim3d.cli.demo import demo
from sim3d.cli.meshes import explain, inspect
from sim3d.cli.options import Once
from sim3d.cli.packs import init, validate
from sim3d.cli.pictures import show
from sim3d.cli.saying import MISUSE, NO, YES, listen
from sim3d.cli.scenarios import bake, move, run
from sim3d.cli.standing import atlas, stand
from sim3d.stopping import STOPPED, STOPPED_LINE, stopped

LASTING = 500_000  # objects that a command makes to keep, mostly: no garbage is looked for before, it took a tenth

app = typer.Typer(
    name="sim3d",
    help="Will it stand? Physics and exact statics for miniatures on tabletop terrain.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for verb in (inspect, stand, atlas, run, move, bake, explain, show, validate, init, demo):  # as --help lists them
    app.command(cls=Once)(verb)


def main() -> None:
    """The `sim3d` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a degree sign shows a question mark
    listen()
    gc.set_threshold(LASTING, 10, 10)
    try:
        app()
    except SystemExit as ended:
        if ended.code == STOPPED:
            sys.stderr.write(f"{STOPPED_LINE}\n")
        raise
    except (KeyboardInterrupt, SystemError) as error:
        stopped(error)
    except BrokenPipeError:  # the reader of our output went away, as `| head` does: nothing left to say
        sys.stderr.close()
        raise SystemExit(NO) from None
    except OSError as error:  # a full disk behind our output, say; files we read are answered where they are read
        where = f" ({error.filename})" if error.filename else ""
        lost = "" if _somewhere() else "; the folder that you are in is no longer there: go to another"
        sys.stderr.write(f"sim3d: the system says: {error.strerror or error}{where}{lost}\n")
        raise SystemExit(MISUSE) from None


def _somewhere() -> bool:
    """Whether the folder from which names of files count is there."""
    try:
        return os.path.isdir(os.getcwd())
    except OSError:
        return False


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sim3d {__version__}")
        raise typer.Exit(YES)


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Will it stand? Physics and exact statics for miniatures on tabletop terrain."""
