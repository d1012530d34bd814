from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Optional

import httpx

from ._calls import AsyncCalls
from ._deadline import deadline, limit_exchanges
from ._errors import DiegeticError
from ._events import OnEvent, guarded
from ._fork import start_again_in_child
from ._impression_queue import ImpressionQueue, Pending
from ._outbox import MemoryOutbox, Outbox
from ._pages import AsyncApiPages
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


# Not at once: the loop may be closing.
_AFTER_CANCEL_S = 1.0
# Fewer than the connections of httpx, idle ones included: a request that waits in its pool may leave a connection there.
_MAX_CONCURRENT_EXCHANGES = 64
# How long a transport without a deadline holds an exchange after its time.
_ABANDONED_S = 10.0


class AsyncDiegeticClient:
    """As DiegeticClient, for asyncio. Use it in one event loop."""

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        match_budget_ms: float = DEFAULT_MATCH_BUDGET_MS,
        outbox: Optional[Outbox] = None,
        transport: Optional[httpx.AsyncBaseTransport] = None,
        on_event: Optional[OnEvent] = None,
    ) -> None:
        self._base_url, headers = checked_options(base_url, api_key, match_budget_ms)
        self._match_budget_s = match_budget_ms / 1_000
        self._on_event = guarded(on_event)
        self._create_http: Callable[[], httpx.AsyncClient] = lambda: httpx.AsyncClient(
            headers=headers, limits=CONNECTION_LIMITS, transport=transport
        )
        self.api = _AsyncApi(self)
        """The calls of advertisers and developers."""
        self.pages = AsyncApiPages(self.api)
        """Those of `api` whose answers may come in pages: `async for page in client.pages.get_earnings()`."""
        self._start(outbox or MemoryOutbox())
        start_again_in_child(self)

    def _start(self, outbox: Outbox) -> None:
        """Creates what a process cannot share with its children: tasks, connections, the outbox."""
        self._http = self._create_http()
        limit_exchanges(self._http)
        self._queue = ImpressionQueue(outbox, self._on_event)
        self._sending: set[asyncio.Task[None]] = set()
        self._timer: Optional[asyncio.TimerHandle] = None
        self._flushes: set[asyncio.Future[None]] = set()
        # Ends the pauses of calls.
        self._closed = asyncio.Event()
        self._exchanges = 0
        self._permits = asyncio.Semaphore(_MAX_CONCURRENT_EXCHANGES)
        # Abandoned ones included.
        self._running: set[asyncio.Task[Answer]] = set()

    async def __aenter__(self) -> AsyncDiegeticClient:
        self._pump()
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    @property
    def pending_impressions(self) -> int:
        """How many impressions have no final answer yet."""
        return len(self._queue)

    async def match(self, scene: Scene) -> Optional[Match]:
        """The ad for a scene, or None: no ad, no answer within the budget, an error. Sent once, never raises."""
        self._pump()
        try:
            answer = await self._send("POST", "/match", scene, self._match_budget_s, MAX_ANSWER_BYTES)
            match, event = match_in(answer, scene)
            if event is not None:
                self._on_event(event)
            return match
        except Exception as error:  # noqa: BLE001
            self._on_event({"type": "match_failed", "status": None, "detail": message_of(error)})
            return None

    def record_impression(self, match: Match) -> bool:
        """Call it when the player has seen the ad. Returns at once: True when the outbox has accepted it.

        Raises RuntimeError outside the event loop, such as in another thread, and accepts nothing then.
        """
        asyncio.get_running_loop()
        is_accepted = self._queue.add(entry_of(match))
        self._pump()
        return is_accepted

    async def flush(self, *, timeout_ms: float = DEFAULT_FLUSH_MS) -> int:
        """Waits until every impression has its final answer, or for the time. Returns how many are still pending."""
        self._pump()
        if len(self._queue) > 0 and not self._queue.is_closed:
            over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._flushes.add(over)
            try:
                await asyncio.wait([over], timeout=timeout_ms / 1_000)
            finally:
                self._flushes.discard(over)
        return len(self._queue)

    async def close(self, *, timeout_ms: float = DEFAULT_FLUSH_MS) -> int:
        """Flushes, then stops, also when it is cancelled. Returns how many impressions have no final answer.

        A file outbox keeps them for the next process; a memory outbox loses them and reports each.
        """
        if self._queue.is_closed:
            return len(self._queue)
        try:
            return await self.flush(timeout_ms=timeout_ms)
        finally:
            self._queue.close()
            self._stop_timer()
            self._closed.set()
            self._end_flushes()
            for task in self._sending:
                task.cancel()
            await asyncio.gather(*self._sending, return_exceptions=True)
            await self._close_connections()

    async def _close_connections(self) -> None:
        """Once the client is closed and no exchange runs: a call of another task gets its answer."""
        if self._queue.is_closed and self._exchanges == 0:
            for exchange in self._running:
                exchange.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
            await self._http.aclose()

    def _end_flushes(self) -> None:
        for flush in self._flushes:
            if not flush.done():
                flush.set_result(None)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _pump(self) -> None:
        """Starts what may be sent now, and comes back when more may be."""
        loop = asyncio.get_running_loop()
        while isinstance(following := self._queue.take(), Pending):
            task = loop.create_task(self._send_impression(following))
            self._sending.add(task)
            task.add_done_callback(functools.partial(self._sent, following))
        self._stop_timer()
        if following is not None:
            self._timer = loop.call_later(following, self._pump)
        if len(self._queue) == 0:
            self._end_flushes()

    def _sent(self, pending: Pending, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        # Cancelled by something else than close, such as a hook at shutdown; perhaps before it began.
        if task.cancelled() and not self._queue.is_closed:
            self._queue.hand_back(pending)
            loop = asyncio.get_running_loop()
            if self._timer is None or self._timer.when() > loop.time() + _AFTER_CANCEL_S:
                self._stop_timer()
                self._timer = loop.call_later(_AFTER_CANCEL_S, self._pump)

    async def _send_impression(self, pending: Pending) -> None:
        outcome: Answer | Exception
        try:
            outcome = await self._send("POST", "/impressions", pending.body, IMPRESSION_TIMEOUT_S, MAX_ANSWER_BYTES)
        except Exception as error:  # noqa: BLE001
            outcome = error
        self._queue.finish(pending, outcome)
        self._pump()

    async def _send(
        self, method: str, path: str, body: object, timeout_s: float, max_bytes: int,
        headers: Optional[dict[str, str]] = None, query: Optional[dict[str, Any]] = None,
    ) -> Answer:
        url = f"{self._base_url}{path}"
        content = None if body is None else json.dumps(body).encode()
        if self._queue.is_closed:
            raise no_answer(url, CLOSED)
        end = time.monotonic() + timeout_s
        self._exchanges += 1
        try:
            # Without a limit in the pool of httpx: it may assign a connection in the tick in which the limit ends.
            request = self._http.build_request(
                method, url, content=content, headers=headers, params=query or None,
                timeout=httpx.Timeout(timeout_s, pool=None),
            )
            async with asyncio.timeout(timeout_s):
                await self._permits.acquire()
                exchange = self._start_exchange(request, end - time.monotonic(), max_bytes)
                await _end_of(exchange, timeout_s)
            if exchange.cancelled():
                raise no_answer(url, RuntimeError("cancelled"))
            return exchange.result()
        except (TimeoutError, httpx.TimeoutException):
            raise no_answer(url, timeout_after(timeout_s)) from None
        except (httpx.HTTPError, AnswerTooLarge) as error:
            raise no_answer(url, error) from error
        finally:
            self._exchanges -= 1
            await self._close_connections()

    def _start_exchange(self, request: httpx.Request, left_s: float, max_bytes: int) -> asyncio.Task[Answer]:
        exchange = asyncio.create_task(self._exchange(request, left_s, max_bytes))
        self._running.add(exchange)
        exchange.add_done_callback(self._exchanged)
        return exchange

    def _exchanged(self, exchange: asyncio.Task[Answer]) -> None:
        self._running.discard(exchange)
        self._permits.release()
        # asyncio logs an error that nobody retrieves.
        if not exchange.cancelled():
            exchange.exception()

    async def _exchange(self, request: httpx.Request, left_s: float, max_bytes: int) -> Answer:
        with deadline(left_s):
            response = await self._http.send(request, stream=True)
            async with contextlib.aclosing(response):
                content = bytearray()
                async for chunk in response.aiter_bytes():
                    append(content, chunk, max_bytes)
            return answer_of(response, content)


async def _end_of(exchange: asyncio.Task[Answer], timeout_s: float) -> None:
    """Abandons the exchange when it is cancelled: its deadline ends it.

    A cancellation inside httpx may leave a connection in its pool that never expires.
    """
    try:
        await asyncio.wait({exchange})
    finally:
        if not exchange.done():
            last = asyncio.get_running_loop().call_later(timeout_s + _ABANDONED_S, exchange.cancel)
            exchange.add_done_callback(lambda _exchange: last.cancel())


class _AsyncApi(AsyncCalls):
    def __init__(self, client: AsyncDiegeticClient) -> None:
        self._client = client

    async def _call(
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
                answer = await self._client._send(method, path, body, CALL_TIMEOUT_S, MAX_CALL_ANSWER_BYTES, headers, given)
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
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._client._closed.wait(), delay_s)
