# Generated from packages/contracts by `npm run generate:clients`. Do not edit.
from __future__ import annotations

from typing import Any, Literal, NotRequired, Optional, TypedDict

class BulkResultsResultsEntry(TypedDict):
    """What became of one campaign: campaign when it was created, else error."""

    status: int
    campaign: NotRequired[Campaign]
    error: NotRequired[str]


class SimulationResultMatchedCreative(TypedDict):
    """The creative that a new player session would see first."""

    id: str
    narrative_hook: str
    creative_type: Literal["narrative_hook", "product_mention", "location_brand", "character_reference"]


class SimulationOptionsCurrentAffinitiesEntry(TypedDict):
    """An affinity of the campaign."""

    affinity_type: Literal["action", "location", "theme", "mood", "category", "lighting", "effects", "camera"]
    affinity_value: str
    weight: float


class ExplanationChecksEntry(TypedDict):
    """How one rule went."""

    code: int
    rule: Literal["status", "start_date", "end_date", "placement_active", "blocked_advertisers", "blocked_categories", "placement_types", "geo_excludes", "geo_includes", "blocked_keywords", "blocked_themes", "blocked_context_categories", "blocked_actions", "blocked_games", "target_categories", "target_tags", "balance", "budget", "daily_cap", "max_ads_per_session", "max_uses_per_game"]
    passed: bool
    detail: str


class ExplanationAffinityPartsEntry(TypedDict):
    """What one affinity adds to the score."""

    affinity_id: str
    affinity_type: Literal["action", "location", "theme", "mood", "category", "lighting", "effects", "camera"]
    affinity_value: str
    contribution: float


class DailyAnalyticsDaysEntry(TypedDict):
    """A UTC day of the campaign."""

    date: str
    impressions: int
    unique_users: int
    spent_cents: int
    spent_millicents: int
    avg_affinity_score: float


class CreativeAnalyticsCreativesEntry(TypedDict):
    """A creative of the campaign."""

    creative_id: str
    creative_type: Literal["narrative_hook", "product_mention", "location_brand", "character_reference"]
    brand_name: str
    impressions: int
    unique_users: int
    spent_cents: int
    spent_millicents: int
    avg_affinity_score: float


class GeoAnalyticsCountriesEntry(TypedDict):
    """A country in which the campaign was seen."""

    country_code: Optional[str]
    impressions: int
    unique_users: int
    spent_cents: int
    spent_millicents: int


class AffinityAnalyticsAffinitiesEntry(TypedDict):
    """An affinity of the campaign."""

    affinity_id: str
    affinity_type: Literal["action", "location", "theme", "mood", "category", "lighting", "effects", "camera"]
    affinity_value: str
    weight: float
    match_rate: float
    avg_score_contribution: float
    impressions_influenced: int


class LedgerDaysEntry(TypedDict):
    """One day of the ledger."""

    date: str
    opening_balance_cents: float
    deposits_cents: float
    charges_cents: float
    impressions: int
    closing_balance_cents: float


class LedgerTotals(TypedDict):
    """Current totals over all time."""

    deposits_cents: float
    balance_cents: float
    held_cents: float
    spent_cents: float
    impressions: int


class AdvertiserRevenueCampaignsEntry(TypedDict):
    """One campaign of the advertiser."""

    campaign_id: str
    name: str
    spent_cents: int
    spent_millicents: int
    impressions: int
    status: Literal["draft", "active", "paused"]


class CreatorRevenueGamesEntry(TypedDict):
    """One game of the account."""

    game_id: str
    earned_cents: int
    earned_microcents: int
    impressions: int
    revenue_share_pct: float


class GameRevenueTopAdvertisersEntry(TypedDict):
    """An advertiser seen in the game."""

    advertiser_id: str
    impressions: int
    earned_cents: int
    earned_microcents: int


class GameRevenueDailyEntry(TypedDict):
    """A day of the game."""

    date: str
    impressions: int
    earned_cents: int
    earned_microcents: int


class Advertiser(TypedDict):
    """An advertiser."""

    id: str
    company_name: str
    contact_email: str
    website: Optional[str]
    balance_cents: int
    created_at: str


class Registration(TypedDict):
    """Binds an advertiser profile to the account of the key."""

    company_name: str
    contact_email: str
    website: NotRequired[Optional[str]]


class ProfileChanges(TypedDict):
    """Changes the fields that it contains; null clears the website."""

    company_name: NotRequired[str]
    contact_email: NotRequired[str]
    website: NotRequired[Optional[str]]


class DepositRequest(TypedDict):
    """Adds money to the advertiser's balance."""

    amount_cents: int


class Deposit(TypedDict):
    """A deposit that was made."""

    balance_cents: int
    deposited_cents: int


class BookedDeposit(TypedDict):
    """A deposit of the past."""

    id: str
    amount_cents: int
    created_at: str


class Campaign(TypedDict):
    """A campaign."""

    id: str
    name: str
    status: Literal["draft", "active", "paused"]
    budget_cents: int
    spent_cents: int
    spent_millicents: int
    cpm_bid_cents: int
    daily_cap_cents: Optional[int]
    start_date: Optional[str]
    end_date: Optional[str]
    priority: int
    target_categories: list[str]
    target_tags: list[str]
    created_at: str


class NewCampaign(TypedDict):
    """A new campaign; it starts as a draft."""

    name: str
    budget_cents: int
    cpm_bid_cents: int
    daily_cap_cents: NotRequired[Optional[int]]
    start_date: NotRequired[Optional[str]]
    end_date: NotRequired[Optional[str]]
    priority: NotRequired[Optional[int]]
    target_categories: NotRequired[Optional[list[str]]]
    target_tags: NotRequired[Optional[list[str]]]


class CampaignChanges(TypedDict):
    """Changes the fields that it contains; null clears an optional field or sets it back to its default."""

    name: NotRequired[str]
    budget_cents: NotRequired[int]
    cpm_bid_cents: NotRequired[int]
    daily_cap_cents: NotRequired[Optional[int]]
    start_date: NotRequired[Optional[str]]
    end_date: NotRequired[Optional[str]]
    priority: NotRequired[Optional[int]]
    target_categories: NotRequired[Optional[list[str]]]
    target_tags: NotRequired[Optional[list[str]]]


class NewWholeCampaign(TypedDict):
    """A new campaign with all that belongs to it."""

    name: str
    budget_cents: int
    cpm_bid_cents: int
    daily_cap_cents: NotRequired[Optional[int]]
    start_date: NotRequired[Optional[str]]
    end_date: NotRequired[Optional[str]]
    priority: NotRequired[Optional[int]]
    target_categories: NotRequired[Optional[list[str]]]
    target_tags: NotRequired[Optional[list[str]]]
    activate: NotRequired[Optional[bool]]
    creatives: NotRequired[Optional[list[NewCreative]]]
    geo_targets: NotRequired[Optional[list[NewGeoTarget]]]
    blocklist: NotRequired[Optional[list[NewBlocklistRule]]]
    affinities: NotRequired[Optional[list[NewAffinity]]]


class NewCampaigns(TypedDict):
    """New campaigns."""

    campaigns: list[NewWholeCampaign]


class BulkResults(TypedDict):
    """What became of the campaigns of a bulk request."""

    results: list[BulkResultsResultsEntry]


class Creative(TypedDict):
    """A creative."""

    id: str
    campaign_id: str
    creative_type: Literal["narrative_hook", "product_mention", "location_brand", "character_reference"]
    brand_name: str
    product_name: Optional[str]
    tagline: Optional[str]
    narrative_hook: Optional[str]
    alt_hooks: list[str]
    tone: Literal["positive", "neutral", "humorous", "dramatic"]
    max_uses_per_game: int
    impressions: int
    created_at: str


class NewCreative(TypedDict):
    """A new creative of a campaign."""

    creative_type: Literal["narrative_hook", "product_mention", "location_brand", "character_reference"]
    brand_name: str
    product_name: NotRequired[Optional[str]]
    tagline: NotRequired[Optional[str]]
    narrative_hook: NotRequired[Optional[str]]
    alt_hooks: NotRequired[Optional[list[str]]]
    tone: NotRequired[Optional[Literal["positive", "neutral", "humorous", "dramatic"]]]
    max_uses_per_game: NotRequired[Optional[int]]


class CreativeChanges(TypedDict):
    """Changes the fields that it contains; null clears an optional field or sets it back to its default."""

    brand_name: NotRequired[str]
    product_name: NotRequired[Optional[str]]
    tagline: NotRequired[Optional[str]]
    narrative_hook: NotRequired[Optional[str]]
    alt_hooks: NotRequired[Optional[list[str]]]
    tone: NotRequired[Optional[Literal["positive", "neutral", "humorous", "dramatic"]]]
    max_uses_per_game: NotRequired[Optional[int]]


class GeoTarget(TypedDict):
    """A place that a campaign includes or excludes. The includes of a campaign combine with OR; an exclude that matches always wins."""

    id: str
    campaign_id: str
    target_type: Literal["country", "state", "city", "radius"]
    country_code: Optional[str]
    state_code: Optional[str]
    city_name: Optional[str]
    lat: Optional[float]
    lng: Optional[float]
    radius_km: Optional[float]
    include: bool
    created_at: str


class NewGeoTarget(TypedDict):
    """A new geo target of a campaign."""

    target_type: Literal["country", "state", "city", "radius"]
    country_code: NotRequired[Optional[str]]
    state_code: NotRequired[Optional[str]]
    city_name: NotRequired[Optional[str]]
    lat: NotRequired[Optional[float]]
    lng: NotRequired[Optional[float]]
    radius_km: NotRequired[Optional[float]]
    include: NotRequired[Optional[bool]]


class BlocklistRule(TypedDict):
    """A value that excludes scenes which contain it."""

    id: str
    campaign_id: str
    rule_type: Literal["keyword", "theme", "category", "action", "game_id"]
    value: str
    created_at: str


class NewBlocklistRule(TypedDict):
    """A new blocklist rule of a campaign."""

    rule_type: Literal["keyword", "theme", "category", "action", "game_id"]
    value: str


class Affinity(TypedDict):
    """A value that raises a campaign's score where the scene has it, and biases the rendering of the scene."""

    id: str
    campaign_id: str
    affinity_type: Literal["action", "location", "theme", "mood", "category", "lighting", "effects", "camera"]
    affinity_value: str
    weight: float
    created_at: str


class NewAffinity(TypedDict):
    """A new affinity of a campaign."""

    affinity_type: Literal["action", "location", "theme", "mood", "category", "lighting", "effects", "camera"]
    affinity_value: str
    weight: NotRequired[Optional[float]]


class NewAffinities(TypedDict):
    """Replaces all affinities of a campaign, or none when one of them is not valid."""

    affinities: list[NewAffinity]


class Simulation(TypedDict):
    """A scene to try the campaign in."""

    narrative_function: NotRequired[Optional[str]]
    mood: NotRequired[Optional[str]]


class SimulationResult(TypedDict):
    """What the campaign would bring into the scene. Nothing was held, counted or billed."""

    campaign_id: str
    matched_creative: SimulationResultMatchedCreative
    biased_pipeline: BiasedPipeline
    affinity_scores: dict[str, float]
    total_score: float


class SimulationOptions(TypedDict):
    """What can be tried in the simulator."""

    moods: list[str]
    narrative_examples: list[str]
    current_affinities: list[SimulationOptionsCurrentAffinitiesEntry]


class Explanation(TypedDict):
    """Why the campaign would or would not serve the request. Nothing was served, held or billed."""

    campaign_id: str
    would_serve: bool
    checks: list[ExplanationChecksEntry]
    affinity_score: float
    affinity_parts: list[ExplanationAffinityPartsEntry]
    rank: float
    winning_rank: Optional[float]
    summary: str
    bid_to_win_cents: Optional[int]
    session_counts_as_new: bool


class CampaignStats(TypedDict):
    """Results of a campaign so far."""

    campaign_id: str
    impressions: int
    unique_users: int
    unique_games: int
    spent_cents: int
    spent_millicents: int
    budget_cents: int
    effective_cpm_cents: int
    avg_affinity_score: float
    top_creative_id: Optional[str]
    top_game_id: Optional[str]


class DailyAnalytics(TypedDict):
    """Results of a campaign by day."""

    campaign_id: str
    days: list[DailyAnalyticsDaysEntry]


class CreativeAnalytics(TypedDict):
    """Results of a campaign's creatives."""

    campaign_id: str
    creatives: list[CreativeAnalyticsCreativesEntry]


class GeoAnalytics(TypedDict):
    """Where a campaign was seen."""

    campaign_id: str
    countries: list[GeoAnalyticsCountriesEntry]


class GameAnalytics(TypedDict):
    """Results of a campaign by game."""

    campaign_id: str
    open_holds: int
    games: list[GameAnalyticsRow]


class GameAnalyticsRow(TypedDict):
    """A game in which the campaign was matched."""

    game_id: Optional[str]
    matches: int
    impressions: int
    seen_rate: float
    spent_cents: int
    spent_millicents: int
    held_cents: int
    held_millicents: int


class AffinityAnalytics(TypedDict):
    """Results of a campaign's affinities."""

    campaign_id: str
    affinities: list[AffinityAnalyticsAffinitiesEntry]


class Pacing(TypedDict):
    """How a campaign spends its budget over time."""

    campaign_id: str
    budget_cents: int
    spent_cents: int
    spent_millicents: int
    remaining_cents: int
    daily_cap_cents: Optional[int]
    today_spent_cents: int
    today_spent_millicents: int
    today_remaining_cents: int
    days_active: Optional[int]
    avg_daily_spend_cents: int
    projected_exhaustion_date: Optional[str]
    days_remaining: Optional[int]
    pacing_status: Literal["not_started", "exhausted", "capped_today", "over_pacing", "under_pacing", "on_pace"]
    utilization_pct: float


class AccountDaily(TypedDict):
    """What all campaigns of the advertiser have spent, day by day."""

    days: list[SpendDay]
    today: SpendSum
    month_to_date: SpendSum
    total: SpendSum


class SpendDay(TypedDict):
    """One day of the account."""

    date: str
    impressions: int
    spent_millicents: int


class SpendSum(TypedDict):
    """Impressions and what they have cost."""

    impressions: int
    spent_millicents: int


Spend = TypedDict(
    "Spend",
    {
        "from": "str",
        "to": "str",
        "total": "SpendSum",
        "rows": "list[SpendRow]",
    },
)


class SpendRow(TypedDict):
    """What one group of impressions has cost; fields that are not grouped by are left out."""

    date: NotRequired[str]
    campaign_id: NotRequired[str]
    campaign_name: NotRequired[str]
    creative_id: NotRequired[str]
    brand_name: NotRequired[str]
    country_code: NotRequired[Optional[str]]
    impressions: int
    spent_millicents: int


class CampaignSeriesList(TypedDict):
    """The campaigns of the advertiser with what they did lately."""

    dates: list[str]
    campaigns: list[CampaignSeries]


class CampaignSeries(TypedDict):
    """A campaign with its last days."""

    campaign_id: str
    name: str
    status: Literal["draft", "active", "paused"]
    budget_cents: int
    cpm_bid_cents: int
    daily_cap_cents: Optional[int]
    end_date: Optional[str]
    spent_millicents: int
    expected_spend_millicents: Optional[int]
    impressions: int
    creatives: int
    pacing_status: Literal["not_started", "exhausted", "capped_today", "over_pacing", "under_pacing", "on_pace"]
    projected_exhaustion_date: Optional[str]
    daily_spent_millicents: list[int]
    daily_impressions: list[int]


class Ledger(TypedDict):
    """The ledger of an advertiser."""

    days: list[LedgerDaysEntry]
    totals: LedgerTotals


class Placement(TypedDict):
    """Ads in a game."""

    game_id: str
    creator_id: str
    placement_types: list[Literal["narrative_hook", "product_mention", "location_brand", "character_reference"]]
    revenue_share_pct: float
    max_ads_per_session: int
    blocked_advertisers: list[str]
    blocked_categories: list[str]
    is_active: bool
    created_at: str


class NewPlacement(TypedDict):
    """Enables ads in a game. In a game that exists, optional fields left out keep their value and `null` sets the default."""

    creator_id: str
    placement_types: list[Literal["narrative_hook", "product_mention", "location_brand", "character_reference"]]
    revenue_share_pct: NotRequired[Optional[float]]
    max_ads_per_session: NotRequired[Optional[int]]
    blocked_advertisers: NotRequired[Optional[list[str]]]
    blocked_categories: NotRequired[Optional[list[str]]]


class PlacementChanges(TypedDict):
    """Changes the fields that it contains; null sets an optional field back to its default."""

    placement_types: NotRequired[list[Literal["narrative_hook", "product_mention", "location_brand", "character_reference"]]]
    revenue_share_pct: NotRequired[Optional[float]]
    max_ads_per_session: NotRequired[Optional[int]]
    blocked_advertisers: NotRequired[Optional[list[str]]]
    blocked_categories: NotRequired[Optional[list[str]]]


class AdvertiserRevenue(TypedDict):
    """What the advertiser has spent."""

    total_spent_cents: int
    total_spent_millicents: int
    total_impressions: int
    active_campaigns: int
    balance_cents: int
    campaigns: list[AdvertiserRevenueCampaignsEntry]


class CreatorRevenue(TypedDict):
    """What the developer has earned."""

    total_earned_cents: int
    total_earned_microcents: int
    total_impressions: int
    games_count: int
    games: list[CreatorRevenueGamesEntry]


class GameRevenue(TypedDict):
    """What one game has earned."""

    game_id: str
    earned_cents: int
    earned_microcents: int
    impressions: int
    revenue_share_pct: float
    top_advertisers: list[GameRevenueTopAdvertisersEntry]
    daily: list[GameRevenueDailyEntry]


class GameAdvertiser(TypedDict):
    """An advertiser seen in the game, as a developer recognises it."""

    advertiser_id: str
    company_name: str
    brand_names: list[str]
    recent_lines: list[str]
    impressions: int
    earned_microcents: int
    is_blocked: bool


Earnings = TypedDict(
    "Earnings",
    {
        "from": "str",
        "to": "str",
        "total": "EarningsSum",
        "rows": "list[GameDay]",
    },
)


class EarningsSum(TypedDict):
    """What a period has earned."""

    impressions: int
    earned_microcents: int


class GameDay(TypedDict):
    """What one game has earned on one day."""

    date: str
    game_id: str
    impressions: int
    earned_microcents: int


EarningsByAdvertiser = TypedDict(
    "EarningsByAdvertiser",
    {
        "from": "str",
        "to": "str",
        "total": "EarningsSum",
        "rows": "list[AdvertiserEarnings]",
    },
)


class AdvertiserEarnings(TypedDict):
    """What the games have earned from one advertiser."""

    advertiser_id: Optional[str]
    company_name: Optional[str]
    brand_names: list[str]
    impressions: int
    earned_microcents: int
    total_earned_microcents: Optional[int]


class Traffic(TypedDict):
    """How the integration of the account's games is doing. Statistics, up to two seconds old; no bill depends on them."""

    last_call_at: Optional[str]
    errors: list[CallErrors]
    games: list[GameTraffic]


class CallErrors(TypedDict):
    """One kind of error that the account's calls were answered."""

    operation: Literal["match", "impressions"]
    status: int
    count: int
    last_at: Optional[str]


class GameTraffic(TypedDict):
    """How a game's integration is doing."""

    game_id: str
    is_active: bool
    stage: Literal["waiting", "requested", "matched", "shown", "billed"]
    last_request_at: Optional[str]
    last_match_at: Optional[str]
    last_impression_at: Optional[str]
    requests: int
    matches: int
    impressions: int
    errors: int
    billed_impressions: int
    earned_microcents: int


class TrafficSeries(TypedDict):
    """The calls of a game over time. Statistics, up to two seconds old; no bill depends on them."""

    game_id: str
    unit: Literal["hour", "day"]
    points: list[TrafficPoint]


class TrafficPoint(TypedDict):
    """The calls of one hour or one UTC day."""

    start: str
    requests: int
    matches: int
    impressions: int
    no_match: dict[str, int]
    errors: dict[str, int]


class NoMatchScene(TypedDict):
    """A scene that got no ad. Neither the player nor the session is kept."""

    game_id: str
    at: str
    reason: str
    country_code: Optional[str]
    game_context: SceneContext


class SceneContext(TypedDict):
    """The scene as the game sent it; what was left out then is left out here."""

    theme_id: NotRequired[str]
    category: NotRequired[str]
    narrative: NotRequired[str]
    mood_tags: NotRequired[list[str]]
    location: NotRequired[str]
    actions: NotRequired[list[str]]


class GameWords(TypedDict):
    """The words of a game's scenes beside those that campaigns target."""

    game_id: str
    sent: list[SentWord]
    unsent: list[UnsentWord]


class SentWord(TypedDict):
    """A word that the game sends."""

    type: Literal["theme", "category", "mood", "location", "action"]
    value: str
    scenes: int
    is_targeted: bool


class UnsentWord(TypedDict):
    """A word that campaigns target and the game does not send."""

    type: Literal["theme", "category", "mood", "location", "action", "tag"]
    value: str


class MarketWord(TypedDict):
    """A word that games send."""

    type: Literal["theme", "category", "mood", "location", "action"]
    value: str
    games: int
    scenes: int


class MatchRequest(TypedDict):
    """Asks for the best matching ad. Blank optional texts, also in lists, count as absent, whatever their schemas say."""

    game_id: str
    user_id: str
    player_geo: NotRequired[PlayerGeo]
    game_context: GameContext
    session_id: NotRequired[Optional[str]]


class PlayerGeo(TypedDict):
    """Where the player is. Taken only from here, never from the caller's address."""

    country_code: NotRequired[Optional[str]]
    state_code: NotRequired[Optional[str]]
    city_name: NotRequired[Optional[str]]
    lat: NotRequired[Optional[float]]
    lng: NotRequired[Optional[float]]


class GameContext(TypedDict):
    """The scene that is being generated."""

    theme_id: NotRequired[Optional[str]]
    category: NotRequired[Optional[str]]
    narrative: NotRequired[Optional[str]]
    mood_tags: NotRequired[Optional[list[str]]]
    location: NotRequired[Optional[str]]
    actions: NotRequired[Optional[list[str]]]


class MatchResult(TypedDict):
    """The ad to place in the scene."""

    match_id: str
    campaign_id: str
    advertiser_id: str
    creative_id: str
    narrative_hook: str
    creative_type: Literal["narrative_hook", "product_mention", "location_brand", "character_reference"]
    brand_name: str
    product_name: Optional[str]
    tagline: Optional[str]
    tone: Literal["positive", "neutral", "humorous", "dramatic"]
    biased_pipeline: BiasedPipeline
    affinity_score: float
    cpm_bid_cents: int


BiasedPipeline = dict[str, str]


class ImpressionRequest(TypedDict):
    """Records that a player has seen a matched ad: the billing event."""

    campaign_id: str
    creative_id: str
    game_id: str
    match_id: NotRequired[Optional[str]]


class ImpressionRecord(TypedDict):
    """A billed impression."""

    impression_id: str
    campaign_id: str
    creative_id: str
    game_id: str
    charged_cents: float
    recorded_at: str


class ApiKey(TypedDict):
    """An API key that is in force, without the key itself."""

    id: str
    prefix: str
    label: str
    scopes: list[Literal["advertiser", "developer", "serving"]]
    rate_limit_per_minute: Optional[int]
    created_at: str
    created_by_user_id: Optional[str]
    last_used_at: Optional[str]
    expires_at: Optional[str]


class CreatedApiKey(TypedDict):
    """A new API key, with the key itself."""

    id: str
    prefix: str
    label: str
    scopes: list[Literal["advertiser", "developer", "serving"]]
    rate_limit_per_minute: Optional[int]
    created_at: str
    created_by_user_id: Optional[str]
    last_used_at: Optional[str]
    expires_at: Optional[str]
    key: str


class NewApiKey(TypedDict):
    """A new API key of the caller's account."""

    label: str
    scopes: NotRequired[Optional[list[Literal["advertiser", "developer", "serving"]]]]
    rate_limit_per_minute: NotRequired[Optional[int]]


class ApiKeyRotation(TypedDict):
    """Replaces a key by a new one with the same label, scopes and limit."""

    overlap_seconds: NotRequired[Optional[int]]


class Webhook(TypedDict):
    """A webhook, without its secret."""

    id: str
    url: str
    events: list[Literal["campaign.exhausted", "campaign.ended", "balance.low", "holds.expiry_rate_high", "payout.figures_ready"]]
    description: Optional[str]
    is_active: bool
    balance_low_cents: int
    hold_expiry_percent: int
    hold_expiry_min_matches: int
    previous_secret_expires_at: Optional[str]
    created_at: str


class WebhookWithSecret(TypedDict):
    """A webhook with its new secret."""

    id: str
    url: str
    events: list[Literal["campaign.exhausted", "campaign.ended", "balance.low", "holds.expiry_rate_high", "payout.figures_ready"]]
    description: Optional[str]
    is_active: bool
    balance_low_cents: int
    hold_expiry_percent: int
    hold_expiry_min_matches: int
    previous_secret_expires_at: Optional[str]
    created_at: str
    secret: str


class NewWebhook(TypedDict):
    """A new webhook."""

    url: str
    events: list[Literal["campaign.exhausted", "campaign.ended", "balance.low", "holds.expiry_rate_high", "payout.figures_ready"]]
    description: NotRequired[Optional[str]]
    is_active: NotRequired[Optional[bool]]
    balance_low_cents: NotRequired[Optional[int]]
    hold_expiry_percent: NotRequired[Optional[int]]
    hold_expiry_min_matches: NotRequired[Optional[int]]


class WebhookChanges(TypedDict):
    """Changes the fields that it contains; null sets an optional field back to its default."""

    url: NotRequired[str]
    events: NotRequired[list[Literal["campaign.exhausted", "campaign.ended", "balance.low", "holds.expiry_rate_high", "payout.figures_ready"]]]
    description: NotRequired[Optional[str]]
    is_active: NotRequired[Optional[bool]]
    balance_low_cents: NotRequired[Optional[int]]
    hold_expiry_percent: NotRequired[Optional[int]]
    hold_expiry_min_matches: NotRequired[Optional[int]]


class SecretRotation(TypedDict):
    """Replaces the secret of a webhook."""

    overlap_seconds: NotRequired[Optional[int]]


class WebhookEvent(TypedDict):
    """What a webhook receives."""

    id: str
    type: Literal["campaign.exhausted", "campaign.ended", "balance.low", "holds.expiry_rate_high", "payout.figures_ready", "webhook.test"]
    created_at: str
    account_id: str
    data: WebhookEventData


WebhookEventData = TypedDict(
    "WebhookEventData",
    {
        "campaign_id": "NotRequired[str]",
        "name": "NotRequired[str]",
        "budget_cents": "NotRequired[int]",
        "spent_millicents": "NotRequired[int]",
        "end_date": "NotRequired[str]",
        "advertiser_id": "NotRequired[str]",
        "balance_millicents": "NotRequired[int]",
        "threshold_cents": "NotRequired[int]",
        "lapsed_matches": "NotRequired[int]",
        "ended_matches": "NotRequired[int]",
        "threshold_percent": "NotRequired[int]",
        "period": "NotRequired[str]",
        "from": "NotRequired[str]",
        "to": "NotRequired[str]",
        "impressions": "NotRequired[int]",
        "earned_microcents": "NotRequired[int]",
        "webhook_id": "NotRequired[str]",
    },
)


class WebhookDelivery(TypedDict):
    """An event on its way to one webhook."""

    id: str
    webhook_id: str
    event: WebhookEvent
    status: Literal["pending", "delivered", "failed"]
    attempt_count: int
    attempts: list[WebhookAttempt]
    next_attempt_at: Optional[str]
    created_at: str


class WebhookAttempt(TypedDict):
    """One request to a webhook."""

    attempted_at: str
    duration_ms: int
    status: Optional[int]
    error: Optional[str]
    response: Optional[str]
