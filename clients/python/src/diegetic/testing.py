"""The service for tests of a game: in memory, without network."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, Literal, cast
from urllib.parse import unquote_to_bytes

import httpx

from ._async_client import AsyncDiegeticClient
from ._client import DiegeticClient
from ._types import ImpressionRequest, MatchRequest, MatchResult

_BASE_URL = "http://diegetic.invalid/api"
_TEXT = "text that is not blank"
_OBJECT = "an object"
_LIST = "a list"
_MATCH_FIELDS = {"game_id": _TEXT, "user_id": _TEXT, "game_context": _OBJECT}
_IMPRESSION_FIELDS = {"campaign_id": _TEXT, "creative_id": _TEXT, "game_id": _TEXT}
_PLACEMENT_FIELDS = {"creator_id": _TEXT, "placement_types": _LIST}


class FakeDiegetic:
    """`client()` and `async_client()` are real clients that talk to it. By default each scene gets an ad."""

    def __init__(self) -> None:
        self.scenes: list[MatchRequest] = []
        """Every scene that was sent, oldest first, whatever its answer."""
        self.impressions: list[ImpressionRequest] = []
        """Every impression that was billed, oldest first, each once."""
        self.transport = httpx.MockTransport(self._answer)
        # A client sends from several threads.
        self._lock = threading.Lock()
        self._matches: dict[str, MatchResult] = {}
        self._behaviour: Literal["ad", "no_match", "unavailable", "timeout"] = "ad"
        self._ad: dict[str, Any] = {}
        self._no_match_reason = "no_eligible_campaign"

    def client(self, **options: Any) -> DiegeticClient:
        """A client of this service. Close it at the end of the test."""
        return DiegeticClient(**self._options(options))

    def async_client(self, **options: Any) -> AsyncDiegeticClient:
        """A client of this service. Close it at the end of the test."""
        return AsyncDiegeticClient(**self._options(options))

    def serve_ad(self, **ad: Any) -> None:
        """From now on scenes get an ad with these fields."""
        self._behaviour = "ad"
        self._ad = ad

    def serve_no_ad(self, reason: str = "no_eligible_campaign") -> None:
        """From now on scenes get no ad."""
        self._behaviour = "no_match"
        self._no_match_reason = reason

    def fail(self, how: Literal["unavailable", "timeout"] = "unavailable") -> None:
        """From now on every request gets 503, or no answer, until serve_ad or serve_no_ad."""
        self._behaviour = how

    def _options(self, options: dict[str, Any]) -> dict[str, Any]:
        return {"base_url": _BASE_URL, "api_key": "fake", **options, "transport": self.transport}

    def _answer(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            return self._answer_alone(request)

    def _answer_alone(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content or b"{}")
        if request.url.path.endswith("/match"):
            self.scenes.append(body)
        if self._behaviour == "timeout":
            raise httpx.ReadTimeout("no answer", request=request)
        if self._behaviour == "unavailable":
            return httpx.Response(503, json={"detail": "Service temporarily unavailable."})
        if request.url.path.endswith("/match"):
            return self._match(body)
        if request.url.path.endswith("/impressions"):
            return self._record(body)
        game_id = re.search(rb"/placements/([^/?]+)$", request.url.raw_path)
        if request.method == "POST" and game_id is not None:
            return _enable(unquote_to_bytes(game_id[1]).decode(), body)
        return httpx.Response(404, json={"detail": f"FakeDiegetic does not know {request.url.path}."})

    def _match(self, scene: MatchRequest) -> httpx.Response:
        refusal = _refusal_of(scene, _MATCH_FIELDS)
        if refusal is not None:
            return refusal
        if self._behaviour == "no_match":
            return httpx.Response(204, headers={"X-No-Match-Reason": self._no_match_reason})
        match: dict[str, Any] = {
            "match_id": f"match-{len(self.scenes)}",
            "campaign_id": "camp-1",
            "advertiser_id": "adv-1",
            "creative_id": "crt-1",
            "narrative_hook": "The innkeeper pours you a Hearthwell ale.",
            "creative_type": "narrative_hook",
            "brand_name": "Hearthwell",
            "product_name": None,
            "tagline": None,
            "tone": "positive",
            "biased_pipeline": {},
            "affinity_score": 0,
            "cpm_bid_cents": 1_000,
            **self._ad,
        }
        self._matches[match["match_id"]] = cast(MatchResult, match)
        return httpx.Response(200, json=match)

    def _record(self, impression: ImpressionRequest) -> httpx.Response:
        refusal = _refusal_of(impression, _IMPRESSION_FIELDS)
        if refusal is not None:
            return refusal
        match = self._matches.get(impression.get("match_id") or "")
        named = (impression["campaign_id"], impression["creative_id"])
        if match is None or named != (match["campaign_id"], match["creative_id"]):
            return httpx.Response(
                409, json={"detail": "There is no unbilled match of this campaign and creative in this game."}
            )
        if all(billed.get("match_id") != match["match_id"] for billed in self.impressions):
            self.impressions.append(impression)
        return httpx.Response(
            201,
            json={
                "impression_id": f"imp-{match['match_id']}",
                "campaign_id": match["campaign_id"],
                "creative_id": match["creative_id"],
                "game_id": impression["game_id"],
                "charged_cents": match["cpm_bid_cents"] / 1_000,
                "recorded_at": datetime.fromtimestamp(time.time(), timezone.utc).isoformat(),
            },
        )


def _enable(game_id: str, body: dict[str, Any]) -> httpx.Response:
    refusal = _refusal_of(body, _PLACEMENT_FIELDS)
    if refusal is not None:
        return refusal
    return httpx.Response(
        201,
        json={
            "game_id": game_id,
            "revenue_share_pct": 70,
            "max_ads_per_session": 10,
            "blocked_advertisers": [],
            "blocked_categories": [],
            **body,
            "is_active": True,
            "created_at": datetime.now(timezone.utc).isoformat(),
        },
    )


def _refusal_of(body: Mapping[str, Any], required: dict[str, str]) -> httpx.Response | None:
    """The service's answer to a body without a required field; None when none is missing."""
    for name, kind in required.items():
        value = body.get(name)
        if value is None:
            return httpx.Response(400, json={"detail": f"{name} is required: it must be {kind}"})
        if not _is_of_kind(value, kind):
            return httpx.Response(400, json={"detail": f"{name} must be {kind}"})
    return None


def _is_of_kind(value: object, kind: str) -> bool:
    if kind == _TEXT:
        return isinstance(value, str) and value.strip() != ""
    return isinstance(value, list if kind == _LIST else dict)
