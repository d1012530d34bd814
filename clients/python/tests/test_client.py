"""What the scenarios do not show. `PYTHONPATH=src python3 -m unittest discover tests`"""

from __future__ import annotations

import asyncio
import tempfile
import typing
import unittest
from pathlib import Path
from typing import Any

import httpx

from diegetic import _types
from diegetic import DiegeticClient, DiegeticError, FileOutbox
from diegetic._calls import AsyncCalls, Calls
from diegetic.testing import FakeDiegetic

SCENE: Any = {"game_id": "game", "user_id": "player", "game_context": {"location": "tavern"}}


def entry(match_id: str) -> Any:
    return {
        "match_id": match_id,
        "campaign_id": "camp_1",
        "creative_id": "crt_1",
        "game_id": "game",
        "recorded_at_ms": 1,
    }


class FakeDiegeticTest(unittest.TestCase):
    def test_serves_each_scene_an_ad_and_bills_it_once(self) -> None:
        diegetic = FakeDiegetic()
        diegetic.serve_ad(narrative_hook="A raven caws.")
        with diegetic.client() as client:
            match = client.match(SCENE)
            assert match is not None
            self.assertEqual((match["narrative_hook"], match["game_id"]), ("A raven caws.", "game"))
            client.record_impression(match)
            client.flush()
            client.record_impression(match)
            self.assertEqual(client.close(), 0)
        self.assertEqual(diegetic.scenes, [SCENE])
        self.assertEqual([one.get("match_id") for one in diegetic.impressions], ["match-1"])

    def test_delivers_after_an_outage(self) -> None:
        async def play() -> None:
            diegetic = FakeDiegetic()
            async with diegetic.async_client() as client:
                match = await client.match(SCENE)
                assert match is not None
                for how in ("timeout", "unavailable"):
                    diegetic.fail(how)
                    self.assertIsNone(await client.match(SCENE))
                client.record_impression(match)
                self.assertEqual(await client.flush(timeout_ms=20), 1)
                diegetic.serve_no_ad()
                self.assertEqual(await client.close(), 0)
            self.assertEqual(len(diegetic.impressions), 1)

        asyncio.run(play())


class ClientTest(unittest.TestCase):
    def test_a_listener_that_raises_stops_nothing(self) -> None:
        def listener(_event: Any) -> None:
            raise RuntimeError("listener")

        diegetic = FakeDiegetic()
        diegetic.serve_no_ad()
        with diegetic.client(on_event=listener) as client:
            self.assertIsNone(client.match(SCENE))

    def test_calls_are_typed_retried_with_one_key_and_raise_the_services_sentence(self) -> None:
        requests: list[httpx.Request] = []
        answers = [
            httpx.Response(503),
            httpx.Response(200, json={"balance_cents": 5, "deposited_cents": 5}),
            httpx.Response(409, json={"detail": "Deposit first."}),
        ]

        def answer(request: httpx.Request) -> httpx.Response:
            requests.append(request)
            return answers[len(requests) - 1]

        transport = httpx.MockTransport(answer)
        with DiegeticClient(base_url="http://diegetic.test/api/", api_key="key", transport=transport) as client:
            deposit = client.api.deposit_funds({"amount_cents": 5}, retry_for_ms=10_000)
            self.assertEqual(deposit["balance_cents"], 5)
            with self.assertRaisesRegex(DiegeticError, "409 Deposit first") as caught:
                client.api.activate_campaign("a/b")
            self.assertEqual(caught.exception.status, 409)
        keys = [request.headers.get("idempotency-key") for request in requests]
        self.assertTrue(keys[0])
        self.assertEqual(keys, [keys[0], keys[0], None])
        self.assertEqual(str(requests[2].url), "http://diegetic.test/api/campaigns/a%2Fb/activate")

    def test_refuses_what_cannot_work(self) -> None:
        for options, message in [
            ({"base_url": "diegetic.test", "api_key": "key"}, "base_url must be"),
            ({"base_url": "http://diegetic.test", "api_key": ""}, "api_key is required"),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                DiegeticClient(**options)


class GeneratedTest(unittest.TestCase):
    def test_every_annotation_resolves(self) -> None:
        names = vars(_types)
        for kind in (value for value in names.values() if typing.is_typeddict(value)):
            self.assertTrue(typing.get_type_hints(kind, names))
        for calls in (Calls, AsyncCalls):
            methods = [value for name, value in vars(calls).items() if not name.startswith("_")]
            self.assertGreater(len(methods), 20)
            for method in methods:
                self.assertIn("return", typing.get_type_hints(method))


class FileOutboxTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "impressions.jsonl"

    def test_stays_small_and_keeps_what_is_pending(self) -> None:
        outbox = FileOutbox(self.path, fsync=False)
        outbox.add(entry("mat_kept"))
        for index in range(3_000):
            outbox.add(entry(f"mat_{index}"))
            outbox.remove(f"mat_{index}")
        self.assertLess(self.path.stat().st_size, 200_000)
        outbox.close()
        following = FileOutbox(self.path)
        self.assertEqual([one["match_id"] for one in following.load()], ["mat_kept"])
        following.close()

    def test_refuses_a_file_in_use(self) -> None:
        outbox = FileOutbox(self.path)
        with self.assertRaisesRegex(OSError, "is used by another process"):
            FileOutbox(self.path)
        outbox.close()
        FileOutbox(self.path).close()


if __name__ == "__main__":
    unittest.main()
