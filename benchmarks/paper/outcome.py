"""The outcome of a run: its numbers, or the status and the reason why there are none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from benchmarks.harness.process import Measurement, TaskFailed, TimeLimit

LONGEST_REASON = 300


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run.

    Attributes
    ----------
    status : str
        "ok"; "refused" (the method says that it cannot, or memory was not enough); "failed";
        "timeout"; or "absent" (a package or a data set is missing).
    reason : str
        Why it is not ok.
    found : dict
        Costs and scores.
    """

    status: str = "ok"
    reason: str = ""
    found: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, measurement: Measurement) -> Outcome:
        """The outcome of a task that ended well."""
        return cls(found={"generation_seconds": 0.0, **measurement.record()})

    @classmethod
    def of_failure(cls, error: TaskFailed) -> Outcome:
        """The outcome of a task that did not."""
        status = "failed"
        if isinstance(error, TimeLimit):
            status = "timeout"
        elif error.kinds[:1] == ("ValueError",) or "MemoryError" in error.kinds:
            status = "refused"  # what derives from ValueError, such as LinAlgError, is a breakdown
        named = f"{error.kinds[0]}: " if status == "failed" and error.kinds else ""
        return cls(status, (named + " ".join(error.reason.split()))[:LONGEST_REASON])

    @property
    def ok(self) -> bool:
        """Whether there are numbers."""
        return self.status == "ok"

    def after(self, generation: dict[str, Any]) -> Outcome:
        """The outcome with the cost of making the ensemble first added to it."""
        if not self.ok:
            return self
        both = {
            "seconds": generation["seconds"] + self.found["seconds"],
            "generation_seconds": generation["seconds"],
            "cpu_seconds": generation["cpu_seconds"] + self.found["cpu_seconds"],
            "peak_bytes": max(generation["peak_bytes"], self.found["peak_bytes"]),
            "before_bytes": generation["before_bytes"],
        }
        return Outcome(found={**self.found, **both})

    def record(self) -> dict[str, Any]:
        """Its part of a record."""
        return {"status": self.status, "reason": self.reason, **self.found}
