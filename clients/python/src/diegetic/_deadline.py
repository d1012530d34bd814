"""A time limit for a whole exchange. Those of httpx are for single reads: a server that drips would hold a thread for ever."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
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
        if network is not None and not isinstance(network, _Limited):
            setattr(pool, "_network_backend", _Limited(network))


class _Limited:
    """A network or a connection of httpcore, whose calls end at the deadline of their thread."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def connect_tcp(self, host: str, port: int, timeout: Optional[float] = None, **options: Any) -> _Limited:
        return _Limited(self._inner.connect_tcp(host, port, timeout=_left_s(timeout), **options))

    def connect_unix_socket(self, path: str, timeout: Optional[float] = None, **options: Any) -> _Limited:
        return _Limited(self._inner.connect_unix_socket(path, timeout=_left_s(timeout), **options))

    def start_tls(
        self, ssl_context: Any, server_hostname: Optional[str] = None, timeout: Optional[float] = None
    ) -> _Limited:
        return _Limited(self._inner.start_tls(ssl_context, server_hostname, timeout=_left_s(timeout)))

    def read(self, max_bytes: int, timeout: Optional[float] = None) -> bytes:
        return self._inner.read(max_bytes, timeout=_left_s(timeout))

    def write(self, buffer: bytes, timeout: Optional[float] = None) -> None:
        self._inner.write(buffer, timeout=_left_s(timeout))


def _left_s(timeout_s: Optional[float]) -> Optional[float]:
    end = getattr(_of_thread, "end", None)
    if end is None:
        return timeout_s
    left_s = end - time.monotonic()
    if left_s <= 0:
        raise httpcore.ReadTimeout("timed out")
    return left_s if timeout_s is None else min(timeout_s, left_s)
