"""Verification of requests to webhooks."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable
from typing import cast

from ._types import WebhookEvent

_TOLERANCE_SECONDS = 300
_MAX_SIGNATURES = 8


class WebhookSignatureError(Exception):
    """The request was not signed with the secret, or is too old. Answer it with 400."""


def verify_webhook(
    body: bytes | bytearray | memoryview | str,
    signature: str | None,
    secret: str,
    *,
    tolerance_seconds: float = _TOLERANCE_SECONDS,
    now: Callable[[], float] = time.time,
) -> WebhookEvent:
    """Return the event of a request: its body as received and its header Diegetic-Signature.

    Raises WebhookSignatureError unless one of its signatures is of the secret and its time is near.
    The same event may arrive again: remember its id.
    """
    fields = [field.strip() for field in (signature or "").split(",")]
    stamp = next((field[2:] for field in fields if field.startswith("t=")), "")
    signatures = [field[3:] for field in fields if re.fullmatch(r"v1=[0-9a-f]{64}", field)]
    if re.fullmatch(r"[0-9]{1,12}", stamp) is None or not signatures:
        raise WebhookSignatureError("The header Diegetic-Signature is missing or malformed.")
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise TypeError("body must be the text or bytes as received, not what a parser made of them")
    content = body.encode() if isinstance(body, str) else bytes(body)
    expected = hmac.new(secret.encode(), f"{stamp}.".encode() + content, hashlib.sha256).hexdigest()
    # A list, so that the time does not tell which one is right.
    if not any([hmac.compare_digest(expected, one) for one in signatures[:_MAX_SIGNATURES]]):
        raise WebhookSignatureError("The signature is not of this secret and body.")
    if abs(now() - int(stamp)) > tolerance_seconds:
        raise WebhookSignatureError("The signature is too old, or the clocks differ.")
    return cast(WebhookEvent, json.loads(content))
