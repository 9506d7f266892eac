"""All operations by their name."""

from tests.campaign.journal_operations import JOURNAL_OPERATIONS
from tests.campaign.lake_operations import LAKE_OPERATIONS
from tests.campaign.operation import Operation

OPERATIONS: dict[str, Operation] = LAKE_OPERATIONS | JOURNAL_OPERATIONS
