"""Client of Diegetic for game servers."""

from ._async_client import AsyncDiegeticClient
from ._client import DiegeticClient
from ._errors import DiegeticError
from ._events import ClientEvent
from ._outbox import FileOutbox, MemoryOutbox, Outbox, OutboxEntry
from ._transport import Match, Scene
from ._types import *  # noqa: F403
from ._webhooks import WebhookSignatureError, verify_webhook

__all__ = [  # noqa: F405
    "AsyncDiegeticClient",
    "ClientEvent",
    "DiegeticClient",
    "DiegeticError",
    "FileOutbox",
    "Match",
    "MemoryOutbox",
    "Outbox",
    "OutboxEntry",
    "Scene",
    "WebhookSignatureError",
    "verify_webhook",
]
