"""`python -m branchwise` is the command `branchwise`."""

from branchwise.cli.app import main

main()
