"""A time limit for a whole exchange.

Those of httpx are for single reads, and none is for name resolution: a server that drips would hold a thread for ever.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any, Optional

import httpcore
import httpx

_of_thread = threading.local()


@contextlib.contextmanager
def deadline(timeout_s: float) -> Iterator[None]:
    """Requests of this thread raise httpx.TimeoutException after the seconds, with a client of `limit_exchanges`."""
    _of_thread.end = time.monotonic() + timeout_s
    try:
        yield
    finally:
        _of_thread.end = None


def limit_exchanges(client: httpx.Client) -> None:
    """httpx has no setting for the network below its transports. A transport without the known parts keeps its own limits."""
    for transport in (client._transport, *client._mounts.values()):
        pool = getattr(transport, "_pool", None)
        network = getattr(pool, "_network_backend", None)
        if network is not None:
            # Anew for a transport that a forked child shares: its threads that resolve names are the parent's.
            inner = network.inner if isinstance(network, _LimitedNetwork) else network
            setattr(pool, "_network_backend", _LimitedNetwork(inner))


class _Limited:
    """A connection of httpcore, whose calls end at the deadline of their thread."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def start_tls(
        self, ssl_context: Any, server_hostname: Optional[str] = None, timeout: Optional[float] = None
    ) -> _Limited:
        return _Limited(self.inner.start_tls(ssl_context, server_hostname, timeout=_left_s(timeout)))

    def read(self, max_bytes: int, timeout: Optional[float] = None) -> bytes:
        return self.inner.read(max_bytes, timeout=_left_s(timeout))

    def write(self, buffer: bytes, timeout: Optional[float] = None) -> None:
        self.inner.write(buffer, timeout=_left_s(timeout))


class _LimitedNetwork(_Limited):
    """A network of httpcore."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self._resolver = _Resolver()

    def connect_tcp(self, host: str, port: int, timeout: Optional[float] = None, **options: Any) -> _Limited:
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in self._resolver.addresses(host, port, _left_s(timeout)):
            try:
                return _Limited(self.inner.connect_tcp(address, port, timeout=_left_s(timeout), **options))
            except httpcore.ConnectError as error:
                failure = error
        raise failure

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
        if _is_address(host):
            return [host]
        try:
            return self._resolved(host, port).result(timeout_s)
        except TimeoutError:
            raise httpcore.ConnectTimeout("timed out") from None
        # RuntimeError: there is no thread.
        except (OSError, UnicodeError, RuntimeError) as error:
            raise httpcore.ConnectError(str(error)) from error

    def _resolved(self, host: str, port: int) -> Future[list[str]]:
        with self._lock:
            running = self._running.get((host, port))
            if running is None:
                running = Future()
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
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses = [str(address[0]) for *_family, address in found]
        except Exception as error:  # noqa: BLE001
            failure = error
        with self._lock:
            self._running.pop((host, port), None)
        if failure is None:
            running.set_result(addresses)
        else:
            running.set_exception(failure)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
        return True
    except ValueError:
        return False


def _left_s(timeout_s: Optional[float]) -> Optional[float]:
    end = getattr(_of_thread, "end", None)
    if end is None:
        return timeout_s
    left_s = end - time.monotonic()
    if left_s <= 0:
        raise httpcore.ReadTimeout("timed out")
    return left_s if timeout_s is None else min(timeout_s, left_s)
