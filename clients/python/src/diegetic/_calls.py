# Generated from packages/contracts by `npm run generate:clients`. Do not edit.
from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal, Optional, cast

from . import _types as t
from ._transport import Answer, quote as _quote


class Calls:
    """The calls of advertisers and developers. Each raises DiegeticError unless it succeeds."""

    def _call(
        self, method: str, path: str, query: dict[str, Any], body: Any, key: Optional[str], idempotent: bool,
        retry_for_ms: float,
    ) -> Answer:
        raise NotImplementedError

    def register_advertiser(
        self, body: t.Registration, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Advertiser:
        """Register as an advertiser."""
        return cast("t.Advertiser", self._call(
            "POST", "/register", {},
            body, idempotency_key, True, retry_for_ms,
        ).body)

    def get_profile(
        self, *, retry_for_ms: float = 0,
    ) -> t.Advertiser:
        """Read the profile."""
        return cast("t.Advertiser", self._call(
            "GET", "/profile", {},
            None, None, False, retry_for_ms,
        ).body)

    def update_profile(
        self, body: t.ProfileChanges, *, retry_for_ms: float = 0,
    ) -> t.Advertiser:
        """Change the profile."""
        return cast("t.Advertiser", self._call(
            "PATCH", "/profile", {},
            body, None, False, retry_for_ms,
        ).body)

    def deposit_funds(
        self, body: t.DepositRequest, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Deposit:
        """Deposit money."""
        return cast("t.Deposit", self._call(
            "POST", "/deposit", {},
            body, idempotency_key, True, retry_for_ms,
        ).body)

    def list_deposits(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.BookedDeposit]:
        """List the deposits."""
        return cast("list[t.BookedDeposit]", self._call(
            "GET", "/deposits", {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def create_campaign(
        self, body: t.NewCampaign, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Campaign:
        """Create a campaign."""
        return cast("t.Campaign", self._call(
            "POST", "/campaigns", {},
            body, idempotency_key, True, retry_for_ms,
        ).body)

    def list_campaigns(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.Campaign]:
        """List the campaigns."""
        return cast("list[t.Campaign]", self._call(
            "GET", "/campaigns", {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def create_campaigns(
        self, body: t.NewCampaigns, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.BulkResults:
        """Create many campaigns."""
        return cast("t.BulkResults", self._call(
            "POST", "/campaigns/bulk", {},
            body, idempotency_key, True, retry_for_ms,
        ).body)

    def get_campaign(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.Campaign:
        """Read a campaign."""
        return cast("t.Campaign", self._call(
            "GET", "/campaigns/{campaign_id}".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def update_campaign(
        self, campaign_id: str, body: t.CampaignChanges, *, retry_for_ms: float = 0,
    ) -> t.Campaign:
        """Change a campaign."""
        return cast("t.Campaign", self._call(
            "PATCH", "/campaigns/{campaign_id}".format(campaign_id=_quote(campaign_id)), {},
            body, None, False, retry_for_ms,
        ).body)

    def activate_campaign(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.Campaign:
        """Activate a campaign."""
        return cast("t.Campaign", self._call(
            "POST", "/campaigns/{campaign_id}/activate".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def pause_campaign(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.Campaign:
        """Pause a campaign."""
        return cast("t.Campaign", self._call(
            "POST", "/campaigns/{campaign_id}/pause".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def create_creative(
        self, campaign_id: str, body: t.NewCreative, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Creative:
        """Add a creative to a campaign."""
        return cast("t.Creative", self._call(
            "POST", "/campaigns/{campaign_id}/creatives".format(campaign_id=_quote(campaign_id)), {},
            body, idempotency_key, True, retry_for_ms,
        ).body)

    def list_creatives(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.Creative]:
        """List the creatives of a campaign."""
        return cast("list[t.Creative]", self._call(
            "GET", "/campaigns/{campaign_id}/creatives".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def update_creative(
        self, creative_id: str, body: t.CreativeChanges, *, retry_for_ms: float = 0,
    ) -> t.Creative:
        """Change a creative."""
        return cast("t.Creative", self._call(
            "PATCH", "/creatives/{creative_id}".format(creative_id=_quote(creative_id)), {},
            body, None, False, retry_for_ms,
        ).body)

    def delete_creative(
        self, creative_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Delete a creative."""
        return cast("None", self._call(
            "DELETE", "/creatives/{creative_id}".format(creative_id=_quote(creative_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def create_geo_target(
        self, campaign_id: str, body: t.NewGeoTarget, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.GeoTarget:
        """Add a geo target to a campaign."""
        return cast("t.GeoTarget", self._call(
            "POST", "/campaigns/{campaign_id}/geo-targets".format(campaign_id=_quote(campaign_id)), {},
            body, idempotency_key, True, retry_for_ms,
        ).body)

    def list_geo_targets(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.GeoTarget]:
        """List the geo targets of a campaign."""
        return cast("list[t.GeoTarget]", self._call(
            "GET", "/campaigns/{campaign_id}/geo-targets".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def delete_geo_target(
        self, campaign_id: str, geo_target_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Delete a geo target."""
        return cast("None", self._call(
            "DELETE", "/campaigns/{campaign_id}/geo-targets/{geo_target_id}".format(campaign_id=_quote(campaign_id), geo_target_id=_quote(geo_target_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def create_blocklist_rule(
        self, campaign_id: str, body: t.NewBlocklistRule, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.BlocklistRule:
        """Add a rule to the blocklist of a campaign."""
        return cast("t.BlocklistRule", self._call(
            "POST", "/campaigns/{campaign_id}/blocklist".format(campaign_id=_quote(campaign_id)), {},
            body, idempotency_key, True, retry_for_ms,
        ).body)

    def list_blocklist_rules(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.BlocklistRule]:
        """List the blocklist of a campaign."""
        return cast("list[t.BlocklistRule]", self._call(
            "GET", "/campaigns/{campaign_id}/blocklist".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def delete_blocklist_rule(
        self, campaign_id: str, blocklist_rule_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Delete a rule of a blocklist."""
        return cast("None", self._call(
            "DELETE", "/campaigns/{campaign_id}/blocklist/{blocklist_rule_id}".format(campaign_id=_quote(campaign_id), blocklist_rule_id=_quote(blocklist_rule_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def replace_affinities(
        self, campaign_id: str, body: t.NewAffinities, *, retry_for_ms: float = 0,
    ) -> list[t.Affinity]:
        """Replace all affinities of a campaign."""
        return cast("list[t.Affinity]", self._call(
            "PUT", "/campaigns/{campaign_id}/affinities/bulk".format(campaign_id=_quote(campaign_id)), {},
            body, None, False, retry_for_ms,
        ).body)

    def create_affinity(
        self, campaign_id: str, body: t.NewAffinity, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Affinity:
        """Add an affinity to a campaign."""
        return cast("t.Affinity", self._call(
            "POST", "/campaigns/{campaign_id}/affinities".format(campaign_id=_quote(campaign_id)), {},
            body, idempotency_key, True, retry_for_ms,
        ).body)

    def list_affinities(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.Affinity]:
        """List the affinities of a campaign."""
        return cast("list[t.Affinity]", self._call(
            "GET", "/campaigns/{campaign_id}/affinities".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def delete_affinity(
        self, campaign_id: str, affinity_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Delete an affinity."""
        return cast("None", self._call(
            "DELETE", "/campaigns/{campaign_id}/affinities/{affinity_id}".format(campaign_id=_quote(campaign_id), affinity_id=_quote(affinity_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def simulate_campaign(
        self, campaign_id: str, body: Optional[t.Simulation] = None, *, retry_for_ms: float = 0,
    ) -> t.SimulationResult:
        """Try a campaign in a scene."""
        return cast("t.SimulationResult", self._call(
            "POST", "/campaigns/{campaign_id}/simulate".format(campaign_id=_quote(campaign_id)), {},
            body or {}, None, False, retry_for_ms,
        ).body)

    def get_simulator_options(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.SimulationOptions:
        """What can be tried in the simulator."""
        return cast("t.SimulationOptions", self._call(
            "GET", "/campaigns/{campaign_id}/simulate/options".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def explain_campaign(
        self, campaign_id: str, body: t.MatchRequest, *, retry_for_ms: float = 0,
    ) -> t.Explanation:
        """Explain why a campaign would or would not serve."""
        return cast("t.Explanation", self._call(
            "POST", "/campaigns/{campaign_id}/explain".format(campaign_id=_quote(campaign_id)), {},
            body, None, False, retry_for_ms,
        ).body)

    def get_campaign_stats(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.CampaignStats:
        """Totals of a campaign."""
        return cast("t.CampaignStats", self._call(
            "GET", "/campaigns/{campaign_id}/stats".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def get_daily_analytics(
        self, campaign_id: str, *, days: Optional[int] = None, retry_for_ms: float = 0,
    ) -> t.DailyAnalytics:
        """A campaign day by day."""
        return cast("t.DailyAnalytics", self._call(
            "GET", "/campaigns/{campaign_id}/analytics/daily".format(campaign_id=_quote(campaign_id)), {"days": days},
            None, None, False, retry_for_ms,
        ).body)

    def get_creative_analytics(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.CreativeAnalytics:
        """A campaign by creative."""
        return cast("t.CreativeAnalytics", self._call(
            "GET", "/campaigns/{campaign_id}/analytics/creatives".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def get_geo_analytics(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.GeoAnalytics:
        """A campaign by country."""
        return cast("t.GeoAnalytics", self._call(
            "GET", "/campaigns/{campaign_id}/analytics/geo".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def get_game_analytics(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.GameAnalytics:
        """A campaign by game."""
        return cast("t.GameAnalytics", self._call(
            "GET", "/campaigns/{campaign_id}/analytics/games".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def get_affinity_analytics(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.AffinityAnalytics:
        """A campaign by affinity."""
        return cast("t.AffinityAnalytics", self._call(
            "GET", "/campaigns/{campaign_id}/analytics/affinities".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def get_pacing(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.Pacing:
        """How a campaign spends its budget."""
        return cast("t.Pacing", self._call(
            "GET", "/campaigns/{campaign_id}/analytics/pacing".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def get_account_daily(
        self, *, days: Optional[int] = None, retry_for_ms: float = 0,
    ) -> t.AccountDaily:
        """All campaigns day by day."""
        return cast("t.AccountDaily", self._call(
            "GET", "/analytics/daily", {"days": days},
            None, None, False, retry_for_ms,
        ).body)

    def list_campaign_series(
        self, *, days: Optional[int] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.CampaignSeriesList:
        """Every campaign with its last days."""
        return cast("t.CampaignSeriesList", self._call(
            "GET", "/analytics/campaigns", {"days": days, "limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def get_spend(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, group_by: Optional[str] = None, campaign_id: Optional[str] = None, creative_id: Optional[str] = None, country_code: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Spend:
        """Spend by campaign, creative, country and day."""
        return cast("t.Spend", self._call(
            "GET", "/analytics/spend", {"days": days, "from": from_, "to": to, "group_by": group_by, "campaign_id": campaign_id, "creative_id": creative_id, "country_code": country_code, "limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def get_ledger(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Ledger:
        """Read the ledger by day."""
        return cast("t.Ledger", self._call(
            "GET", "/ledger", {"days": days, "from": from_, "to": to},
            None, None, False, retry_for_ms,
        ).body)

    def list_placements(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.Placement]:
        """List the placements."""
        return cast("list[t.Placement]", self._call(
            "GET", "/placements", {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def enable_placement(
        self, game_id: str, body: t.NewPlacement, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Placement:
        """Enable ads in a game."""
        return cast("t.Placement", self._call(
            "POST", "/placements/{game_id}".format(game_id=_quote(game_id)), {},
            body, idempotency_key, True, retry_for_ms,
        ).body)

    def get_placement(
        self, game_id: str, *, retry_for_ms: float = 0,
    ) -> t.Placement:
        """Read a placement."""
        return cast("t.Placement", self._call(
            "GET", "/placements/{game_id}".format(game_id=_quote(game_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def update_placement(
        self, game_id: str, body: t.PlacementChanges, *, retry_for_ms: float = 0,
    ) -> t.Placement:
        """Change a placement."""
        return cast("t.Placement", self._call(
            "PATCH", "/placements/{game_id}".format(game_id=_quote(game_id)), {},
            body, None, False, retry_for_ms,
        ).body)

    def disable_placement(
        self, game_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Disable ads in a game."""
        return cast("None", self._call(
            "DELETE", "/placements/{game_id}".format(game_id=_quote(game_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def get_revenue(
        self, *, retry_for_ms: float = 0,
    ) -> t.AdvertiserRevenue:
        """Read the advertiser's spending."""
        return cast("t.AdvertiserRevenue", self._call(
            "GET", "/revenue", {},
            None, None, False, retry_for_ms,
        ).body)

    def get_creator_revenue(
        self, *, retry_for_ms: float = 0,
    ) -> t.CreatorRevenue:
        """Read the developer's earnings."""
        return cast("t.CreatorRevenue", self._call(
            "GET", "/creator-revenue", {},
            None, None, False, retry_for_ms,
        ).body)

    def get_game_revenue(
        self, game_id: str, *, retry_for_ms: float = 0,
    ) -> t.GameRevenue:
        """What one game has earned."""
        return cast("t.GameRevenue", self._call(
            "GET", "/creator-revenue/{game_id}".format(game_id=_quote(game_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def list_game_advertisers(
        self, game_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.GameAdvertiser]:
        """Who was seen in one game."""
        return cast("list[t.GameAdvertiser]", self._call(
            "GET", "/creator-revenue/{game_id}/advertisers".format(game_id=_quote(game_id)), {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def get_earnings(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, game_id: Optional[str] = None, advertiser_id: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Earnings:
        """Read the games' earnings by day."""
        return cast("t.Earnings", self._call(
            "GET", "/earnings", {"days": days, "from": from_, "to": to, "game_id": game_id, "advertiser_id": advertiser_id, "limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def get_earnings_by_advertiser(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, game_id: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.EarningsByAdvertiser:
        """Read the games' earnings by advertiser."""
        return cast("t.EarningsByAdvertiser", self._call(
            "GET", "/earnings/advertisers", {"days": days, "from": from_, "to": to, "game_id": game_id, "limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def get_traffic(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Traffic:
        """How the integration is doing."""
        return cast("t.Traffic", self._call(
            "GET", "/traffic", {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def get_traffic_series(
        self, game_id: str, *, unit: Optional[Literal["hour", "day"]] = None, count: Optional[int] = None, retry_for_ms: float = 0,
    ) -> t.TrafficSeries:
        """The calls of one game over time."""
        return cast("t.TrafficSeries", self._call(
            "GET", "/traffic/{game_id}".format(game_id=_quote(game_id)), {"unit": unit, "count": count},
            None, None, False, retry_for_ms,
        ).body)

    def list_no_match_scenes(
        self, game_id: str, *, retry_for_ms: float = 0,
    ) -> list[t.NoMatchScene]:
        """Scenes of one game that got no ad."""
        return cast("list[t.NoMatchScene]", self._call(
            "GET", "/traffic/{game_id}/no-match-scenes".format(game_id=_quote(game_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def list_account_no_match_scenes(
        self, *, limit: Optional[int] = None, retry_for_ms: float = 0,
    ) -> list[t.NoMatchScene]:
        """Scenes of all own games that got no ad."""
        return cast("list[t.NoMatchScene]", self._call(
            "GET", "/no-match-scenes", {"limit": limit},
            None, None, False, retry_for_ms,
        ).body)

    def get_game_words(
        self, game_id: str, *, retry_for_ms: float = 0,
    ) -> t.GameWords:
        """Words of one game beside those of the market."""
        return cast("t.GameWords", self._call(
            "GET", "/traffic/{game_id}/words".format(game_id=_quote(game_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def list_market_words(
        self, *, type: Optional[Literal["theme", "category", "mood", "location", "action"]] = None, retry_for_ms: float = 0,
    ) -> list[t.MarketWord]:
        """Words that games really send."""
        return cast("list[t.MarketWord]", self._call(
            "GET", "/market/words", {"type": type},
            None, None, False, retry_for_ms,
        ).body)

    def create_api_key(
        self, body: t.NewApiKey, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.CreatedApiKey:
        """Create a key."""
        return cast("t.CreatedApiKey", self._call(
            "POST", "/api-keys", {},
            body, idempotency_key, True, retry_for_ms,
        ).body)

    def list_api_keys(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.ApiKey]:
        """List the keys in force."""
        return cast("list[t.ApiKey]", self._call(
            "GET", "/api-keys", {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def rotate_api_key(
        self, key_id: str, body: Optional[t.ApiKeyRotation] = None, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.CreatedApiKey:
        """Replace a key."""
        return cast("t.CreatedApiKey", self._call(
            "POST", "/api-keys/{key_id}/rotate".format(key_id=_quote(key_id)), {},
            body or {}, idempotency_key, True, retry_for_ms,
        ).body)

    def revoke_api_key(
        self, key_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Revoke a key."""
        return cast("None", self._call(
            "DELETE", "/api-keys/{key_id}".format(key_id=_quote(key_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def create_webhook(
        self, body: t.NewWebhook, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.WebhookWithSecret:
        """Create a webhook."""
        return cast("t.WebhookWithSecret", self._call(
            "POST", "/webhooks", {},
            body, idempotency_key, True, retry_for_ms,
        ).body)

    def list_webhooks(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.Webhook]:
        """List the webhooks."""
        return cast("list[t.Webhook]", self._call(
            "GET", "/webhooks", {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def get_webhook(
        self, webhook_id: str, *, retry_for_ms: float = 0,
    ) -> t.Webhook:
        """Show a webhook."""
        return cast("t.Webhook", self._call(
            "GET", "/webhooks/{webhook_id}".format(webhook_id=_quote(webhook_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def update_webhook(
        self, webhook_id: str, body: t.WebhookChanges, *, retry_for_ms: float = 0,
    ) -> t.Webhook:
        """Change a webhook."""
        return cast("t.Webhook", self._call(
            "PATCH", "/webhooks/{webhook_id}".format(webhook_id=_quote(webhook_id)), {},
            body, None, False, retry_for_ms,
        ).body)

    def delete_webhook(
        self, webhook_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Delete a webhook."""
        return cast("None", self._call(
            "DELETE", "/webhooks/{webhook_id}".format(webhook_id=_quote(webhook_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def rotate_webhook_secret(
        self, webhook_id: str, body: Optional[t.SecretRotation] = None, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.WebhookWithSecret:
        """Replace the secret."""
        return cast("t.WebhookWithSecret", self._call(
            "POST", "/webhooks/{webhook_id}/rotate-secret".format(webhook_id=_quote(webhook_id)), {},
            body or {}, idempotency_key, True, retry_for_ms,
        ).body)

    def test_webhook(
        self, webhook_id: str, *, retry_for_ms: float = 0,
    ) -> t.WebhookDelivery:
        """Send a test event."""
        return cast("t.WebhookDelivery", self._call(
            "POST", "/webhooks/{webhook_id}/test".format(webhook_id=_quote(webhook_id)), {},
            None, None, False, retry_for_ms,
        ).body)

    def list_webhook_deliveries(
        self, webhook_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.WebhookDelivery]:
        """List the deliveries."""
        return cast("list[t.WebhookDelivery]", self._call(
            "GET", "/webhooks/{webhook_id}/deliveries".format(webhook_id=_quote(webhook_id)), {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        ).body)

    def redeliver_webhook_delivery(
        self, delivery_id: str, *, retry_for_ms: float = 0,
    ) -> t.WebhookDelivery:
        """Deliver again."""
        return cast("t.WebhookDelivery", self._call(
            "POST", "/webhooks/deliveries/{delivery_id}/redeliver".format(delivery_id=_quote(delivery_id)), {},
            None, None, False, retry_for_ms,
        ).body)


class Pages:
    """Each iterates over the answers of its call, page by page, to the last. `retry_for_ms` is for each page."""

    def _read(self, path: str, query: dict[str, Any], retry_for_ms: float) -> Iterator[Any]:
        raise NotImplementedError

    def list_deposits(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[list[t.BookedDeposit]]:
        """List the deposits."""
        return self._read("/deposits", {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_campaigns(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[list[t.Campaign]]:
        """List the campaigns."""
        return self._read("/campaigns", {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_creatives(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[list[t.Creative]]:
        """List the creatives of a campaign."""
        return self._read("/campaigns/{campaign_id}/creatives".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_geo_targets(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[list[t.GeoTarget]]:
        """List the geo targets of a campaign."""
        return self._read("/campaigns/{campaign_id}/geo-targets".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_blocklist_rules(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[list[t.BlocklistRule]]:
        """List the blocklist of a campaign."""
        return self._read("/campaigns/{campaign_id}/blocklist".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_affinities(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[list[t.Affinity]]:
        """List the affinities of a campaign."""
        return self._read("/campaigns/{campaign_id}/affinities".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_campaign_series(
        self, *, days: Optional[int] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[t.CampaignSeriesList]:
        """Every campaign with its last days."""
        return self._read("/analytics/campaigns", {"days": days, "limit": limit, "cursor": cursor}, retry_for_ms)

    def get_spend(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, group_by: Optional[str] = None, campaign_id: Optional[str] = None, creative_id: Optional[str] = None, country_code: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[t.Spend]:
        """Spend by campaign, creative, country and day."""
        return self._read("/analytics/spend", {"days": days, "from": from_, "to": to, "group_by": group_by, "campaign_id": campaign_id, "creative_id": creative_id, "country_code": country_code, "limit": limit, "cursor": cursor}, retry_for_ms)

    def list_placements(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[list[t.Placement]]:
        """List the placements."""
        return self._read("/placements", {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_game_advertisers(
        self, game_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[list[t.GameAdvertiser]]:
        """Who was seen in one game."""
        return self._read("/creator-revenue/{game_id}/advertisers".format(game_id=_quote(game_id)), {"limit": limit, "cursor": cursor}, retry_for_ms)

    def get_earnings(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, game_id: Optional[str] = None, advertiser_id: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[t.Earnings]:
        """Read the games' earnings by day."""
        return self._read("/earnings", {"days": days, "from": from_, "to": to, "game_id": game_id, "advertiser_id": advertiser_id, "limit": limit, "cursor": cursor}, retry_for_ms)

    def get_earnings_by_advertiser(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, game_id: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[t.EarningsByAdvertiser]:
        """Read the games' earnings by advertiser."""
        return self._read("/earnings/advertisers", {"days": days, "from": from_, "to": to, "game_id": game_id, "limit": limit, "cursor": cursor}, retry_for_ms)

    def get_traffic(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[t.Traffic]:
        """How the integration is doing."""
        return self._read("/traffic", {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_api_keys(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[list[t.ApiKey]]:
        """List the keys in force."""
        return self._read("/api-keys", {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_webhooks(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[list[t.Webhook]]:
        """List the webhooks."""
        return self._read("/webhooks", {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_webhook_deliveries(
        self, webhook_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> Iterator[list[t.WebhookDelivery]]:
        """List the deliveries."""
        return self._read("/webhooks/{webhook_id}/deliveries".format(webhook_id=_quote(webhook_id)), {"limit": limit, "cursor": cursor}, retry_for_ms)


class AsyncCalls:
    """The calls of advertisers and developers. Each raises DiegeticError unless it succeeds."""

    async def _call(
        self, method: str, path: str, query: dict[str, Any], body: Any, key: Optional[str], idempotent: bool,
        retry_for_ms: float,
    ) -> Answer:
        raise NotImplementedError

    async def register_advertiser(
        self, body: t.Registration, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Advertiser:
        """Register as an advertiser."""
        return cast("t.Advertiser", (await self._call(
            "POST", "/register", {},
            body, idempotency_key, True, retry_for_ms,
        )).body)

    async def get_profile(
        self, *, retry_for_ms: float = 0,
    ) -> t.Advertiser:
        """Read the profile."""
        return cast("t.Advertiser", (await self._call(
            "GET", "/profile", {},
            None, None, False, retry_for_ms,
        )).body)

    async def update_profile(
        self, body: t.ProfileChanges, *, retry_for_ms: float = 0,
    ) -> t.Advertiser:
        """Change the profile."""
        return cast("t.Advertiser", (await self._call(
            "PATCH", "/profile", {},
            body, None, False, retry_for_ms,
        )).body)

    async def deposit_funds(
        self, body: t.DepositRequest, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Deposit:
        """Deposit money."""
        return cast("t.Deposit", (await self._call(
            "POST", "/deposit", {},
            body, idempotency_key, True, retry_for_ms,
        )).body)

    async def list_deposits(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.BookedDeposit]:
        """List the deposits."""
        return cast("list[t.BookedDeposit]", (await self._call(
            "GET", "/deposits", {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def create_campaign(
        self, body: t.NewCampaign, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Campaign:
        """Create a campaign."""
        return cast("t.Campaign", (await self._call(
            "POST", "/campaigns", {},
            body, idempotency_key, True, retry_for_ms,
        )).body)

    async def list_campaigns(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.Campaign]:
        """List the campaigns."""
        return cast("list[t.Campaign]", (await self._call(
            "GET", "/campaigns", {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def create_campaigns(
        self, body: t.NewCampaigns, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.BulkResults:
        """Create many campaigns."""
        return cast("t.BulkResults", (await self._call(
            "POST", "/campaigns/bulk", {},
            body, idempotency_key, True, retry_for_ms,
        )).body)

    async def get_campaign(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.Campaign:
        """Read a campaign."""
        return cast("t.Campaign", (await self._call(
            "GET", "/campaigns/{campaign_id}".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def update_campaign(
        self, campaign_id: str, body: t.CampaignChanges, *, retry_for_ms: float = 0,
    ) -> t.Campaign:
        """Change a campaign."""
        return cast("t.Campaign", (await self._call(
            "PATCH", "/campaigns/{campaign_id}".format(campaign_id=_quote(campaign_id)), {},
            body, None, False, retry_for_ms,
        )).body)

    async def activate_campaign(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.Campaign:
        """Activate a campaign."""
        return cast("t.Campaign", (await self._call(
            "POST", "/campaigns/{campaign_id}/activate".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def pause_campaign(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.Campaign:
        """Pause a campaign."""
        return cast("t.Campaign", (await self._call(
            "POST", "/campaigns/{campaign_id}/pause".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def create_creative(
        self, campaign_id: str, body: t.NewCreative, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Creative:
        """Add a creative to a campaign."""
        return cast("t.Creative", (await self._call(
            "POST", "/campaigns/{campaign_id}/creatives".format(campaign_id=_quote(campaign_id)), {},
            body, idempotency_key, True, retry_for_ms,
        )).body)

    async def list_creatives(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.Creative]:
        """List the creatives of a campaign."""
        return cast("list[t.Creative]", (await self._call(
            "GET", "/campaigns/{campaign_id}/creatives".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def update_creative(
        self, creative_id: str, body: t.CreativeChanges, *, retry_for_ms: float = 0,
    ) -> t.Creative:
        """Change a creative."""
        return cast("t.Creative", (await self._call(
            "PATCH", "/creatives/{creative_id}".format(creative_id=_quote(creative_id)), {},
            body, None, False, retry_for_ms,
        )).body)

    async def delete_creative(
        self, creative_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Delete a creative."""
        return cast("None", (await self._call(
            "DELETE", "/creatives/{creative_id}".format(creative_id=_quote(creative_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def create_geo_target(
        self, campaign_id: str, body: t.NewGeoTarget, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.GeoTarget:
        """Add a geo target to a campaign."""
        return cast("t.GeoTarget", (await self._call(
            "POST", "/campaigns/{campaign_id}/geo-targets".format(campaign_id=_quote(campaign_id)), {},
            body, idempotency_key, True, retry_for_ms,
        )).body)

    async def list_geo_targets(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.GeoTarget]:
        """List the geo targets of a campaign."""
        return cast("list[t.GeoTarget]", (await self._call(
            "GET", "/campaigns/{campaign_id}/geo-targets".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def delete_geo_target(
        self, campaign_id: str, geo_target_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Delete a geo target."""
        return cast("None", (await self._call(
            "DELETE", "/campaigns/{campaign_id}/geo-targets/{geo_target_id}".format(campaign_id=_quote(campaign_id), geo_target_id=_quote(geo_target_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def create_blocklist_rule(
        self, campaign_id: str, body: t.NewBlocklistRule, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.BlocklistRule:
        """Add a rule to the blocklist of a campaign."""
        return cast("t.BlocklistRule", (await self._call(
            "POST", "/campaigns/{campaign_id}/blocklist".format(campaign_id=_quote(campaign_id)), {},
            body, idempotency_key, True, retry_for_ms,
        )).body)

    async def list_blocklist_rules(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.BlocklistRule]:
        """List the blocklist of a campaign."""
        return cast("list[t.BlocklistRule]", (await self._call(
            "GET", "/campaigns/{campaign_id}/blocklist".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def delete_blocklist_rule(
        self, campaign_id: str, blocklist_rule_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Delete a rule of a blocklist."""
        return cast("None", (await self._call(
            "DELETE", "/campaigns/{campaign_id}/blocklist/{blocklist_rule_id}".format(campaign_id=_quote(campaign_id), blocklist_rule_id=_quote(blocklist_rule_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def replace_affinities(
        self, campaign_id: str, body: t.NewAffinities, *, retry_for_ms: float = 0,
    ) -> list[t.Affinity]:
        """Replace all affinities of a campaign."""
        return cast("list[t.Affinity]", (await self._call(
            "PUT", "/campaigns/{campaign_id}/affinities/bulk".format(campaign_id=_quote(campaign_id)), {},
            body, None, False, retry_for_ms,
        )).body)

    async def create_affinity(
        self, campaign_id: str, body: t.NewAffinity, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Affinity:
        """Add an affinity to a campaign."""
        return cast("t.Affinity", (await self._call(
            "POST", "/campaigns/{campaign_id}/affinities".format(campaign_id=_quote(campaign_id)), {},
            body, idempotency_key, True, retry_for_ms,
        )).body)

    async def list_affinities(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.Affinity]:
        """List the affinities of a campaign."""
        return cast("list[t.Affinity]", (await self._call(
            "GET", "/campaigns/{campaign_id}/affinities".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def delete_affinity(
        self, campaign_id: str, affinity_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Delete an affinity."""
        return cast("None", (await self._call(
            "DELETE", "/campaigns/{campaign_id}/affinities/{affinity_id}".format(campaign_id=_quote(campaign_id), affinity_id=_quote(affinity_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def simulate_campaign(
        self, campaign_id: str, body: Optional[t.Simulation] = None, *, retry_for_ms: float = 0,
    ) -> t.SimulationResult:
        """Try a campaign in a scene."""
        return cast("t.SimulationResult", (await self._call(
            "POST", "/campaigns/{campaign_id}/simulate".format(campaign_id=_quote(campaign_id)), {},
            body or {}, None, False, retry_for_ms,
        )).body)

    async def get_simulator_options(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.SimulationOptions:
        """What can be tried in the simulator."""
        return cast("t.SimulationOptions", (await self._call(
            "GET", "/campaigns/{campaign_id}/simulate/options".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def explain_campaign(
        self, campaign_id: str, body: t.MatchRequest, *, retry_for_ms: float = 0,
    ) -> t.Explanation:
        """Explain why a campaign would or would not serve."""
        return cast("t.Explanation", (await self._call(
            "POST", "/campaigns/{campaign_id}/explain".format(campaign_id=_quote(campaign_id)), {},
            body, None, False, retry_for_ms,
        )).body)

    async def get_campaign_stats(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.CampaignStats:
        """Totals of a campaign."""
        return cast("t.CampaignStats", (await self._call(
            "GET", "/campaigns/{campaign_id}/stats".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def get_daily_analytics(
        self, campaign_id: str, *, days: Optional[int] = None, retry_for_ms: float = 0,
    ) -> t.DailyAnalytics:
        """A campaign day by day."""
        return cast("t.DailyAnalytics", (await self._call(
            "GET", "/campaigns/{campaign_id}/analytics/daily".format(campaign_id=_quote(campaign_id)), {"days": days},
            None, None, False, retry_for_ms,
        )).body)

    async def get_creative_analytics(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.CreativeAnalytics:
        """A campaign by creative."""
        return cast("t.CreativeAnalytics", (await self._call(
            "GET", "/campaigns/{campaign_id}/analytics/creatives".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def get_geo_analytics(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.GeoAnalytics:
        """A campaign by country."""
        return cast("t.GeoAnalytics", (await self._call(
            "GET", "/campaigns/{campaign_id}/analytics/geo".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def get_game_analytics(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.GameAnalytics:
        """A campaign by game."""
        return cast("t.GameAnalytics", (await self._call(
            "GET", "/campaigns/{campaign_id}/analytics/games".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def get_affinity_analytics(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.AffinityAnalytics:
        """A campaign by affinity."""
        return cast("t.AffinityAnalytics", (await self._call(
            "GET", "/campaigns/{campaign_id}/analytics/affinities".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def get_pacing(
        self, campaign_id: str, *, retry_for_ms: float = 0,
    ) -> t.Pacing:
        """How a campaign spends its budget."""
        return cast("t.Pacing", (await self._call(
            "GET", "/campaigns/{campaign_id}/analytics/pacing".format(campaign_id=_quote(campaign_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def get_account_daily(
        self, *, days: Optional[int] = None, retry_for_ms: float = 0,
    ) -> t.AccountDaily:
        """All campaigns day by day."""
        return cast("t.AccountDaily", (await self._call(
            "GET", "/analytics/daily", {"days": days},
            None, None, False, retry_for_ms,
        )).body)

    async def list_campaign_series(
        self, *, days: Optional[int] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.CampaignSeriesList:
        """Every campaign with its last days."""
        return cast("t.CampaignSeriesList", (await self._call(
            "GET", "/analytics/campaigns", {"days": days, "limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def get_spend(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, group_by: Optional[str] = None, campaign_id: Optional[str] = None, creative_id: Optional[str] = None, country_code: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Spend:
        """Spend by campaign, creative, country and day."""
        return cast("t.Spend", (await self._call(
            "GET", "/analytics/spend", {"days": days, "from": from_, "to": to, "group_by": group_by, "campaign_id": campaign_id, "creative_id": creative_id, "country_code": country_code, "limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def get_ledger(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Ledger:
        """Read the ledger by day."""
        return cast("t.Ledger", (await self._call(
            "GET", "/ledger", {"days": days, "from": from_, "to": to},
            None, None, False, retry_for_ms,
        )).body)

    async def list_placements(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.Placement]:
        """List the placements."""
        return cast("list[t.Placement]", (await self._call(
            "GET", "/placements", {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def enable_placement(
        self, game_id: str, body: t.NewPlacement, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Placement:
        """Enable ads in a game."""
        return cast("t.Placement", (await self._call(
            "POST", "/placements/{game_id}".format(game_id=_quote(game_id)), {},
            body, idempotency_key, True, retry_for_ms,
        )).body)

    async def get_placement(
        self, game_id: str, *, retry_for_ms: float = 0,
    ) -> t.Placement:
        """Read a placement."""
        return cast("t.Placement", (await self._call(
            "GET", "/placements/{game_id}".format(game_id=_quote(game_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def update_placement(
        self, game_id: str, body: t.PlacementChanges, *, retry_for_ms: float = 0,
    ) -> t.Placement:
        """Change a placement."""
        return cast("t.Placement", (await self._call(
            "PATCH", "/placements/{game_id}".format(game_id=_quote(game_id)), {},
            body, None, False, retry_for_ms,
        )).body)

    async def disable_placement(
        self, game_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Disable ads in a game."""
        return cast("None", (await self._call(
            "DELETE", "/placements/{game_id}".format(game_id=_quote(game_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def get_revenue(
        self, *, retry_for_ms: float = 0,
    ) -> t.AdvertiserRevenue:
        """Read the advertiser's spending."""
        return cast("t.AdvertiserRevenue", (await self._call(
            "GET", "/revenue", {},
            None, None, False, retry_for_ms,
        )).body)

    async def get_creator_revenue(
        self, *, retry_for_ms: float = 0,
    ) -> t.CreatorRevenue:
        """Read the developer's earnings."""
        return cast("t.CreatorRevenue", (await self._call(
            "GET", "/creator-revenue", {},
            None, None, False, retry_for_ms,
        )).body)

    async def get_game_revenue(
        self, game_id: str, *, retry_for_ms: float = 0,
    ) -> t.GameRevenue:
        """What one game has earned."""
        return cast("t.GameRevenue", (await self._call(
            "GET", "/creator-revenue/{game_id}".format(game_id=_quote(game_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def list_game_advertisers(
        self, game_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.GameAdvertiser]:
        """Who was seen in one game."""
        return cast("list[t.GameAdvertiser]", (await self._call(
            "GET", "/creator-revenue/{game_id}/advertisers".format(game_id=_quote(game_id)), {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def get_earnings(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, game_id: Optional[str] = None, advertiser_id: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Earnings:
        """Read the games' earnings by day."""
        return cast("t.Earnings", (await self._call(
            "GET", "/earnings", {"days": days, "from": from_, "to": to, "game_id": game_id, "advertiser_id": advertiser_id, "limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def get_earnings_by_advertiser(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, game_id: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.EarningsByAdvertiser:
        """Read the games' earnings by advertiser."""
        return cast("t.EarningsByAdvertiser", (await self._call(
            "GET", "/earnings/advertisers", {"days": days, "from": from_, "to": to, "game_id": game_id, "limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def get_traffic(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.Traffic:
        """How the integration is doing."""
        return cast("t.Traffic", (await self._call(
            "GET", "/traffic", {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def get_traffic_series(
        self, game_id: str, *, unit: Optional[Literal["hour", "day"]] = None, count: Optional[int] = None, retry_for_ms: float = 0,
    ) -> t.TrafficSeries:
        """The calls of one game over time."""
        return cast("t.TrafficSeries", (await self._call(
            "GET", "/traffic/{game_id}".format(game_id=_quote(game_id)), {"unit": unit, "count": count},
            None, None, False, retry_for_ms,
        )).body)

    async def list_no_match_scenes(
        self, game_id: str, *, retry_for_ms: float = 0,
    ) -> list[t.NoMatchScene]:
        """Scenes of one game that got no ad."""
        return cast("list[t.NoMatchScene]", (await self._call(
            "GET", "/traffic/{game_id}/no-match-scenes".format(game_id=_quote(game_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def list_account_no_match_scenes(
        self, *, limit: Optional[int] = None, retry_for_ms: float = 0,
    ) -> list[t.NoMatchScene]:
        """Scenes of all own games that got no ad."""
        return cast("list[t.NoMatchScene]", (await self._call(
            "GET", "/no-match-scenes", {"limit": limit},
            None, None, False, retry_for_ms,
        )).body)

    async def get_game_words(
        self, game_id: str, *, retry_for_ms: float = 0,
    ) -> t.GameWords:
        """Words of one game beside those of the market."""
        return cast("t.GameWords", (await self._call(
            "GET", "/traffic/{game_id}/words".format(game_id=_quote(game_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def list_market_words(
        self, *, type: Optional[Literal["theme", "category", "mood", "location", "action"]] = None, retry_for_ms: float = 0,
    ) -> list[t.MarketWord]:
        """Words that games really send."""
        return cast("list[t.MarketWord]", (await self._call(
            "GET", "/market/words", {"type": type},
            None, None, False, retry_for_ms,
        )).body)

    async def create_api_key(
        self, body: t.NewApiKey, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.CreatedApiKey:
        """Create a key."""
        return cast("t.CreatedApiKey", (await self._call(
            "POST", "/api-keys", {},
            body, idempotency_key, True, retry_for_ms,
        )).body)

    async def list_api_keys(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.ApiKey]:
        """List the keys in force."""
        return cast("list[t.ApiKey]", (await self._call(
            "GET", "/api-keys", {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def rotate_api_key(
        self, key_id: str, body: Optional[t.ApiKeyRotation] = None, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.CreatedApiKey:
        """Replace a key."""
        return cast("t.CreatedApiKey", (await self._call(
            "POST", "/api-keys/{key_id}/rotate".format(key_id=_quote(key_id)), {},
            body or {}, idempotency_key, True, retry_for_ms,
        )).body)

    async def revoke_api_key(
        self, key_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Revoke a key."""
        return cast("None", (await self._call(
            "DELETE", "/api-keys/{key_id}".format(key_id=_quote(key_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def create_webhook(
        self, body: t.NewWebhook, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.WebhookWithSecret:
        """Create a webhook."""
        return cast("t.WebhookWithSecret", (await self._call(
            "POST", "/webhooks", {},
            body, idempotency_key, True, retry_for_ms,
        )).body)

    async def list_webhooks(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.Webhook]:
        """List the webhooks."""
        return cast("list[t.Webhook]", (await self._call(
            "GET", "/webhooks", {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def get_webhook(
        self, webhook_id: str, *, retry_for_ms: float = 0,
    ) -> t.Webhook:
        """Show a webhook."""
        return cast("t.Webhook", (await self._call(
            "GET", "/webhooks/{webhook_id}".format(webhook_id=_quote(webhook_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def update_webhook(
        self, webhook_id: str, body: t.WebhookChanges, *, retry_for_ms: float = 0,
    ) -> t.Webhook:
        """Change a webhook."""
        return cast("t.Webhook", (await self._call(
            "PATCH", "/webhooks/{webhook_id}".format(webhook_id=_quote(webhook_id)), {},
            body, None, False, retry_for_ms,
        )).body)

    async def delete_webhook(
        self, webhook_id: str, *, retry_for_ms: float = 0,
    ) -> None:
        """Delete a webhook."""
        return cast("None", (await self._call(
            "DELETE", "/webhooks/{webhook_id}".format(webhook_id=_quote(webhook_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def rotate_webhook_secret(
        self, webhook_id: str, body: Optional[t.SecretRotation] = None, *, idempotency_key: Optional[str] = None, retry_for_ms: float = 0,
    ) -> t.WebhookWithSecret:
        """Replace the secret."""
        return cast("t.WebhookWithSecret", (await self._call(
            "POST", "/webhooks/{webhook_id}/rotate-secret".format(webhook_id=_quote(webhook_id)), {},
            body or {}, idempotency_key, True, retry_for_ms,
        )).body)

    async def test_webhook(
        self, webhook_id: str, *, retry_for_ms: float = 0,
    ) -> t.WebhookDelivery:
        """Send a test event."""
        return cast("t.WebhookDelivery", (await self._call(
            "POST", "/webhooks/{webhook_id}/test".format(webhook_id=_quote(webhook_id)), {},
            None, None, False, retry_for_ms,
        )).body)

    async def list_webhook_deliveries(
        self, webhook_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> list[t.WebhookDelivery]:
        """List the deliveries."""
        return cast("list[t.WebhookDelivery]", (await self._call(
            "GET", "/webhooks/{webhook_id}/deliveries".format(webhook_id=_quote(webhook_id)), {"limit": limit, "cursor": cursor},
            None, None, False, retry_for_ms,
        )).body)

    async def redeliver_webhook_delivery(
        self, delivery_id: str, *, retry_for_ms: float = 0,
    ) -> t.WebhookDelivery:
        """Deliver again."""
        return cast("t.WebhookDelivery", (await self._call(
            "POST", "/webhooks/deliveries/{delivery_id}/redeliver".format(delivery_id=_quote(delivery_id)), {},
            None, None, False, retry_for_ms,
        )).body)


class AsyncPages:
    """Each iterates over the answers of its call, page by page, to the last. `retry_for_ms` is for each page."""

    def _read(self, path: str, query: dict[str, Any], retry_for_ms: float) -> AsyncIterator[Any]:
        raise NotImplementedError

    def list_deposits(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[list[t.BookedDeposit]]:
        """List the deposits."""
        return self._read("/deposits", {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_campaigns(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[list[t.Campaign]]:
        """List the campaigns."""
        return self._read("/campaigns", {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_creatives(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[list[t.Creative]]:
        """List the creatives of a campaign."""
        return self._read("/campaigns/{campaign_id}/creatives".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_geo_targets(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[list[t.GeoTarget]]:
        """List the geo targets of a campaign."""
        return self._read("/campaigns/{campaign_id}/geo-targets".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_blocklist_rules(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[list[t.BlocklistRule]]:
        """List the blocklist of a campaign."""
        return self._read("/campaigns/{campaign_id}/blocklist".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_affinities(
        self, campaign_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[list[t.Affinity]]:
        """List the affinities of a campaign."""
        return self._read("/campaigns/{campaign_id}/affinities".format(campaign_id=_quote(campaign_id)), {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_campaign_series(
        self, *, days: Optional[int] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[t.CampaignSeriesList]:
        """Every campaign with its last days."""
        return self._read("/analytics/campaigns", {"days": days, "limit": limit, "cursor": cursor}, retry_for_ms)

    def get_spend(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, group_by: Optional[str] = None, campaign_id: Optional[str] = None, creative_id: Optional[str] = None, country_code: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[t.Spend]:
        """Spend by campaign, creative, country and day."""
        return self._read("/analytics/spend", {"days": days, "from": from_, "to": to, "group_by": group_by, "campaign_id": campaign_id, "creative_id": creative_id, "country_code": country_code, "limit": limit, "cursor": cursor}, retry_for_ms)

    def list_placements(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[list[t.Placement]]:
        """List the placements."""
        return self._read("/placements", {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_game_advertisers(
        self, game_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[list[t.GameAdvertiser]]:
        """Who was seen in one game."""
        return self._read("/creator-revenue/{game_id}/advertisers".format(game_id=_quote(game_id)), {"limit": limit, "cursor": cursor}, retry_for_ms)

    def get_earnings(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, game_id: Optional[str] = None, advertiser_id: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[t.Earnings]:
        """Read the games' earnings by day."""
        return self._read("/earnings", {"days": days, "from": from_, "to": to, "game_id": game_id, "advertiser_id": advertiser_id, "limit": limit, "cursor": cursor}, retry_for_ms)

    def get_earnings_by_advertiser(
        self, *, days: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, game_id: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[t.EarningsByAdvertiser]:
        """Read the games' earnings by advertiser."""
        return self._read("/earnings/advertisers", {"days": days, "from": from_, "to": to, "game_id": game_id, "limit": limit, "cursor": cursor}, retry_for_ms)

    def get_traffic(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[t.Traffic]:
        """How the integration is doing."""
        return self._read("/traffic", {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_api_keys(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[list[t.ApiKey]]:
        """List the keys in force."""
        return self._read("/api-keys", {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_webhooks(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[list[t.Webhook]]:
        """List the webhooks."""
        return self._read("/webhooks", {"limit": limit, "cursor": cursor}, retry_for_ms)

    def list_webhook_deliveries(
        self, webhook_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, retry_for_ms: float = 0,
    ) -> AsyncIterator[list[t.WebhookDelivery]]:
        """List the deliveries."""
        return self._read("/webhooks/{webhook_id}/deliveries".format(webhook_id=_quote(webhook_id)), {"limit": limit, "cursor": cursor}, retry_for_ms)
