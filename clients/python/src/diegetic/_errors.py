from __future__ import annotations

from typing import Optional


class DiegeticError(Exception):
    """A call that did not succeed. `status` is None when no answer came."""

    def __init__(self, call: str, status: Optional[int], detail: str) -> None:
        super().__init__(f"{call}: {detail}" if status is None else f"{call}: {status} {detail}")
        self.status = status
        self.detail = detail
        """The service's sentence: what is wrong, where, what to do."""
