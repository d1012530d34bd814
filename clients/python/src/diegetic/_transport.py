from __future__ import annotations

import email.utils
import json
import math
import random
import re
import time
from dataclasses import dataclass
from typing import Any, Optional, cast
from urllib.parse import quote as _quote

import httpx

from ._events import ClientEvent
from ._outbox import OutboxEntry
from ._types import MatchRequest, MatchResult

DEFAULT_MATCH_BUDGET_MS = 150
DEFAULT_FLUSH_MS = 10_000
IMPRESSION_TIMEOUT_S = 10.0
CALL_TIMEOUT_S = 30.0
# Of a match or a record. A proxy that sends without end must not fill the memory.
MAX_ANSWER_BYTES = 1_024 * 1_024
# Longer lists are read in pages.
MAX_CALL_ANSWER_BYTES = 32 * 1_024 * 1_024
# httpx keeps an idle connection for 5 s, the service for 65 s: a scene after a pause must not pay for another one.
CONNECTION_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=60)
# Upper bound of the first delay; doubles with each attempt.
_FIRST_BACKOFF_MS = 250
_MAX_BACKOFF_MS = 30_000
# A wrong `Retry-After` must not stop delivery for days.
_MAX_RETRY_AFTER_MS = 3_600_000
_HTTP_DATE = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")

Scene = MatchRequest
"""The body of `POST /match`."""


class Match(MatchResult):
    """An ad for a scene. Keep it until the player has seen it."""

    game_id: str


@dataclass(frozen=True)
class Answer:
    """An answer that was read to its end. `body` is None when it is empty or not JSON."""

    status: int
    headers: httpx.Headers
    body: Any

    @property
    def service_detail(self) -> Optional[str]:
        """The service's sentence: every error of it has one. None where something else answered."""
        detail = self.body.get("detail") if isinstance(self.body, dict) else None
        return detail if isinstance(detail, str) else None

    @property
    def detail(self) -> str:
        """The service's `detail`, or a few words where something else answered: a redirect names its target."""
        if self.service_detail is not None:
            return self.service_detail
        location = self.headers.get("location")
        target = "" if location is None else f": redirects to {location}"
        return f"Unexpected answer {self.status}{target}"

    @property
    def is_complete(self) -> bool:
        """A success whose body is not JSON comes from something between, such as a proxy's page."""
        return self.status == 204 or (200 <= self.status < 300 and self.body is not None)

    @property
    def is_record(self) -> bool:
        """The service says that the impression is recorded: a proxy's page is no record."""
        return self.status == 201 and isinstance(self.body, dict) and isinstance(self.body.get("impression_id"), str)

    @property
    def is_final(self) -> bool:
        """Repeating the request would get the same answer: 4xx, except a timeout and too many requests.

        Without the service's `detail` it comes from something between, such as a proxy's page.
        """
        is_refusal = 400 <= self.status < 500 and self.status not in (408, 429)
        return is_refusal and self.service_detail is not None

    @property
    def is_rejection(self) -> bool:
        """No repetition can record the impression.

        After 401 and 403 another key may; after a 404 without the headers of rate limits, which comes from outside the
        API's base path, the right address.
        """
        if self.status in (401, 403):
            return False
        return self.is_final and (self.status != 404 or "x-ratelimit-limit" in self.headers)


class AnswerTooLarge(Exception):
    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"the answer is larger than {max_bytes} bytes")


def append(content: bytearray, chunk: bytes, max_bytes: int) -> None:
    """Raises AnswerTooLarge."""
    if len(content) + len(chunk) > max_bytes:
        raise AnswerTooLarge(max_bytes)
    content += chunk


def answer_of(response: httpx.Response, content: bytearray) -> Answer:
    try:
        body = json.loads(content) if content else None
    # Deep nesting raises RecursionError.
    except (ValueError, RecursionError):
        body = None
    return Answer(response.status_code, response.headers, body)


def retry_delay_ms(attempts: int, asked_ms: float) -> int:
    """Full jitter, after what `Retry-After` asks for: clients with the same delay do not retry together."""
    backoff_ms = min(_MAX_BACKOFF_MS, _FIRST_BACKOFF_MS << min(attempts - 1, 20))
    return round(asked_ms + random.random() * backoff_ms)


def retry_after_ms(answer: Optional[Answer]) -> float:
    """What `Retry-After` asks for, an hour at most: whole seconds, or a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.

    0 for anything else, such as a date that does not exist.
    """
    value: str = answer.headers.get("retry-after", "") if answer is not None else ""
    if re.fullmatch("[0-9]+", value):
        return min(_MAX_RETRY_AFTER_MS, float(value) * 1_000)
    if not _HTTP_DATE.fullmatch(value):
        return 0
    try:
        date = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return 0
    # Years such as 0050 are read as 2050. The day of the week is not compared with the date.
    if email.utils.format_datetime(date, usegmt=True)[len("Sun, ") :] != value[len("Sun, ") :]:
        return 0
    return min(_MAX_RETRY_AFTER_MS, max(0, (date.timestamp() - time.time()) * 1_000))


def match_in(answer: Answer, scene: Scene) -> tuple[Optional[Match], Optional[ClientEvent]]:
    """The ad, or what to report instead. A proxy's page is no ad."""
    if answer.status == 200 and isinstance(answer.body, dict) and isinstance(answer.body.get("match_id"), str):
        return cast(Match, {**answer.body, "game_id": scene["game_id"]}), None
    if answer.status == 204:
        return None, {"type": "no_match", "reason": answer.headers.get("x-no-match-reason")}
    return None, {"type": "match_failed", "status": answer.status, "detail": answer.detail}


def entry_of(match: Match) -> OutboxEntry:
    return {
        "match_id": match["match_id"],
        "campaign_id": match["campaign_id"],
        "creative_id": match["creative_id"],
        "game_id": match["game_id"],
        "recorded_at_ms": int(time.time() * 1_000),
    }


def message_of(error: BaseException) -> str:
    return str(error) or type(error).__name__


CLOSED = RuntimeError("the client is closed")


def no_answer(url: str, error: Exception) -> ConnectionError:
    return ConnectionError(f"No answer from {url}: {message_of(error)}")


def timeout_after(timeout_s: float) -> TimeoutError:
    return TimeoutError(f"timeout after {timeout_s * 1_000:.0f} ms")


def quote(text: str) -> str:
    return _quote(text, safe="")


def checked_options(base_url: str, api_key: str, match_budget_ms: float) -> tuple[str, dict[str, str]]:
    if not isinstance(base_url, str) or not re.match(r"https?://[^/]", base_url):
        # The messages do not contain the address, which may have a password: they may be logged.
        raise ValueError("base_url must be an http or https address, such as http://127.0.0.1:8080/api")
    if re.search(r"^[^/]*//[^/?#]*@|[?#]", base_url):
        raise ValueError("base_url must have no user name, password, query or fragment")
    if not api_key:
        raise ValueError("api_key is required: create one, see docs/operating.md")
    # The message does not contain the key: it may be logged.
    if not re.fullmatch(r"[!-~]+", api_key):
        raise ValueError("api_key must be ASCII characters without spaces and line ends")
    if match_budget_ms is None or not 0 < match_budget_ms < math.inf:
        raise ValueError(f"match_budget_ms must be a number above 0, not {match_budget_ms}")
    return base_url.rstrip("/"), {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}
