"""Runs the scenarios of clients/conformance: `python conformance.py sync|async SCENARIOS SERVER_URL DIRECTORY`.

Prints a JSON array with the results and events of each scenario.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from diegetic import (  # noqa: E402
    AsyncDiegeticClient,
    DiegeticClient,
    DiegeticError,
    FileOutbox,
    MemoryOutbox,
    WebhookSignatureError,
    verify_webhook,
)

PATIENT_BUDGET_MS = 10_000
EVENT_TIMEOUT_S = 10


class Run:
    """One scenario with one client."""

    def __init__(self, file: dict[str, Any], index: int, server_url: str, directory: str) -> None:
        self.file = file
        self.scenario = file["scenarios"][index]
        self.events: list[Any] = []
        self.seen_match = file["impression"]
        self._base_url = f"{server_url}/{index}/api"
        self._path = Path(directory) / f"outbox-{index}.jsonl"

    def options(self) -> dict[str, Any]:
        limit = {"capacity": self.scenario["capacity"]} if "capacity" in self.scenario else {}
        return {
            "base_url": self._base_url,
            "api_key": "test-key",
            "match_budget_ms": self.scenario.get("matchBudgetMs", PATIENT_BUDGET_MS),
            "outbox": FileOutbox(self._path, **limit) if "file" in self.scenario else MemoryOutbox(**limit),
            "on_event": self.events.append,
        }

    def matched(self, match: Any) -> Any:
        self.seen_match = match or self.seen_match
        return None if match is None else "ad"

    def impression(self, step: dict[str, Any]) -> Any:
        return {**self.seen_match, "match_id": step.get("match_id", self.seen_match["match_id"])}

    def has_event(self, step: dict[str, Any]) -> bool:
        return any(event["type"] == step["type"] for event in self.events)

    def verified(self, step: dict[str, Any]) -> str:
        webhook = self.file["webhook"]
        try:
            now: float = webhook["nowMs"] / 1_000
            return verify_webhook(webhook["body"], step["signature"], webhook["secret"], now=lambda: now)["id"]
        except WebhookSignatureError:
            return "refused"

    def outcome(self, results: list[Any]) -> dict[str, Any]:
        return {"name": self.scenario["name"], "results": results, "events": self.events}


def run_sync(run: Run) -> dict[str, Any]:
    client = DiegeticClient(**run.options())
    results: list[Any] = []
    for step in run.scenario["steps"]:
        timeout_ms = step.get("timeoutMs", 0)
        if step["do"] == "match":
            results.append(run.matched(client.match(run.file["scene"])))
        elif step["do"] == "recordImpression":
            results.append(client.record_impression(run.impression(step)))
        elif step["do"] == "enablePlacement":
            try:
                client.api.enable_placement("moonlit-keep", run.file["placement"])
                results.append(None)
            except DiegeticError as error:
                results.append(error.detail)
        elif step["do"] == "flush":
            results.append(client.flush(timeout_ms=timeout_ms))
        elif step["do"] == "close":
            results.append(client.close(timeout_ms=timeout_ms))
        elif step["do"] == "awaitEvent":
            end = time.monotonic() + EVENT_TIMEOUT_S
            while not run.has_event(step) and time.monotonic() < end:
                time.sleep(0.01)
            results.append(run.has_event(step))
        elif step["do"] == "verifyWebhook":
            results.append(run.verified(step))
        else:
            client = DiegeticClient(**run.options())
            results.append(True)
    client.close(timeout_ms=0)
    return run.outcome(results)


async def run_async(run: Run) -> dict[str, Any]:
    client = AsyncDiegeticClient(**run.options())
    results: list[Any] = []
    for step in run.scenario["steps"]:
        timeout_ms = step.get("timeoutMs", 0)
        if step["do"] == "match":
            results.append(run.matched(await client.match(run.file["scene"])))
        elif step["do"] == "recordImpression":
            results.append(client.record_impression(run.impression(step)))
        elif step["do"] == "enablePlacement":
            try:
                await client.api.enable_placement("moonlit-keep", run.file["placement"])
                results.append(None)
            except DiegeticError as error:
                results.append(error.detail)
        elif step["do"] == "flush":
            results.append(await client.flush(timeout_ms=timeout_ms))
        elif step["do"] == "close":
            results.append(await client.close(timeout_ms=timeout_ms))
        elif step["do"] == "awaitEvent":
            end = time.monotonic() + EVENT_TIMEOUT_S
            while not run.has_event(step) and time.monotonic() < end:
                await asyncio.sleep(0.01)
            results.append(run.has_event(step))
        elif step["do"] == "verifyWebhook":
            results.append(run.verified(step))
        else:
            client = AsyncDiegeticClient(**run.options())
            results.append(True)
    await client.close(timeout_ms=0)
    return run.outcome(results)


def main() -> None:
    kind, scenarios, server_url, directory = sys.argv[1:]
    file = json.loads(Path(scenarios).read_text(encoding="utf-8"))
    runs = [Run(file, index, server_url, directory) for index in range(len(file["scenarios"]))]
    outcomes = [run_sync(run) if kind == "sync" else asyncio.run(run_async(run)) for run in runs]
    print(json.dumps(outcomes))


main()
