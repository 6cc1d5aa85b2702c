"""`python -m sim3d` is the `sim3d` command."""

from sim3d.cli import main

main()
