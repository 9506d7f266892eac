"""What holds for all tests: how many run side by side."""

import os


def pytest_xdist_auto_num_workers() -> int:
    """Return one more than there are cores: tests often wait for the disk."""
    return (os.cpu_count() or 1) + 1
