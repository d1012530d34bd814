"""What the scenarios do not show. `PYTHONPATH=src python3 -m unittest discover tests`"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import stat
import sys
import tempfile
import threading
import time
import typing
import unittest
import unittest.mock
import warnings
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Literal, Optional

import httpx

from diegetic import _types
from diegetic import AsyncDiegeticClient, DiegeticClient, DiegeticError, FileOutbox, MemoryOutbox
from diegetic import testing as diegetic_testing
from diegetic._calls import AsyncCalls, AsyncPages, Calls, Pages
from diegetic._deadline import _within
from diegetic._transport import Answer, retry_after_ms
from diegetic.testing import FakeDiegetic

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# Only ends what hangs.
TIMEOUT_S = 60.0
EARNINGS = "http://diegetic.test/earnings"
SCENE: Any = {"game_id": "game", "user_id": "player", "game_context": {"location": "tavern"}}


def entry(match_id: str) -> Any:
    return {
        "match_id": match_id,
        "campaign_id": "camp_1",
        "creative_id": "crt_1",
        "game_id": "game",
        "recorded_at_ms": 1,
    }


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + TIMEOUT_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {TIMEOUT_S} s")
        time.sleep(0.005)


class FakeDiegeticTest(unittest.TestCase):
    def test_serves_each_scene_an_ad_and_bills_it_once(self) -> None:
        diegetic = FakeDiegetic()
        diegetic.serve_ad(narrative_hook="A raven caws.")
        with diegetic.client(match_budget_ms=5_000) as client:
            match = client.match(SCENE)
            assert match is not None
            self.assertEqual((match["narrative_hook"], match["game_id"]), ("A raven caws.", "game"))
            self.assertEqual(match.keys() - {"game_id"}, _types.MatchResult.__annotations__.keys())
            client.record_impression(match)
            client.flush()
            client.record_impression(match)
            self.assertEqual(client.close(), 0)
        self.assertEqual(diegetic.scenes, [SCENE])
        self.assertEqual([one.get("match_id") for one in diegetic.impressions], ["match-1"])

    def test_answers_two_scenes_at_once_with_two_matches(self) -> None:
        diegetic = FakeDiegetic()
        refusal_of, both = diegetic_testing._refusal_of, threading.Barrier(2)

        def refusal_of_both(*arguments: Any) -> Any:
            with contextlib.suppress(threading.BrokenBarrierError):
                both.wait(0.2)
            return refusal_of(*arguments)

        with (
            unittest.mock.patch("diegetic.testing._refusal_of", refusal_of_both),
            diegetic.client(match_budget_ms=5_000) as client,
            ThreadPoolExecutor(2) as threads,
        ):
            matches = list(threads.map(client.match, [SCENE, SCENE]))
        self.assertEqual({match and match["match_id"] for match in matches}, {"match-1", "match-2"})

    def test_delivers_after_an_outage(self) -> None:
        async def play() -> None:
            diegetic = FakeDiegetic()
            async with diegetic.async_client() as client:
                match = await client.match(SCENE)
                assert match is not None
                outages: list[Literal["timeout", "unavailable"]] = ["timeout", "unavailable"]
                for outage in outages:
                    diegetic.fail(outage)
                    self.assertIsNone(await client.match(SCENE))
                client.record_impression(match)
                self.assertEqual(await client.flush(timeout_ms=20), 1)
                diegetic.serve_no_ad()
                self.assertEqual(await client.close(), 0)
            self.assertEqual(len(diegetic.impressions), 1)
            self.assertEqual(diegetic.scenes, [SCENE, SCENE, SCENE])

        asyncio.run(play())

    def test_refuses_scenes_as_the_service_does(self) -> None:
        scenes: list[tuple[Any, str]] = [
            ({"user_id": "player", "game_context": {}}, "game_id is required: it must be text that is not blank"),
            ({**SCENE, "user_id": None}, "user_id is required: it must be text that is not blank"),
            ({**SCENE, "user_id": " "}, "user_id must be text that is not blank"),
            ({"game_id": "game", "user_id": "player"}, "game_context is required: it must be an object"),
            ({**SCENE, "game_context": []}, "game_context must be an object"),
        ]
        for scene, detail in scenes:
            with self.subTest(detail):
                diegetic = FakeDiegetic()
                diegetic.serve_no_ad()
                events: list[Any] = []
                with diegetic.client(match_budget_ms=5_000, on_event=events.append) as client:
                    self.assertIsNone(client.match(scene))
                self.assertEqual(events, [{"type": "match_failed", "status": 400, "detail": detail}])
                self.assertEqual(diegetic.scenes, [scene])

    def test_bills_no_impression_without_a_required_field(self) -> None:
        diegetic = FakeDiegetic()
        events: list[Any] = []
        with diegetic.client(match_budget_ms=5_000, on_event=events.append) as client:
            match = client.match(SCENE)
            assert match is not None
            match["game_id"] = ""
            client.record_impression(match)
        self.assertEqual([(event["type"], event["status"]) for event in events], [("impression_rejected", 400)])
        self.assertEqual(events[0]["detail"], "game_id must be text that is not blank")
        self.assertEqual(diegetic.impressions, [])

    def test_enables_no_game_without_a_required_field(self) -> None:
        placement: Any = {"creator_id": "me"}
        with FakeDiegetic().client(match_budget_ms=5_000) as client:
            with self.assertRaisesRegex(DiegeticError, "placement_types is required: it must be a list"):
                client.api.enable_placement("game", placement)

    def test_enables_a_game(self) -> None:
        with FakeDiegetic().client(match_budget_ms=5_000) as client:
            placement = client.api.enable_placement(
                "a/b", {"creator_id": "me", "placement_types": ["narrative_hook"]}
            )
        self.assertEqual((placement["game_id"], placement["creator_id"]), ("a/b", "me"))


class ClientTest(unittest.TestCase):
    @unittest.skipUnless(hasattr(os, "fork"), "no os.fork")
    def test_serves_and_delivers_in_a_forked_process(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            outbox = FileOutbox(Path(folder) / "impressions.jsonl")
            diegetic = FakeDiegetic()
            events: list[Any] = []
            with diegetic.client(outbox=outbox, match_budget_ms=5_000, on_event=events.append) as client:
                match = client.match(SCENE)
                assert match is not None
                # The lock is held at the moment of the fork.
                with client._changed, warnings.catch_warnings():
                    # Python 3.12 warns of a fork with threads.
                    warnings.simplefilter("ignore")
                    child = os.fork()
                    if child == 0:
                        os._exit(self._play_in_child(diegetic, client, events))
                self.assertEqual(os.waitpid(child, 0)[1], 0)
                client.record_impression(match)
                self.assertEqual(client.flush(), 0)
            self.assertEqual([event["type"] for event in events], ["impression_recorded"])

    def _play_in_child(self, diegetic: FakeDiegetic, client: DiegeticClient, events: list[Any]) -> int:
        match = client.match(SCENE)
        if match is None or not client.record_impression(match):
            return 1
        is_delivered = client.flush(timeout_ms=5_000) == 0 and len(diegetic.impressions) == 1
        types = [event["type"] for event in events]
        return 0 if is_delivered and types == ["outbox_failed", "impression_recorded"] else 1

    @unittest.skipUnless(hasattr(os, "fork"), "no os.fork")
    def test_a_forked_process_leaves_the_outbox_of_an_async_client_to_its_parent(self) -> None:
        async def play_in_child() -> bool:
            match = await client.match(SCENE)
            if match is None or not client.record_impression(match):
                return False
            with self.assertRaisesRegex(OSError, "belongs to the parent process"):
                outbox.add(entry("mat_child"))
            return await client.flush() == 0

        async def play() -> None:
            diegetic.serve_no_ad()
            match: Any = {**entry("match-0"), "game_id": "game"}
            client.record_impression(match)
            self.assertEqual(await client.close(), 0)

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "impressions.jsonl"
            outbox = FileOutbox(path)
            events: list[Any] = []
            diegetic = FakeDiegetic()
            client = diegetic.async_client(outbox=outbox, match_budget_ms=5_000, on_event=events.append)
            outbox.add(entry("mat_kept"))
            child = os.fork()
            if child == 0:
                types = [] if not asyncio.run(play_in_child()) else [event["type"] for event in events]
                os._exit(0 if types == ["outbox_failed", "impression_recorded"] else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            asyncio.run(play())
            self.assertEqual([event["type"] for event in events], ["impression_rejected"])
            following = FileOutbox(path)
            self.assertEqual([one["match_id"] for one in following.load()], ["mat_kept"])
            following.close()

    @unittest.skipUnless(hasattr(os, "fork"), "no os.fork")
    def test_a_forked_process_does_not_keep_the_lock_of_an_outbox(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "impressions.jsonl"
            outbox = FileOutbox(path)
            here, there = socket.socketpair()
            child = os.fork()
            if child == 0:
                there.send(b"ready")
                there.recv(1)
                os._exit(0)
            here.recv(5)
            outbox.close()
            FileOutbox(path).close()
            here.send(b"1")
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            here.close()
            there.close()

    def test_names_the_address_that_it_cannot_connect_to(self) -> None:
        events: list[Any] = []
        address = "http://127.0.0.1:1/api"
        with DiegeticClient(
            base_url=address, api_key="key", match_budget_ms=5_000, on_event=events.append
        ) as client:
            self.assertIsNone(client.match(SCENE))
            with self.assertRaisesRegex(DiegeticError, f"No answer from {address}/profile: .*Connection refused"):
                client.api.get_profile()
        self.assertRegex(events[0]["detail"], f"No answer from {address}/match: .*Connection refused")

    def test_delivers_what_was_recorded_before_the_clock_of_the_machine_was_set(self) -> None:
        diegetic = FakeDiegetic()
        events: list[Any] = []
        with diegetic.client(on_event=events.append, match_budget_ms=5_000) as client:
            match = client.match(SCENE)
            assert match is not None
            diegetic.fail()
            with unittest.mock.patch("time.time", return_value=1.0):
                client.record_impression(match)
            client.flush(timeout_ms=20)
            diegetic.serve_ad()
            self.assertEqual(client.flush(), 0)
        self.assertEqual(events[-1]["type"], "impression_recorded")

    def test_delivers_when_a_thread_could_not_be_started(self) -> None:
        diegetic = FakeDiegetic()
        with diegetic.client(match_budget_ms=5_000) as client:
            first, second = client.match(SCENE), client.match(SCENE)
            assert first is not None and second is not None
            with unittest.mock.patch("threading.Thread.start", side_effect=RuntimeError("can't start new thread")):
                self.assertTrue(client.record_impression(first))
            self.assertEqual(client.flush(timeout_ms=TIMEOUT_S * 1_000), 0)

    def test_delivers_to_a_host_name_when_no_thread_can_look_it_up(self) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = b'{"impression_id": "imp_1", "charged_cents": 1}'
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(201)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments: Any) -> None:
                pass

        start = threading.Thread.start

        def start_another(thread: threading.Thread) -> None:
            if thread.name == "diegetic-resolver":
                raise RuntimeError("can't create new thread at interpreter shutdown")
            start(thread)

        with HTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever).start()
            try:
                with unittest.mock.patch("threading.Thread.start", start_another):
                    client = DiegeticClient(base_url=f"http://localhost:{server.server_port}/api", api_key="key")
                    self.assertTrue(client.record_impression(entry("mat_1")))
                    self.assertEqual(client.close(timeout_ms=TIMEOUT_S * 1_000), 0)
            finally:
                server.shutdown()

    def test_waits_for_an_impression_as_long_as_it_is_told_to(self) -> None:
        diegetic = FakeDiegetic()
        with diegetic.client(match_budget_ms=5_000) as client:
            match = client.match(SCENE)
            assert match is not None
            client.record_impression(match)
            self.assertEqual(client.flush(timeout_ms=float("inf")), 0)

    def test_counts_what_another_thread_records_before_it_is_closed(self) -> None:
        diegetic = FakeDiegetic()
        client = diegetic.client(match_budget_ms=5_000)
        match = client.match(SCENE)
        assert match is not None
        diegetic.fail()
        flush = client.flush

        def flush_and_record(**options: Any) -> int:
            pending = flush(**options)
            threading.Thread(target=client.record_impression, args=(match,)).start()
            wait_until(lambda: client.pending_impressions == 1)
            return pending

        with unittest.mock.patch.object(client, "flush", flush_and_record):
            self.assertEqual(client.close(), 1)

    def test_sends_at_once_what_is_recorded_while_others_flush(self) -> None:
        diegetic = FakeDiegetic()
        events: list[Any] = []
        client = diegetic.client(on_event=events.append, match_budget_ms=5_000)
        matches = [client.match(SCENE) for _ in range(10)]
        diegetic.fail()
        with unittest.mock.patch("diegetic._impression_queue.retry_delay_ms", return_value=3_600_000):
            client.record_impression(typing.cast(Any, matches[0]))
            wait_until(lambda: len(events) == 1)
        diegetic.serve_ad()
        flushes = [
            threading.Thread(target=lambda: client.flush(timeout_ms=TIMEOUT_S * 1_000), daemon=True)
            for _ in range(20)
        ]
        for flush in flushes:
            flush.start()
        for match in matches[1:]:
            client.record_impression(typing.cast(Any, match))
            wait_until(lambda: client.pending_impressions == 1)
        client.close(timeout_ms=1)
        for flush in flushes:
            flush.join(TIMEOUT_S)

    def test_ends_a_flush_when_it_is_closed(self) -> None:
        diegetic = FakeDiegetic()
        client = diegetic.client(match_budget_ms=5_000)
        match = client.match(SCENE)
        assert match is not None
        diegetic.fail()
        client.record_impression(match)
        pending: list[int] = []
        flushing = threading.Thread(
            target=lambda: pending.append(client.flush(timeout_ms=3_600_000)), daemon=True
        )
        flushing.start()
        client.close(timeout_ms=1)
        flushing.join(TIMEOUT_S)
        self.assertEqual(pending, [1])

    def test_says_of_a_match_after_its_end_that_it_is_closed(self) -> None:
        events: list[Any] = []
        client = FakeDiegetic().client(on_event=events.append)
        client.close()
        self.assertIsNone(client.match(SCENE))
        self.assertEqual([event["type"] for event in events], ["match_failed"])
        self.assertIn("the client is closed", events[0]["detail"])

    def test_an_answer_that_is_not_json_is_no_success(self) -> None:
        texts = ["<html>Sign in</html>", "[" * 100_000]
        transport = httpx.MockTransport(lambda _request: httpx.Response(200, text=texts.pop()))
        with DiegeticClient(base_url="http://diegetic.test", api_key="key", transport=transport) as client:
            while texts:
                with self.assertRaisesRegex(DiegeticError, "200 Unexpected answer 200"):
                    client.api.get_profile()

    def test_a_listener_that_raises_stops_nothing(self) -> None:
        def listener(_event: Any) -> None:
            raise RuntimeError("listener")

        diegetic = FakeDiegetic()
        diegetic.serve_no_ad()
        with diegetic.client(on_event=listener, match_budget_ms=5_000) as client:
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

    def test_does_not_repeat_a_call_without_a_time(self) -> None:
        answers = [httpx.Response(503), httpx.Response(200, json={})]
        transport = httpx.MockTransport(lambda _request: answers.pop(0))
        with DiegeticClient(base_url="http://diegetic.test", api_key="key", transport=transport) as client:
            with self.assertRaisesRegex(DiegeticError, "503"):
                client.api.get_profile(retry_for_ms=float("nan"))

    def test_refuses_what_cannot_work(self) -> None:
        valid: dict[str, Any] = {"base_url": "http://diegetic.test", "api_key": "key"}
        cases: list[tuple[dict[str, Any], str]] = [
            ({"base_url": "diegetic.test"}, "base_url must be"),
            ({"base_url": None}, "base_url must be"),
            ({"base_url": "ftp://user:secret@diegetic.test"}, "^base_url must be an http or https address, such as [^@]*$"),
            (
                {"base_url": "http://user:secret@diegetic.test/api"},
                "^base_url must have no user name, password, query or fragment$",
            ),
            ({"base_url": "http://diegetic.test/api?a=1"}, "base_url must have no user name, password, query"),
            ({"api_key": ""}, "api_key is required"),
            ({"api_key": None}, "api_key is required"),
            ({"api_key": "igk_secret\n"}, "api_key must be ASCII characters without spaces and line ends$"),
            ({"api_key": "igk_secret\u00fc"}, "api_key must be ASCII"),
            ({"match_budget_ms": 0}, "match_budget_ms must be a number above 0, not 0"),
            ({"match_budget_ms": None}, "not None"),
            ({"match_budget_ms": float("nan")}, "not nan"),
        ]
        for wrong, message in cases:
            for client in (DiegeticClient, AsyncDiegeticClient):
                with self.subTest(wrong), self.assertRaisesRegex(ValueError, message):
                    client(**{**valid, **wrong})


class DrippingServerTest(unittest.TestCase):
    """A server that sends a byte of a header every few milliseconds, and never ends."""

    def setUp(self) -> None:
        server = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{server.getsockname()[1]}/api"
        stopped = threading.Event()

        def drip(connection: socket.socket) -> None:
            with connection, contextlib.suppress(OSError):
                # A client may connect, and give up before it sends.
                connection.settimeout(1)
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Drip: ")
                while not stopped.wait(0.005):
                    connection.sendall(b"a")

        def accept() -> None:
            threads: list[threading.Thread] = []
            with contextlib.suppress(OSError):
                while True:
                    threads.append(threading.Thread(target=drip, args=(server.accept()[0],)))
                    threads[-1].start()
            for thread in threads:
                thread.join()

        accepting = threading.Thread(target=accept)
        accepting.start()

        def stop() -> None:
            stopped.set()
            server.shutdown(socket.SHUT_RDWR)
            server.close()
            accepting.join()

        self.addCleanup(stop)

    def test_holds_no_thread_beyond_the_time_of_an_exchange(self) -> None:
        events: list[Any] = []
        with (
            unittest.mock.patch("diegetic._client.IMPRESSION_TIMEOUT_S", 0.05),
            unittest.mock.patch("diegetic._client.CALL_TIMEOUT_S", 0.05),
            unittest.mock.patch("diegetic._client._MAX_PENDING_MATCHES", 1),
        ):
            client = DiegeticClient(
                base_url=self.base_url, api_key="key", match_budget_ms=20, on_event=events.append
            )
            self.assertIsNone(client.match(SCENE))
            with self.assertRaisesRegex(DiegeticError, "timeout after 50 ms"):
                client.api.get_profile()
            # The thread of the first match is free again.
            wait_until(
                lambda: client.match(SCENE) is None and "1 matches are pending" not in events[-1]["detail"]
            )
            client.record_impression(entry("mat_1"))
            wait_until(lambda: events[-1]["type"] == "impression_retrying")
            self.assertEqual(client.close(timeout_ms=1), 1)

    def test_holds_no_task_beyond_the_time_of_an_exchange(self) -> None:
        async def play() -> None:
            async with AsyncDiegeticClient(base_url=self.base_url, api_key="key") as client:
                with self.assertRaisesRegex(DiegeticError, "timeout after 50 ms"):
                    await client.api.get_profile()

        with unittest.mock.patch("diegetic._async_client.CALL_TIMEOUT_S", 0.05):
            asyncio.run(play())


class SlowResolverTest(unittest.TestCase):
    def test_holds_no_thread_beyond_the_time_of_an_exchange(self) -> None:
        stopped = threading.Event()
        resolved: list[str] = []

        def resolve(host: str, *_options: Any, **_more: Any) -> Any:
            resolved.append(host)
            stopped.wait(TIMEOUT_S)
            raise socket.gaierror("Temporary failure in name resolution")

        events: list[Any] = []
        with (
            unittest.mock.patch("socket.getaddrinfo", resolve),
            unittest.mock.patch("diegetic._client.IMPRESSION_TIMEOUT_S", 0.05),
            unittest.mock.patch("diegetic._client.CALL_TIMEOUT_S", 0.05),
            DiegeticClient(
                base_url="http://diegetic.test/api", api_key="key", on_event=events.append
            ) as client,
        ):
            for _ in range(3):
                with self.assertRaisesRegex(DiegeticError, "timeout after 50 ms"):
                    client.api.get_profile()
            client.record_impression(entry("mat_1"))
            wait_until(lambda: len(events) > 0)
            self.assertIn("timeout after 50 ms", events[0]["detail"])
            # Those that wait for a host share its thread.
            self.assertEqual(resolved, ["diegetic.test"])
            stopped.set()
            client.close(timeout_ms=0)

    def test_leaves_the_threads_of_the_event_loop_to_the_game(self) -> None:
        stopped = threading.Event()
        resolved: list[str] = []

        def resolve(host: str, *_options: Any, **_more: Any) -> Any:
            resolved.append(host)
            stopped.wait(TIMEOUT_S)
            raise socket.gaierror("Name or service not known")

        async def play() -> None:
            events: list[Any] = []
            async with AsyncDiegeticClient(
                base_url="http://diegetic.test/api", api_key="key", match_budget_ms=5, on_event=events.append
            ) as client:
                # More than the event loop has threads.
                for _ in range(40):
                    self.assertIsNone(await client.match(SCENE))
                self.assertEqual(len(resolved), 1)
                self.assertIn("timeout after 5 ms", events[-1]["detail"])
                stopped.set()
                with self.assertRaisesRegex(DiegeticError, "No answer from .*: Name or service not known"):
                    await client.api.get_profile()

        with unittest.mock.patch("socket.getaddrinfo", resolve):
            try:
                asyncio.run(play())
            finally:
                stopped.set()

    def test_names_what_failed_and_tries_every_address(self) -> None:
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        port = server.getsockname()[1]

        def answer() -> None:
            with server.accept()[0] as connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

        threading.Thread(target=answer, daemon=True).start()
        addresses = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in ("127.0.0.2", "127.0.0.1")
        ]
        real, found = socket.getaddrinfo, {"diegetic.test": addresses}

        def resolve(host: str, *options: Any, **more: Any) -> Any:
            if host == "missing.test":
                raise socket.gaierror("Name or service not known")
            return found.get(host) or real(host, *options, **more)

        with unittest.mock.patch("socket.getaddrinfo", resolve):
            with DiegeticClient(base_url=f"http://diegetic.test:{port}/api", api_key="key") as client:
                self.assertEqual(client.api.get_profile(), {})
            with DiegeticClient(base_url="http://missing.test/api", api_key="key") as client:
                with self.assertRaisesRegex(DiegeticError, "No answer from .*: Name or service not known"):
                    client.api.get_profile()


@unittest.skipUnless(sys.platform == "linux", "the backlog of a listener drops no packets")
class DroppingAddressTest(unittest.TestCase):
    """A name whose first address drops packets. The second answers."""

    def setUp(self) -> None:
        server = socket.create_server(("127.0.0.1", 0))
        port = server.getsockname()[1]
        # Linux drops what wants to connect to a listener with a full backlog.
        dropping = socket.create_server(("127.0.0.2", port), backlog=0)
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(dropping.getsockname())

        def answer(connection: socket.socket) -> None:
            with connection, contextlib.suppress(OSError):
                while connection.recv(65_536):
                    body = b'{"match_id": "mat_1"}'
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()

        accepting = threading.Thread(target=accept)
        accepting.start()

        def stop() -> None:
            server.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for one in (server, dropping, *waiting):
                one.close()

        self.addCleanup(stop)
        addresses = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in ("127.0.0.2", "127.0.0.1")
        ]
        self.addresses = addresses
        resolve, found = socket.getaddrinfo, {"diegetic.test": addresses}

        def resolved(host: str, *options: Any, **more: Any) -> Any:
            return found.get(host) or resolve(host, *options, **more)

        patches: list[Any] = [
            unittest.mock.patch("socket.getaddrinfo", resolved),
            # Less than it takes the system to give up.
            unittest.mock.patch("diegetic._client.CALL_TIMEOUT_S", 10),
            unittest.mock.patch("diegetic._async_client.CALL_TIMEOUT_S", 10),
        ]
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)
        self.base_url = f"http://diegetic.test:{port}/api"

    def test_a_call_is_answered_by_the_next_address(self) -> None:
        with DiegeticClient(base_url=self.base_url, api_key="key") as client:
            self.assertEqual(client.api.get_profile(), {"match_id": "mat_1"})

    def test_a_call_of_an_async_client_is_answered_by_the_next_address(self) -> None:
        async def play() -> None:
            async with AsyncDiegeticClient(base_url=self.base_url, api_key="key") as client:
                self.assertEqual(await client.api.get_profile(), {"match_id": "mat_1"})

        asyncio.run(play())

    def test_an_async_client_ends_in_time_when_no_address_answers(self) -> None:
        async def play() -> None:
            async with AsyncDiegeticClient(base_url=self.base_url, api_key="key") as client:
                with self.assertRaisesRegex(DiegeticError, "timeout after 900 ms"):
                    await client.api.get_profile()

        self.addresses[1] = self.addresses[0]
        # While the first address is tried for the second time.
        with unittest.mock.patch("diegetic._async_client.CALL_TIMEOUT_S", 0.9):
            asyncio.run(play())

    def test_a_match_tries_the_next_address_after_one_without_an_answer(self) -> None:
        with DiegeticClient(base_url=self.base_url, api_key="key") as client:
            wait_until(lambda: client.match(SCENE))

    def test_a_match_of_an_async_client_tries_the_next_address_after_one_without_an_answer(self) -> None:
        async def play() -> None:
            async with AsyncDiegeticClient(base_url=self.base_url, api_key="key") as client:
                async with asyncio.timeout(TIMEOUT_S):
                    while await client.match(SCENE) is None:
                        pass

        asyncio.run(play())


class ClosingTest(unittest.TestCase):
    """A server that answers when the client is closed."""

    def setUp(self) -> None:
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        self.base_url = f"http://127.0.0.1:{server.getsockname()[1]}/api"
        self.asked, self.closed = threading.Event(), threading.Event()

        def answer() -> None:
            with server.accept()[0] as connection:
                connection.recv(65_536)
                self.asked.set()
                self.closed.wait(TIMEOUT_S)
                with contextlib.suppress(OSError):
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

        answering = threading.Thread(target=answer)
        answering.start()
        self.addCleanup(answering.join, TIMEOUT_S)
        self.addCleanup(self.closed.set)

    def test_a_running_call_gets_its_answer(self) -> None:
        client = DiegeticClient(base_url=self.base_url, api_key="key")
        results: list[Any] = []

        def call() -> None:
            try:
                results.append(client.api.get_profile())
            except Exception as error:  # noqa: BLE001
                results.append(error)

        calling = threading.Thread(target=call)
        calling.start()
        self.assertTrue(self.asked.wait(TIMEOUT_S))
        client.close()
        self.closed.set()
        calling.join(TIMEOUT_S)
        self.assertEqual(results, [{}])
        with self.assertRaisesRegex(DiegeticError, "closed"):
            client.api.get_profile(retry_for_ms=3_600_000)

    def test_a_running_call_of_an_async_client_gets_its_answer(self) -> None:
        async def play() -> None:
            client = AsyncDiegeticClient(base_url=self.base_url, api_key="key")
            calling = asyncio.ensure_future(client.api.get_profile())
            self.assertTrue(await asyncio.to_thread(self.asked.wait, TIMEOUT_S))
            await client.close()
            self.closed.set()
            self.assertEqual(await calling, {})
            with self.assertRaisesRegex(DiegeticError, "closed"):
                await client.api.get_profile(retry_for_ms=3_600_000)

        asyncio.run(play())


class RepeatedCallTest(unittest.TestCase):
    """A service that asks for an hour."""

    def setUp(self) -> None:
        self.asked = threading.Event()

        def answer(_request: httpx.Request) -> httpx.Response:
            self.asked.set()
            return httpx.Response(503, headers={"Retry-After": "3600"})

        transport = httpx.MockTransport(answer)
        self.options: Any = {"base_url": "http://diegetic.test", "api_key": "key", "transport": transport}

    def test_ends_when_the_client_is_closed(self) -> None:
        client = DiegeticClient(**self.options)
        errors: list[Exception] = []

        def call() -> None:
            try:
                client.api.get_profile(retry_for_ms=36_000_000)
            except DiegeticError as error:
                errors.append(error)

        calling = threading.Thread(target=call, daemon=True)
        calling.start()
        self.assertTrue(self.asked.wait(TIMEOUT_S))
        client.close()
        calling.join(TIMEOUT_S)
        self.assertEqual(len(errors), 1)

    def test_ends_when_the_async_client_is_closed(self) -> None:
        async def play() -> None:
            client = AsyncDiegeticClient(**self.options)
            calling = asyncio.ensure_future(client.api.get_profile(retry_for_ms=36_000_000))
            async with asyncio.timeout(TIMEOUT_S):
                while not self.asked.is_set():
                    await asyncio.sleep(0.001)
            await client.close()
            with self.assertRaises(DiegeticError):
                await asyncio.wait_for(calling, TIMEOUT_S)

        asyncio.run(play())


class RepeatedDeletionTest(unittest.TestCase):
    """A deletion whose first answer was lost finds nothing when it is repeated."""

    def delete(self, *answers: Optional[int]) -> None:
        """Deletes with both clients. None loses an answer."""
        statuses: list[Optional[int]] = []

        def answer(_request: httpx.Request) -> httpx.Response:
            status = statuses.pop(0)
            if status is None:
                raise httpx.ReadError("lost")
            return httpx.Response(status, json={"detail": "Creative not found."})

        async def delete() -> None:
            async with AsyncDiegeticClient(base_url="http://diegetic.test", api_key="key", transport=transport) as client:
                await client.api.delete_creative("crt_1", retry_for_ms=TIMEOUT_S * 1_000)

        transport = httpx.MockTransport(answer)
        errors: list[DiegeticError] = []
        statuses[:] = answers
        with DiegeticClient(base_url="http://diegetic.test", api_key="key", transport=transport) as client:
            try:
                client.api.delete_creative("crt_1", retry_for_ms=TIMEOUT_S * 1_000)
            except DiegeticError as error:
                errors.append(error)
        self.assertEqual(statuses, [])
        statuses[:] = answers
        try:
            asyncio.run(delete())
        except DiegeticError as error:
            errors.append(error)
        self.assertEqual(statuses, [])
        if errors:
            self.assertEqual([error.status for error in errors], [404, 404])
            raise errors[0]

    def test_is_done(self) -> None:
        self.delete(None, 404)
        self.delete(503, 404)

    def test_is_an_error_unless_an_earlier_attempt_may_have_deleted(self) -> None:
        for answers in ([404], [429, 404]):
            with self.assertRaises(DiegeticError):
                self.delete(*answers)


class PagesTest(unittest.TestCase):
    def answer(self, request: httpx.Request) -> httpx.Response:
        """620 rows in pages of 500 at most, as the service has them: a cursor is the offset of its page."""
        self.requests.append(str(request.url))
        limit = int(request.url.params.get("limit", 500))
        offset = int(request.url.params.get("cursor", 0))
        query = request.url.params.merge({"limit": limit, "cursor": offset + limit})
        headers = {"Link": f'<{request.url.path}?{query}>; rel="next"'} if offset + limit < 620 else {}
        rows = [{"row": row} for row in range(620)][offset : offset + limit]
        return httpx.Response(200, headers=headers, json={"rows": rows})

    def setUp(self) -> None:
        self.requests: list[str] = []
        self.expected_requests = [f"{EARNINGS}?days=31", f"{EARNINGS}?days=31&cursor=500"]

    def client(self) -> DiegeticClient:
        transport = httpx.MockTransport(self.answer)
        return DiegeticClient(base_url="http://diegetic.test", api_key="key", transport=transport)

    def test_reads_every_row_of_a_list_that_is_longer_than_a_page(self) -> None:
        with self.client() as client:
            rows: list[Any] = [row for page in client.pages.get_earnings(days=31) for row in page["rows"]]
        self.assertEqual(rows, [{"row": row} for row in range(620)])
        self.assertEqual(self.requests, self.expected_requests)

    def test_reads_every_row_with_an_async_client(self) -> None:
        async def read() -> list[Any]:
            transport = httpx.MockTransport(self.answer)
            async with AsyncDiegeticClient(base_url="http://diegetic.test", api_key="key", transport=transport) as client:
                return [row async for page in client.pages.get_earnings(days=31) for row in page["rows"]]

        self.assertEqual(asyncio.run(read()), [{"row": row} for row in range(620)])
        self.assertEqual(self.requests, self.expected_requests)

    def test_reads_pages_of_the_size_and_from_the_cursor_that_it_is_given(self) -> None:
        with self.client() as client:
            pages = client.pages.get_earnings(limit=200, cursor="100")
            self.assertEqual([len(page["rows"]) for page in pages], [200, 200, 120])
            rows: Any = client.api.get_earnings(limit=2, cursor="7")["rows"]
        self.assertEqual(rows, [{"row": 7}, {"row": 8}])

    def test_ends_with_an_error_when_a_cursor_comes_twice(self) -> None:
        headers = {"Link": '</api/placements?cursor=a>; rel="next"'}
        transport = httpx.MockTransport(lambda _request: httpx.Response(200, headers=headers, json=[]))
        with DiegeticClient(base_url="http://diegetic.test", api_key="key", transport=transport) as client:
            with self.assertRaisesRegex(DiegeticError, "The cursor a came twice: the pages do not end"):
                list(client.pages.list_placements())


class AbandonedExchangeTest(unittest.TestCase):
    """A service that stalls until it is told to answer. What ends before leaves no connection in the pool."""

    def play(self, abandon: Callable[[AsyncDiegeticClient], Coroutine[Any, Any, None]]) -> None:
        async def play() -> None:
            answers = asyncio.Event()
            handlers: set[asyncio.Task[None]] = set()

            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                handlers.add(typing.cast("asyncio.Task[None]", asyncio.current_task()))
                with contextlib.closing(writer), contextlib.suppress(OSError, asyncio.IncompleteReadError):
                    while head := await reader.readuntil(b"\r\n\r\n"):
                        await reader.readexactly(int(re.findall(rb"(?i)content-length: (\d+)", head)[0]))
                        await answers.wait()
                        writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{"match_id": "m"}')

            server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1_000)
            base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/api"
            client = AsyncDiegeticClient(base_url=base_url, api_key="key")
            transport: Any = client._http._transport
            await abandon(client)
            answers.set()
            client._match_budget_s = 5
            for _ in range(3):
                self.assertIsNotNone(await client.match(SCENE))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(5):
                    while len(transport._pool.connections) > 1:
                        await client.match(SCENE)
            self.assertLessEqual(len(transport._pool.connections), 1)
            await client.close(timeout_ms=0)
            server.close()
            await asyncio.gather(*handlers)

        asyncio.run(play())

    def test_a_budget_that_ends_around_the_connect(self) -> None:
        async def abandon(client: AsyncDiegeticClient) -> None:
            for count in range(300):
                client._match_budget_s = 0.000_5 + count % 20 * 0.000_25
                self.assertIsNone(await client.match(SCENE))

        self.play(abandon)

    def test_more_matches_than_connections(self) -> None:
        async def abandon(client: AsyncDiegeticClient) -> None:
            client._match_budget_s = 0.05
            for _ in range(3):
                matches = await asyncio.gather(*[client.match(SCENE) for _ in range(300)])
                self.assertEqual(set(matches), {None})

        self.play(abandon)

    def test_a_task_that_is_cancelled_around_the_connect(self) -> None:
        async def abandon(client: AsyncDiegeticClient) -> None:
            client._match_budget_s = 0.2
            for ticks in range(150):
                task = asyncio.create_task(client.match(SCENE))
                for _ in range(ticks % 15):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait({task})
            # Those that were sent end with their budget.
            await asyncio.sleep(0.4)

        self.play(abandon)

    def test_closes_a_connection_that_was_made_in_the_tick_of_a_cancellation(self) -> None:
        connection = unittest.mock.AsyncMock()

        async def play() -> None:
            connected: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

            async def connect() -> Any:
                return await connected

            connecting = asyncio.create_task(_within(None, connect()))
            await asyncio.sleep(0.001)
            connected.set_result(connection)
            await asyncio.sleep(0)
            connecting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await connecting
            await asyncio.sleep(0.001)

        asyncio.run(play())
        connection.aclose.assert_awaited_once_with()

    def test_closes_while_a_transport_does_not_answer(self) -> None:
        class StallingTransport(httpx.AsyncBaseTransport):
            async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
                await asyncio.sleep(TIMEOUT_S)
                raise AssertionError("not cancelled")

        async def play() -> None:
            client = AsyncDiegeticClient(
                base_url="http://diegetic.test/api", api_key="key", match_budget_ms=5,
                transport=StallingTransport(),
            )
            self.assertIsNone(await client.match(SCENE))
            await client.close()
            self.assertEqual(asyncio.all_tasks(), {asyncio.current_task()})

        asyncio.run(play())


class AsyncClientTest(unittest.TestCase):
    def test_sends_again_after_its_tasks_were_cancelled(self) -> None:
        async def play() -> None:
            diegetic = FakeDiegetic()
            async with diegetic.async_client() as client:
                match = await client.match(SCENE)
                assert match is not None
                client.record_impression(match)
                (task,) = client._sending
                # One before it began, one on its way.
                task.cancel()
                await asyncio.sleep(0)
                diegetic.fail()
                await client.flush(timeout_ms=1)
                for other in client._sending:
                    other.cancel()
                diegetic.serve_ad()
                self.assertEqual(await client.flush(), 0)
            self.assertEqual(len(diegetic.impressions), 1)

        asyncio.run(play())

    def test_comes_back_by_itself_after_its_tasks_were_cancelled(self) -> None:
        async def play() -> None:
            diegetic = FakeDiegetic()
            async with diegetic.async_client() as client:
                match = await client.match(SCENE)
                assert match is not None
                with unittest.mock.patch("diegetic._async_client._AFTER_CANCEL_S", 0):
                    client.record_impression(match)
                    for task in client._sending:
                        task.cancel()
                    async with asyncio.timeout(TIMEOUT_S):
                        while client.pending_impressions > 0:
                            await asyncio.sleep(0.001)

        asyncio.run(play())

    def test_comes_back_by_itself_before_the_retry_of_another_impression(self) -> None:
        async def play() -> None:
            diegetic = FakeDiegetic()
            events: list[Any] = []
            async with diegetic.async_client(on_event=events.append) as client:
                first, second = await client.match(SCENE), await client.match(SCENE)
                assert first is not None and second is not None
                diegetic.fail()
                with (
                    unittest.mock.patch("diegetic._impression_queue.retry_delay_ms", return_value=3_600_000),
                    unittest.mock.patch("diegetic._async_client._AFTER_CANCEL_S", 0),
                ):
                    client.record_impression(first)
                    async with asyncio.timeout(TIMEOUT_S):
                        while not events:
                            await asyncio.sleep(0.001)
                    diegetic.serve_ad()
                    client.record_impression(second)
                    for task in client._sending:
                        task.cancel()
                    async with asyncio.timeout(TIMEOUT_S):
                        while client.pending_impressions > 1:
                            await asyncio.sleep(0.001)
                await client.close(timeout_ms=0)

        asyncio.run(play())

    def test_ends_a_flush_when_it_is_closed(self) -> None:
        async def play() -> None:
            diegetic = FakeDiegetic()
            async with diegetic.async_client() as client:
                match = await client.match(SCENE)
                assert match is not None
                diegetic.fail()
                client.record_impression(match)
                flushed = asyncio.ensure_future(client.flush(timeout_ms=3_600_000))
                await asyncio.sleep(0)
                await client.close(timeout_ms=1)
                self.assertEqual(await asyncio.wait_for(flushed, TIMEOUT_S), 1)

        asyncio.run(play())

    def test_closes_also_when_it_is_cancelled(self) -> None:
        async def play() -> None:
            diegetic = FakeDiegetic()
            events: list[Any] = []
            client = diegetic.async_client(on_event=events.append)
            match = await client.match(SCENE)
            assert match is not None
            diegetic.fail()
            client.record_impression(match)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(client.close(), 0.02)
            self.assertEqual(events[-1]["type"], "impression_dropped")
            self.assertFalse(client.record_impression(match))

        asyncio.run(play())

    def test_accepts_nothing_from_another_thread(self) -> None:
        async def play() -> None:
            async with FakeDiegetic().async_client(match_budget_ms=5_000) as client:
                match = await client.match(SCENE)
                assert match is not None
                with self.assertRaises(RuntimeError):
                    await asyncio.to_thread(client.record_impression, match)
                self.assertEqual(client.pending_impressions, 0)

        asyncio.run(play())


class RetryAfterTest(unittest.TestCase):
    def test_reads_whole_seconds_and_dates_and_ignores_anything_else(self) -> None:
        hour_ms = 3_600_000
        cases = {
            "2": 2_000,
            "9" * 5_000: hour_ms,
            "Fri, 31 Dec 9999 23:59:59 GMT": hour_ms,
            "Sun, 06 Nov 1994 08:49:37 GMT": 0,
            "Mon, 01 Jan 0001 00:00:00 GMT": 0,
            "Mon, 99 Foo 2999 00:00:00 GMT": 0,
            "Sat, 01 Jan 0050 00:00:00 GMT": 0,
            "Sun, 31 Feb 2999 00:00:00 GMT": 0,
            "Fri, 31 Dec 9999 23:59:59 -0500": 0,
            "1.5": 0,
            "\u0661": 0,
            "": 0,
        }
        for value, expected_ms in cases.items():
            with self.subTest(value[:40]):
                headers = httpx.Headers([(b"Retry-After", value.encode())])
                self.assertEqual(retry_after_ms(Answer(503, headers, None)), expected_ms)


class GeneratedTest(unittest.TestCase):
    def test_every_annotation_resolves(self) -> None:
        names = vars(_types)
        for kind in (value for value in names.values() if typing.is_typeddict(value)):
            self.assertTrue(typing.get_type_hints(kind, names))
        for calls, pages in ((Calls, Pages), (AsyncCalls, AsyncPages)):
            methods = {name: value for name, value in vars(calls).items() if not name.startswith("_")}
            self.assertGreater(len(methods), 20)
            paged = {name: value for name, value in vars(pages).items() if not name.startswith("_")}
            cursors = {name for name, method in methods.items() if "cursor" in typing.get_type_hints(method)}
            self.assertEqual(set(paged), cursors)
            for method in (*methods.values(), *paged.values()):
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

    @unittest.skipIf(resource is None, "no limit of file sizes")
    def test_keeps_what_is_added_after_a_line_that_a_full_disk_cut_off(self) -> None:
        outbox = FileOutbox(self.path)
        outbox.add(entry("mat_1"))
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.path.stat().st_size + 20, limits[1]))
        try:
            for match_id in ("mat_2", "mat_3"):
                with self.assertRaises(OSError):
                    outbox.add(entry(match_id))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        outbox.add(entry("mat_4"))
        outbox.remove("mat_1")
        outbox.close()
        following = FileOutbox(self.path)
        self.assertEqual([one["match_id"] for one in following.load()], ["mat_2", "mat_3", "mat_4"])
        following.close()

    def test_writes_everything_again_after_the_file_could_not_be_replaced(self) -> None:
        outbox = FileOutbox(self.path)
        outbox.add(entry("mat_1"))
        for index in range(500):
            outbox.add(entry(f"mat_x{index}"))
            outbox.remove(f"mat_x{index}")
        outbox.add(entry("mat_2"))
        self.path.unlink()
        self.path.mkdir()
        with self.assertRaises(OSError):
            outbox.remove("mat_2")
        with self.assertRaises(OSError):
            outbox.add(entry("mat_3"))
        self.path.rmdir()
        outbox.add(entry("mat_4"))
        outbox.close()
        following = FileOutbox(self.path)
        self.assertEqual([one["match_id"] for one in following.load()], ["mat_1", "mat_3", "mat_4"])
        following.close()

    def test_is_whole_when_its_folder_could_not_be_synced_and_syncs_it_with_the_next_entry(self) -> None:
        def sync(descriptor: int) -> None:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise OSError("folder")

        outbox = FileOutbox(self.path, fsync=True)
        for index in range(500):
            outbox.add(entry(f"mat_x{index}"))
            outbox.remove(f"mat_x{index}")
        outbox.add(entry("mat_1"))
        with unittest.mock.patch("os.fsync", sync):
            with self.assertRaisesRegex(OSError, "folder"):
                outbox.remove("mat_1")
            replaced = self.path.stat().st_ino
            with self.assertRaisesRegex(OSError, "folder"):
                outbox.add(entry("mat_2"))
            self.assertEqual(self.path.stat().st_ino, replaced)
        outbox.add(entry("mat_3"))
        self.assertEqual(len(self.path.read_bytes().splitlines()), 2)
        outbox.close()

    def test_releases_the_lock_when_closing_fails(self) -> None:
        outbox = FileOutbox(self.path)
        with unittest.mock.patch.object(outbox, "_file") as file:
            file.close.side_effect = OSError("disk full")
            with self.assertRaises(OSError):
                outbox.close()
        outbox.close()
        FileOutbox(self.path).close()

    def test_stays_in_its_folder_when_the_process_changes_its_own(self) -> None:
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.path.parent)
        outbox = FileOutbox(self.path.name)
        os.chdir(before)
        for index in range(600):
            outbox.add(entry(f"mat_{index}"))
            outbox.remove(f"mat_{index}")
        outbox.close()
        self.assertEqual(sorted(one.name for one in self.path.parent.iterdir()), [self.path.name, f"{self.path.name}.lock"])

    def test_writes_nothing_after_it_was_closed(self) -> None:
        outbox = FileOutbox(self.path)
        outbox.close()
        with self.assertRaisesRegex(OSError, "is closed"):
            outbox.add(entry("mat_1"))
        self.assertEqual(self.path.read_text(), "")

    def test_keeps_texts_that_are_no_unicode(self) -> None:
        outbox = FileOutbox(self.path)
        invalid: Any = {**entry("mat_1"), "game_id": "\ud800"}
        outbox.add(invalid)
        outbox.add(entry("mat_2"))
        outbox.close()
        following = FileOutbox(self.path)
        self.assertEqual([one["game_id"] for one in following.load()], ["\ud800", "game"])
        following.close()

    def test_refuses_a_capacity_that_is_no_limit(self) -> None:
        outboxes: list[Callable[..., Any]] = [lambda **wrong: FileOutbox(self.path, **wrong), MemoryOutbox]
        for capacity in (0, -1, 1.5, float("nan"), float("inf"), None):
            for outbox in outboxes:
                with self.subTest(capacity), self.assertRaisesRegex(ValueError, f"above 0, not {capacity}"):
                    outbox(capacity=capacity)

    def test_refuses_a_file_in_use(self) -> None:
        outbox = FileOutbox(self.path, fsync=True)
        with self.assertRaisesRegex(OSError, "is used by another process"):
            FileOutbox(self.path)
        outbox.close()
        FileOutbox(self.path).close()


if __name__ == "__main__":
    unittest.main()
