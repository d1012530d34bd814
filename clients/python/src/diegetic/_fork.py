from __future__ import annotations

import os
import weakref
from typing import Protocol

from ._events import OnEvent
from ._impression_queue import ImpressionQueue
from ._outbox import MemoryOutbox, Outbox


class _Client(Protocol):
    _queue: ImpressionQueue

    @property
    def _on_event(self) -> OnEvent: ...

    def _start(self, outbox: Outbox) -> None: ...


_clients: weakref.WeakSet[_Client] = weakref.WeakSet()


def start_again_in_child(client: _Client) -> None:
    """After a fork, the child's copy of the client starts with an empty outbox: the parent sends what was pending.

    A transport that was given is shared with the parent.
    """
    _clients.add(client)


def _start_clients() -> None:
    for client in list(_clients):
        if client._queue.is_closed:
            continue
        outbox = client._queue.outbox
        if outbox.is_durable:
            detail = "The outbox belongs to the parent process: create a client with its own outbox after the fork"
            client._on_event({"type": "outbox_failed", "detail": detail})
        client._start(MemoryOutbox(capacity=outbox.capacity))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_clients)
