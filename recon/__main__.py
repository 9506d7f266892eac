"""`python -m recon` is `recon`."""

from recon.cli import main

main()
