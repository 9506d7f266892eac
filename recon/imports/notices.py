"""What looks wrong in a file and is taken nevertheless: one warning a topic."""

from dataclasses import dataclass, field


@dataclass
class Notices:
    """Warnings in the making: how often each topic came, and where first."""

    found: dict[str, list[int]] = field(default_factory=dict)  # topic: count, line

    def add(self, topic: str, line: int) -> None:
        """Count one case of a topic at a line of the file."""
        self.found.setdefault(topic, [0, line])[0] += 1

    def texts(self) -> list[str]:
        """Return each topic as a line for people."""
        return [
            f"{topic}: {count:,} {'rows' if count > 1 else 'row'}, first at line {line}"
            for topic, (count, line) in self.found.items()
        ]
