from __future__ import annotations

import atexit
import contextlib
import json
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Optional

import httpx

from ._calls import Calls
from ._deadline import deadline, limit_exchanges
from ._errors import DiegeticError
from ._events import OnEvent, guarded
from ._fork import start_again_in_child
from ._impression_queue import ImpressionQueue, Pending
from ._outbox import MemoryOutbox, Outbox
from ._pages import ApiPages
from ._transport import (
    CALL_TIMEOUT_S,
    CLOSED,
    CONNECTION_LIMITS,
    DEFAULT_FLUSH_MS,
    DEFAULT_MATCH_BUDGET_MS,
    IMPRESSION_TIMEOUT_S,
    MAX_ANSWER_BYTES,
    MAX_CALL_ANSWER_BYTES,
    Answer,
    AnswerTooLarge,
    Match,
    Scene,
    answer_of,
    append,
    checked_options,
    entry_of,
    match_in,
    message_of,
    no_answer,
    retry_after_ms,
    retry_delay_ms,
    timeout_after,
)

_MAX_CONCURRENT_MATCHES = 32
# Those that wait for a thread included.
_MAX_PENDING_MATCHES = 1_000
_SENDER_THREADS = 4


class DiegeticClient:
    """Asks for ads within a budget, and delivers impressions until they have a final answer. Safe to share by threads."""

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        match_budget_ms: float = DEFAULT_MATCH_BUDGET_MS,
        outbox: Optional[Outbox] = None,
        transport: Optional[httpx.BaseTransport] = None,
        on_event: Optional[OnEvent] = None,
    ) -> None:
        self._base_url, headers = checked_options(base_url, api_key, match_budget_ms)
        self._match_budget_s = match_budget_ms / 1_000
        self._on_event = guarded(on_event)
        self._create_http: Callable[[], httpx.Client] = lambda: httpx.Client(
            headers=headers, limits=CONNECTION_LIMITS, transport=transport
        )
        self.api = _Api(self)
        """The calls of advertisers and developers."""
        self.pages = ApiPages(self.api)
        """Those of `api` whose answers may come in pages: `for page in client.pages.get_earnings()`."""
        self._start(outbox or MemoryOutbox())
        # A process that ends without close() still delivers or reports what is pending.
        atexit.register(self.close)
        start_again_in_child(self)

    def __enter__(self) -> DiegeticClient:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def pending_impressions(self) -> int:
        """How many impressions have no final answer yet."""
        with self._changed:
            return len(self._queue)

    def match(self, scene: Scene) -> Optional[Match]:
        """The ad for a scene, or None: no ad, no answer within the budget, an error. Sent once, never raises."""
        try:
            match, event = match_in(self._answer_in_time(scene), scene)
            if event is not None:
                self._on_event(event)
            return match
        except Exception as error:  # noqa: BLE001
            self._on_event({"type": "match_failed", "status": None, "detail": message_of(error)})
            return None

    def record_impression(self, match: Match) -> bool:
        """Call it when the player has seen the ad. Returns at once: True when the outbox has accepted it."""
        with self._changed:
            is_accepted = self._queue.add(entry_of(match))
            if is_accepted:
                self._start_senders()
                # One alone may be a flush, which sends nothing.
                self._changed.notify_all()
        return is_accepted

    def flush(self, *, timeout_ms: float = DEFAULT_FLUSH_MS) -> int:
        """Waits until every impression has its final answer, or for the time. Returns how many are still pending."""
        timeout_s = min(timeout_ms / 1_000, threading.TIMEOUT_MAX)
        with self._changed:
            if len(self._queue) > 0:
                self._start_senders()
            self._changed.wait_for(lambda: len(self._queue) == 0 or self._queue.is_closed, timeout_s)
            return len(self._queue)

    def close(self, *, timeout_ms: float = DEFAULT_FLUSH_MS) -> int:
        """Flushes, then stops, also when it is interrupted. Returns how many impressions have no final answer.

        A file outbox keeps them for the next process; a memory outbox loses them and reports each.
        """
        with self._changed:
            if self._queue.is_closed:
                return len(self._queue)
        try:
            self.flush(timeout_ms=timeout_ms)
        finally:
            with self._changed:
                self._queue.close()
                self._changed.notify_all()
            self._closed.set()
            atexit.unregister(self.close)
            self._matches.shutdown(wait=False, cancel_futures=True)
            self._close_connections()
        return len(self._queue)

    def _close_connections(self) -> None:
        """Once the client is closed and no exchange runs: a call of another thread gets its answer."""
        with self._exchanges_lock:
            is_over = self._queue.is_closed and self._exchanges == 0
        if is_over:
            self._http.close()

    def _answer_in_time(self, scene: Scene) -> Answer:
        budget_s = self._match_budget_s
        end = time.monotonic() + budget_s
        pending = self._pending_matches
        if not pending.acquire(blocking=False):
            error = RuntimeError(f"{_MAX_PENDING_MATCHES} matches are pending")
            raise no_answer(f"{self._base_url}/match", error)

        def exchange() -> Answer:
            try:
                left_s = end - time.monotonic()
                if left_s <= 0:
                    raise timeout_after(budget_s)
                return self._send("POST", "/match", scene, left_s, MAX_ANSWER_BYTES)
            finally:
                pending.release()

        try:
            request = self._matches.submit(exchange)
        except RuntimeError as error:
            pending.release()
            raise no_answer(f"{self._base_url}/match", CLOSED if self._queue.is_closed else error) from None
        try:
            return request.result(budget_s)
        except TimeoutError:
            raise no_answer(f"{self._base_url}/match", timeout_after(budget_s)) from None

    def _start(self, outbox: Outbox) -> None:
        """Creates what a process cannot share with its children: threads, their lock, connections, the outbox."""
        self._http = self._create_http()
        limit_exchanges(self._http)
        # Ends the pauses of calls.
        self._closed = threading.Event()
        self._exchanges = 0
        self._exchanges_lock = threading.Lock()
        self._pending_matches = threading.BoundedSemaphore(_MAX_PENDING_MATCHES)
        self._matches = ThreadPoolExecutor(_MAX_CONCURRENT_MATCHES, thread_name_prefix="diegetic-match")
        # Guards the queue. Reentrant: a listener may call the client.
        self._changed = threading.Condition(threading.RLock())
        self._queue = ImpressionQueue(outbox, self._on_event)
        self._senders: list[threading.Thread] = []
        if len(self._queue) > 0:
            self._start_senders()

    def _start_senders(self) -> None:
        """Those that the system refuses are started by a later call."""
        while len(self._senders) < _SENDER_THREADS and not self._queue.is_closed:
            name = f"diegetic-sender-{len(self._senders)}"
            thread = threading.Thread(target=self._send_impressions, name=name, daemon=True)
            try:
                thread.start()
            except RuntimeError:
                return
            self._senders.append(thread)

    def _send_impressions(self) -> None:
        while (pending := self._next_impression()) is not None:
            outcome: Answer | Exception
            try:
                outcome = self._send("POST", "/impressions", pending.body, IMPRESSION_TIMEOUT_S, MAX_ANSWER_BYTES)
            except Exception as error:  # noqa: BLE001
                outcome = error
            with self._changed:
                self._queue.finish(pending, outcome)
                self._changed.notify_all()

    def _next_impression(self) -> Optional[Pending]:
        """None when the client is closed."""
        with self._changed:
            while not self._queue.is_closed:
                count = len(self._queue)
                following = self._queue.take()
                if len(self._queue) != count:
                    self._changed.notify_all()
                if isinstance(following, Pending):
                    return following
                self._changed.wait(following)
            return None

    def _send(
        self, method: str, path: str, body: object, timeout_s: float, max_bytes: int,
        headers: Optional[dict[str, str]] = None, query: Optional[dict[str, Any]] = None,
    ) -> Answer:
        url = f"{self._base_url}{path}"
        content = None if body is None else json.dumps(body).encode()
        with self._exchanges_lock:
            if self._queue.is_closed:
                raise no_answer(url, CLOSED)
            self._exchanges += 1
        try:
            request = self._http.build_request(
                method, url, content=content, headers=headers, params=query or None, timeout=timeout_s
            )
            with deadline(timeout_s):
                return self._exchange(request, max_bytes)
        except httpx.TimeoutException as error:
            raise no_answer(url, timeout_after(timeout_s)) from error
        except (httpx.HTTPError, AnswerTooLarge) as error:
            raise no_answer(url, error) from error
        finally:
            with self._exchanges_lock:
                self._exchanges -= 1
            self._close_connections()

    def _exchange(self, request: httpx.Request, max_bytes: int) -> Answer:
        response = self._http.send(request, stream=True)
        with contextlib.closing(response):
            content = bytearray()
            for chunk in response.iter_bytes():
                append(content, chunk, max_bytes)
        return answer_of(response, content)


class _Api(Calls):
    def __init__(self, client: DiegeticClient) -> None:
        self._client = client

    def _call(
        self, method: str, path: str, query: dict[str, Any], body: Any, key: Optional[str], idempotent: bool,
        retry_for_ms: float,
    ) -> Answer:
        # The key stays the same over retries, so that nothing is created twice.
        headers = {"Idempotency-Key": key or str(uuid.uuid4())} if idempotent else {}
        given = {name: value for name, value in query.items() if value is not None}
        end = time.monotonic() + retry_for_ms / 1_000
        attempts = 0
        may_be_deleted = False
        while True:
            attempts += 1
            answer: Optional[Answer] = None
            detail = ""
            try:
                answer = self._client._send(method, path, body, CALL_TIMEOUT_S, MAX_CALL_ANSWER_BYTES, headers, given)
                if answer.is_complete:
                    return answer
                if answer.status == 404 and answer.is_final and may_be_deleted:
                    return replace(answer, body=None)
                detail = answer.detail
            except ConnectionError as error:
                detail = message_of(error)
            # An attempt without a usable answer may have taken effect.
            may_be_deleted |= method == "DELETE" and (answer is None or answer.status >= 500)
            delay_s = retry_delay_ms(attempts, retry_after_ms(answer)) / 1_000
            can_repeat = not self._client._queue.is_closed and time.monotonic() + delay_s < end
            if (answer is not None and answer.is_final) or not can_repeat:
                raise DiegeticError(f"{method} {path}", answer.status if answer else None, detail)
            self._client._closed.wait(delay_s)
