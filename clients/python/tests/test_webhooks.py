"""Verification of requests to webhooks."""

from __future__ import annotations

import hashlib
import hmac
import json
import unittest
from typing import Any

from diegetic import WebhookSignatureError, verify_webhook

SECRET = "whsec_1"
TIME = 1_800_000_000
BODY = json.dumps({"id": "evt_1", "type": "webhook.test", "data": {"text": "Grüße"}})


def signed(body: str = BODY, secret: str = SECRET, time: int = TIME) -> str:
    return "v1=" + hmac.new(secret.encode(), f"{time}.{body}".encode(), hashlib.sha256).hexdigest()


class WebhookTest(unittest.TestCase):
    def test_returns_the_event_of_text_and_bytes(self) -> None:
        content = BODY.encode()
        bodies: list[bytes | bytearray | memoryview | str] = [BODY, content, bytearray(content), memoryview(content)]
        for body in bodies:
            event = verify_webhook(body, f"t={TIME},{signed()}", SECRET, now=lambda: TIME)
            self.assertEqual(event, json.loads(BODY))

    def test_says_that_a_parsed_body_is_a_mistake(self) -> None:
        parsed: Any = json.loads(BODY)
        with self.assertRaisesRegex(TypeError, "body must be the text or bytes as received"):
            verify_webhook(parsed, f"t={TIME},{signed()}", SECRET, now=lambda: TIME)

    def test_accepts_both_secrets_while_one_is_replaced(self) -> None:
        header = f"t={TIME},{signed(secret='whsec_2')},{signed()}"
        for secret in (SECRET, "whsec_2"):
            verify_webhook(BODY, header, secret, now=lambda: TIME)

    def test_refuses_what_is_not_signed_with_the_secret_now(self) -> None:
        for header in (
            f"t={TIME},{signed('{}')}",
            f"t={TIME},{signed(secret='whsec_2')}",
            f"t={TIME - 1},{signed()}",
            f"t={TIME - 301},{signed(time=TIME - 301)}",
            f"t={TIME + 301},{signed(time=TIME + 301)}",
            signed(),
            f"t={TIME}",
            f"t={TIME},{signed()[:-1]}",
            "",
            None,
        ):
            with self.subTest(header=header), self.assertRaises(WebhookSignatureError):
                verify_webhook(BODY, header, SECRET, now=lambda: TIME)


if __name__ == "__main__":
    unittest.main()
