"""`python -m sim3d` is the `sim3d` command. Who stops it, whatever it does, reads one line and gets exit code 130."""

from __future__ import annotations

from sim3d.stopping import stopped


def main() -> None:
    """The command, from its first import on."""
    try:
        from sim3d.cli import main as command

        command()
    except (KeyboardInterrupt, SystemError, ImportError) as error:
        stopped(error)


if __name__ == "__main__":
    main()
