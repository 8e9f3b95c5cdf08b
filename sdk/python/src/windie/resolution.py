"""What a text or a description means on a screen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from .errors import AmbiguousMatch, APIError, NoMatch

if TYPE_CHECKING:
    from .types import Target


@dataclass(frozen=True)
class Resolution:
    """The one place that is meant, or what there is to choose from. It is true if there is the one place."""

    status: Literal["found", "ambiguous", "missing"]
    match: Target | None = None
    candidates: list[Target] = field(default_factory=list["Target"])
    """If ambiguous, the equal matches, each with what distinguishes it; if missing, the nearest misses."""
    error: AmbiguousMatch | NoMatch | None = None

    def __bool__(self) -> bool:
        return self.match is not None

    @property
    def target(self) -> Target:
        """The match; without one, the error is raised."""
        if self.match is None:
            raise self.error or APIError("there is no match")
        return self.match

    @property
    def point(self) -> tuple[int, int]:
        """Where to click; without a match, the error is raised."""
        center = self.target["center"]
        return center["x"], center["y"]
