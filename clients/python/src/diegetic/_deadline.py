"""A time limit for a whole exchange.

Those of httpx are for single reads, and it has none for lookups of names: a server that drips would hold a thread for ever.
It connects to one address after another, so that the first one that drops packets would take all the time.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any, Optional

import httpcore
import httpx

# As RFC 8305 recommends; doubles with each further attempt at the same address.
_FIRST_ATTEMPT_S = 0.25

# Of the thread or the task.
_end: ContextVar[Optional[float]] = ContextVar("diegetic-deadline", default=None)


@contextlib.contextmanager
def deadline(timeout_s: float) -> Iterator[None]:
    """Requests of this thread or task raise httpx.TimeoutException after the seconds, with a client of `limit_exchanges`."""
    token = _end.set(time.monotonic() + timeout_s)
    try:
        yield
    finally:
        _end.reset(token)


def limit_exchanges(client: httpx.Client | httpx.AsyncClient) -> None:
    """httpx has no setting for the network below its transports. A transport without the known parts keeps its own limits."""
    wrap: Callable[[Any], _Wrapper] = _LimitedNetwork if isinstance(client, httpx.Client) else _AsyncLimitedNetwork
    for transport in (client._transport, *client._mounts.values()):
        pool = getattr(transport, "_pool", None)
        network = getattr(pool, "_network_backend", None)
        if network is not None:
            # Anew for a transport that a forked child shares: its threads that resolve names are the parent's.
            setattr(pool, "_network_backend", wrap(network.inner if isinstance(network, _Wrapper) else network))


class _Wrapper:
    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class _Limited(_Wrapper):
    """A connection of httpcore, whose calls end at the deadline of their thread."""

    def start_tls(
        self, ssl_context: Any, server_hostname: Optional[str] = None, timeout: Optional[float] = None
    ) -> _Limited:
        return _Limited(self.inner.start_tls(ssl_context, server_hostname, timeout=_left_s(timeout)))

    def read(self, max_bytes: int, timeout: Optional[float] = None) -> bytes:
        received: bytes = self.inner.read(max_bytes, timeout=_left_s(timeout))
        return received

    def write(self, buffer: bytes, timeout: Optional[float] = None) -> None:
        self.inner.write(buffer, timeout=_left_s(timeout))


class _AsyncLimited(_Wrapper):
    """A connection of httpcore, whose calls end at the deadline of their task."""

    async def start_tls(
        self, ssl_context: Any, server_hostname: Optional[str] = None, timeout: Optional[float] = None
    ) -> _AsyncLimited:
        return _AsyncLimited(await self.inner.start_tls(ssl_context, server_hostname, timeout=_left_s(timeout)))

    async def read(self, max_bytes: int, timeout: Optional[float] = None) -> bytes:
        received: bytes = await self.inner.read(max_bytes, timeout=_left_s(timeout))
        return received

    async def write(self, buffer: bytes, timeout: Optional[float] = None) -> None:
        await self.inner.write(buffer, timeout=_left_s(timeout))


class _Attempts:
    """Which address of a name to connect to, and for how long.

    One that stays silent gives way to the next and is tried again later. `first` remembers where the next connection
    begins: a match has less time than an attempt.
    """

    def __init__(self, host: str, addresses: list[str], first: dict[str, str]) -> None:
        self._host = host
        self._first = first
        start = addresses.index(first[host]) if first.get(host) in addresses else 0
        self._queue = deque((address, _FIRST_ATTEMPT_S) for address in addresses[start:] + addresses[:start])
        self._failure: Exception = httpcore.ConnectError(f"{host} has no address")

    def current(self) -> tuple[str, Optional[float]]:
        """The address and its seconds, None for the only one. Raises the last failure when none remains."""
        if not self._queue:
            raise self._failure
        address, limit_s = self._queue[0]
        return address, limit_s if len(self._queue) > 1 else None

    def connected(self) -> None:
        self._first[self._host] = self._queue[0][0]

    def failed(self, error: Exception) -> bool:
        """Whether another attempt may follow."""
        address, limit_s = self._queue.popleft()
        is_alone = not self._queue
        if not is_alone:
            self._first[self._host] = self._queue[0][0]
        if isinstance(error, httpcore.ConnectTimeout) and not is_alone:
            self._queue.append((address, 2 * limit_s))
            return True
        if isinstance(error, httpcore.ConnectError):
            self._failure = error
            return True
        return False


class _AsyncLimitedNetwork(_Wrapper):
    """A network of httpcore, whose calls end at the deadline of their task.

    It looks names up in no thread of the event loop: the game needs them for its own work.
    """

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self._resolver = _Resolver()
        self._first: dict[str, str] = {}

    async def connect_tcp(self, host: str, port: int, timeout: Optional[float] = None, **options: Any) -> _AsyncLimited:
        left_s, loop, answered = _left_s(timeout), asyncio.get_running_loop(), asyncio.Event()

        def wake(_lookup: object) -> None:
            # The loop may be closed.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(answered.set)

        try:
            lookup = self._resolver.lookup(host, port)
            lookup.add_done_callback(wake)
            await asyncio.wait_for(answered.wait(), left_s)
            addresses = lookup.result(timeout=0)
        except TimeoutError:
            raise httpcore.ConnectTimeout("timed out") from None
        # A RuntimeError: there is no thread.
        except (OSError, UnicodeError, RuntimeError) as error:
            raise httpcore.ConnectError(str(error)) from error
        attempts = _Attempts(host, addresses, self._first)
        while True:
            address, limit_s = attempts.current()
            attempt_s = _shorter(_left_s(timeout), limit_s)
            try:
                connection = await _within(attempt_s, self.inner.connect_tcp(address, port, **options))
            except Exception as error:  # noqa: BLE001
                if not attempts.failed(error):
                    raise
            else:
                attempts.connected()
                return _AsyncLimited(connection)

    async def connect_unix_socket(self, path: str, timeout: Optional[float] = None, **options: Any) -> _AsyncLimited:
        return _AsyncLimited(await self.inner.connect_unix_socket(path, timeout=_left_s(timeout), **options))


async def _within(timeout_s: Optional[float], connecting: Coroutine[Any, Any, Any]) -> Any:
    """Ends at once when it is cancelled. anyio 3 turns some cancellations into an error of the connection."""
    task = asyncio.create_task(_outcome(connecting))
    try:
        await asyncio.wait({task}, timeout=timeout_s)
        if not task.done():
            raise httpcore.ConnectTimeout("timed out")
    except BaseException:
        # It may have connected in the same tick.
        task.cancel()
        task.add_done_callback(_close_abandoned)
        raise
    outcome = task.result()
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


async def _outcome(connecting: Coroutine[Any, Any, Any]) -> Any:
    """Returns an error: asyncio logs one that a task raises after nobody waits for it."""
    try:
        return await connecting
    except Exception as error:  # noqa: BLE001
        return error


def _close_abandoned(task: asyncio.Task[Any]) -> None:
    if not task.cancelled() and not isinstance(task.result(), Exception):
        asyncio.ensure_future(task.result().aclose())


class _LimitedNetwork(_Wrapper):
    """A network of httpcore, whose calls end at the deadline of their thread."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self._resolver = _Resolver()
        self._first: dict[str, str] = {}

    def connect_tcp(self, host: str, port: int, timeout: Optional[float] = None, **options: Any) -> _Limited:
        attempts = _Attempts(host, self._resolver.addresses(host, port, _left_s(timeout)), self._first)
        while True:
            address, limit_s = attempts.current()
            attempt_s = _shorter(_left_s(timeout), limit_s)
            try:
                connection = self.inner.connect_tcp(address, port, timeout=attempt_s, **options)
            except Exception as error:  # noqa: BLE001
                if not attempts.failed(error):
                    raise
            else:
                attempts.connected()
                return _Limited(connection)

    def connect_unix_socket(self, path: str, timeout: Optional[float] = None, **options: Any) -> _Limited:
        return _Limited(self.inner.connect_unix_socket(path, timeout=_left_s(timeout), **options))


class _Resolver:
    """Resolves names by threads of its own: getaddrinfo has no limit.

    All that wait for a name share its thread, so there are as many as names: the service's, and those of proxies.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[tuple[str, int], Future[list[str]]] = {}

    def addresses(self, host: str, port: int, timeout_s: Optional[float]) -> list[str]:
        try:
            try:
                running = self.lookup(host, port)
            except RuntimeError:
                # No thread can be started, as at the end of a process since Python 3.12: this one looks up, without a limit.
                return _lookup_now(host, port)
            return running.result(timeout_s)
        except TimeoutError:
            raise httpcore.ConnectTimeout("timed out") from None
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(str(error)) from error

    def lookup(self, host: str, port: int) -> Future[list[str]]:
        with self._lock:
            running = self._running.get((host, port))
            if running is not None:
                return running
            running = Future()
            if _is_address(host):
                running.set_result([host])
                return running
            thread = threading.Thread(
                target=self._resolve, args=(host, port, running), name="diegetic-resolver", daemon=True
            )
            thread.start()
            self._running[host, port] = running
            return running

    def _resolve(self, host: str, port: int, running: Future[list[str]]) -> None:
        addresses: list[str] = []
        failure: Optional[Exception] = None
        try:
            addresses = _lookup_now(host, port)
        except Exception as error:  # noqa: BLE001
            failure = error
        with self._lock:
            self._running.pop((host, port), None)
        if failure is None:
            running.set_result(addresses)
        else:
            running.set_exception(failure)


def _lookup_now(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_family, address in found]


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
        return True
    except ValueError:
        return False


def _left_s(timeout_s: Optional[float]) -> Optional[float]:
    end = _end.get()
    if end is None:
        return timeout_s
    left_s = end - time.monotonic()
    if left_s <= 0:
        raise httpcore.ReadTimeout("timed out")
    return _shorter(timeout_s, left_s)


def _shorter(first_s: Optional[float], second_s: Optional[float]) -> Optional[float]:
    return min((limit_s for limit_s in (first_s, second_s) if limit_s is not None), default=None)
