from __future__ import annotations

import heapq
import itertools
import time
from collections import deque
from dataclasses import dataclass
from typing import Callable, Optional, Union, cast

from ._events import DropReason, OnEvent
from ._outbox import Outbox, OutboxEntry
from ._transport import Answer, message_of, retry_after_ms, retry_delay_ms
from ._types import ImpressionRequest

_MAX_CONCURRENT_REQUESTS = 4
# After a failed retry: at most 40 retries a second reach a service that is down.
_PAUSE_OF_RETRIES_S = 0.1
# No service bills a match that is older; before, only the service knows.
_MAX_AGE_S = 8 * 24 * 60 * 60


@dataclass
class Pending:
    entry: OutboxEntry
    expires_at: float
    """Seconds of the monotonic clock, which no change of the machine's clock moves."""
    is_new: bool
    """Recorded by this client and not sent yet."""
    attempts: int = 0

    @property
    def body(self) -> ImpressionRequest:
        entry = self.entry
        return {
            "match_id": entry["match_id"],
            "campaign_id": entry["campaign_id"],
            "creative_id": entry["creative_id"],
            "game_id": entry["game_id"],
        }


class ImpressionQueue:
    """Which impression is sent when. Sends nothing itself; a client calls it from one thread at a time."""

    def __init__(self, outbox: Outbox, on_event: OnEvent, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._outbox = outbox
        self._on_event = on_event
        self._monotonic = monotonic
        # By match_id: everything without a final answer.
        self._pending: dict[str, Pending] = {}
        # Sent before retries, so that impressions that cannot be recorded hold up no other.
        self._new: deque[Pending] = deque()
        self._due_retries: deque[Pending] = deque()
        self._waiting: list[tuple[float, int, Pending]] = []
        self._order = itertools.count()
        self._paused_until = 0.0
        self._retries_paused_until = 0.0
        self._in_flight = 0
        self._is_closed = False
        try:
            for entry in outbox.load():
                age_s = max(0, time.time() - entry["recorded_at_ms"] / 1_000)
                self._enqueue(entry, is_new=False, age_s=age_s)
        except Exception as error:  # noqa: BLE001
            self._on_event({"type": "outbox_failed", "detail": message_of(error)})

    def __len__(self) -> int:
        return len(self._pending)

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    @property
    def outbox(self) -> Outbox:
        return self._outbox

    def add(self, entry: OutboxEntry) -> bool:
        """False when the impression is not accepted; an event says why. One that is pending is accepted again."""
        if self._is_closed:
            return self._drop(entry["match_id"], "closed")
        if entry["match_id"] in self._pending:
            return True
        if len(self._pending) >= self._outbox.capacity:
            return self._drop(entry["match_id"], "outbox_full")
        self._write(lambda: self._outbox.add(entry))
        self._enqueue(entry, is_new=True, age_s=0)
        return True

    def take(self) -> Union[Pending, float, None]:
        """The next impression to send, or the seconds until there may be one, or None: wait for a change."""
        now = self._monotonic()
        while self._waiting and self._waiting[0][0] <= now:
            self._due_retries.append(heapq.heappop(self._waiting)[2])
        if self._is_closed or self._in_flight >= _MAX_CONCURRENT_REQUESTS:
            return None
        while self._new or self._due_retries:
            paused_until = self._paused_until if self._new else max(self._paused_until, self._retries_paused_until)
            if paused_until > now:
                return paused_until - now
            pending = (self._new or self._due_retries).popleft()
            if now > pending.expires_at:
                self._drop(pending.entry["match_id"], "expired")
                self._remove(pending)
                continue
            pending.attempts += 1
            self._in_flight += 1
            return pending
        return self._waiting[0][0] - now if self._waiting else None

    def finish(self, pending: Pending, outcome: Union[Answer, Exception]) -> None:
        """Takes the outcome of an attempt."""
        self._in_flight -= 1
        if self._is_closed:
            return
        try:
            self._apply(pending, outcome)
        except Exception as error:  # noqa: BLE001
            self._retry_later(pending, None, message_of(error))

    def _apply(self, pending: Pending, outcome: Union[Answer, Exception]) -> None:
        match_id = pending.entry["match_id"]
        if isinstance(outcome, Exception):
            self._retry_later(pending, None, message_of(outcome))
        elif outcome.is_record:
            self._on_event(
                {
                    "type": "impression_recorded",
                    "match_id": match_id,
                    "charged_cents": cast(float, outcome.body.get("charged_cents")),
                    "attempts": pending.attempts,
                }
            )
            self._remove(pending)
        elif outcome.is_rejection:
            self._on_event(
                {
                    "type": "impression_rejected",
                    "match_id": match_id,
                    "status": outcome.status,
                    "detail": outcome.detail,
                }
            )
            self._remove(pending)
        else:
            self._retry_later(pending, outcome, outcome.detail)

    def hand_back(self, pending: Pending) -> None:
        """The attempt was given up without an outcome."""
        self._in_flight -= 1
        pending.attempts -= 1
        self._queue_of(pending).appendleft(pending)

    def close(self) -> None:
        """A durable outbox keeps what is pending; otherwise each impression is reported as dropped."""
        if self._is_closed:
            return
        self._is_closed = True
        if not self._outbox.is_durable:
            for match_id in self._pending:
                self._drop(match_id, "abandoned")
        self._write(self._outbox.close)

    def _enqueue(self, entry: OutboxEntry, *, is_new: bool, age_s: float) -> None:
        pending = Pending(entry, self._monotonic() + _MAX_AGE_S - age_s, is_new)
        self._pending[entry["match_id"]] = pending
        self._queue_of(pending).append(pending)

    def _queue_of(self, pending: Pending) -> deque[Pending]:
        return self._new if pending.is_new else self._due_retries

    def _retry_later(self, pending: Pending, answer: Optional[Answer], detail: str) -> None:
        asked_ms = retry_after_ms(answer)
        delay_ms = retry_delay_ms(pending.attempts, asked_ms)
        self._on_event(
            {
                "type": "impression_retrying",
                "match_id": pending.entry["match_id"],
                "attempts": pending.attempts,
                "delay_ms": delay_ms,
                "status": answer.status if answer else None,
                "detail": detail,
            }
        )
        now = self._monotonic()
        due = now + delay_ms / 1_000
        # Only a rate limit concerns the whole key: another failure may be of one advertiser alone.
        if answer is not None and answer.status == 429:
            self._paused_until = max(self._paused_until, due)
        if not pending.is_new:
            self._retries_paused_until = now + _PAUSE_OF_RETRIES_S
        pending.is_new = False
        heapq.heappush(self._waiting, (due, next(self._order), pending))

    def _remove(self, pending: Pending) -> None:
        match_id = pending.entry["match_id"]
        self._pending.pop(match_id, None)
        self._write(lambda: self._outbox.remove(match_id))

    def _drop(self, match_id: str, reason: DropReason) -> bool:
        self._on_event({"type": "impression_dropped", "match_id": match_id, "reason": reason})
        return False

    def _write(self, change: Callable[[], None]) -> None:
        try:
            change()
        except Exception as error:  # noqa: BLE001
            self._on_event({"type": "outbox_failed", "detail": message_of(error)})
