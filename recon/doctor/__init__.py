"""The doctor: looks at settings, provider, disk, lake and journal; says what to do."""

from recon.doctor.examination import examine
from recon.doctor.findings import Diagnosis, Finding, Level
from recon.doctor.wishes import Wishes
from recon.lake.health import Watch

__all__ = ["Diagnosis", "Finding", "Level", "Watch", "Wishes", "examine"]
