"""What the client reports to `on_event`. Fields are named as in the API."""

from __future__ import annotations

from typing import Callable, Literal, Optional, TypedDict, Union

DropReason = Literal["outbox_full", "closed", "expired", "abandoned"]


class NoMatch(TypedDict):
    """The service has no ad for the scene; `reason` is `X-No-Match-Reason`."""

    type: Literal["no_match"]
    reason: Optional[str]


class MatchFailed(TypedDict):
    """The scene goes on without an ad. `status` is None when no whole answer came within the budget."""

    type: Literal["match_failed"]
    status: Optional[int]
    detail: str


class ImpressionRecorded(TypedDict):
    type: Literal["impression_recorded"]
    match_id: str
    charged_cents: float
    attempts: int


class ImpressionRetrying(TypedDict):
    """`status` is None when no answer came."""

    type: Literal["impression_retrying"]
    match_id: str
    attempts: int
    delay_ms: int
    status: Optional[int]
    detail: str


class ImpressionRejected(TypedDict):
    """A final answer: the impression is not billed."""

    type: Literal["impression_rejected"]
    match_id: str
    status: int
    detail: str


class ImpressionDropped(TypedDict):
    """`outbox_full`, `closed`: not accepted. `expired`: too late. `abandoned`: in memory when the client closed."""

    type: Literal["impression_dropped"]
    match_id: str
    reason: DropReason


class OutboxFailed(TypedDict):
    """The outbox could not be written. The impression is still sent, but does not survive the process."""

    type: Literal["outbox_failed"]
    detail: str


ClientEvent = Union[
    NoMatch, MatchFailed, ImpressionRecorded, ImpressionRetrying, ImpressionRejected, ImpressionDropped, OutboxFailed
]
OnEvent = Callable[[ClientEvent], None]


def guarded(on_event: Optional[OnEvent]) -> OnEvent:
    """A listener must not stop a scene or the delivery of impressions."""

    def report(event: ClientEvent) -> None:
        try:
            if on_event is not None:
                on_event(event)
        except Exception:  # noqa: BLE001
            pass

    return report
