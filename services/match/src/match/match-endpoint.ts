import { type Campaign, drawCandidates, type Selection } from "@diegetic/ad-rules";
import { newId, servingApi } from "@diegetic/contracts";
import { type Answer, type Endpoint, endpoint, type RequestContext } from "@diegetic/service-kit";
import type { MatchDependencies } from "./dependencies.ts";
import { type LoadedRequest, load, withCurrentPlacement } from "./load.ts";
import { type NoMatchReason, presentMatch, presentNoMatch } from "./present.ts";
import { MAX_RESERVATIONS, reserveOne, type Trial, withdraw, withdrawLater } from "./reserve-one.ts";

/** How often a request starts over because a campaign turned out newer than this instance knew. */
const MAX_FRESH_STARTS = 2;

/** `POST /match`: load → decide → commit → present (semantics: Matching). */
export function createMatchEndpoint(dependencies: MatchDependencies): Endpoint {
  return endpoint(servingApi.operations.match, (context) => handleMatch(dependencies, context));
}

async function handleMatch(dependencies: MatchDependencies, context: RequestContext): Promise<Answer> {
  const request = load(dependencies, context);
  await context.takeQuota(`match-game:${request.body.game_id}`, dependencies.settings.rateLimitMatchPerGame);
  const trial: Trial = {
    matchId: newId("mat"),
    attemptsLeft: MAX_RESERVATIONS,
    freshStartsLeft: MAX_FRESH_STARTS,
    lackedMoney: false,
  };
  try {
    return await findMatch(dependencies, request, trial);
  } catch (error) {
    withdrawLater(dependencies, request, trial);
    throw error;
  }
}

async function findMatch(
  dependencies: MatchDependencies,
  loaded: LoadedRequest,
  trial: Trial,
): Promise<Answer> {
  for (;;) {
    const request = withCurrentPlacement(dependencies, loaded);
    const decision = decide(dependencies, request);
    trial.lackedMoney ||= decision.skippedForMoney;
    if (decision.candidates.length === 0) {
      const lacksMoney = decision.reason === "no_eligible_campaign" && trial.lackedMoney;
      const reason = lacksMoney ? "budget" : decision.reason;
      return presentNoMatch(await turnAway(dependencies, request, trial, reason));
    }
    const tried = await reserveOne(dependencies, request, decision.candidates, trial);
    switch (tried.outcome) {
      case "held":
        return presentMatch(tried);
      case "session_full":
        return presentNoMatch("session_cap");
      case "refused":
        await withdraw(dependencies, request, trial);
        return presentNoMatch(trial.lackedMoney ? "budget" : "no_eligible_campaign");
      case "outdated":
        trial.freshStartsLeft -= 1;
        await dependencies.catchUp();
    }
  }
}

type Decision = Pick<Selection, "candidates"> & {
  /** Why there are none, apart from money and caps (semantics: "Reasons on 204"). */
  reason: NoMatchReason;
  /** One was left out because it had just lacked money: the answer is the same as if it had been tried again. */
  skippedForMoney: boolean;
};

/** Synchronous and on what is known right now: rules 1 to 7, without campaigns just refused for lack of money. */
function decide(dependencies: MatchDependencies, request: LoadedRequest): Decision {
  dependencies.requireFresh();
  const { catalog, refusals } = dependencies;
  const { placement } = request;
  const nowMs = dependencies.nowMs();
  let skippedForMoney = false;
  const selection = {
    placement,
    context: request.body.game_context,
    geo: request.body.player_geo ?? null,
    nowMs,
    limit: MAX_RESERVATIONS,
    skip: (campaign: Campaign) => {
      const refusal = refusals.standing(campaign, nowMs);
      skippedForMoney ||= refusal?.lacksMoney === true;
      return refusal !== undefined;
    },
  };
  const { candidates, noneActive } = drawCandidates(catalog.index, selection, dependencies.random);
  if (!placement.is_active) return { candidates, reason: "placement_disabled", skippedForMoney };
  if (noneActive) return { candidates, reason: "no_campaigns", skippedForMoney };
  return { candidates, reason: "no_eligible_campaign", skippedForMoney };
}

/**
 * Nothing to try: the request still keeps its player session alive. A session that has had all its ads is the reason
 * before a lack of money is (semantics: "Reasons on 204").
 */
async function turnAway(
  dependencies: MatchDependencies,
  request: LoadedRequest,
  trial: Trial,
  reason: NoMatchReason,
): Promise<NoMatchReason> {
  if (trial.admission !== undefined) {
    await withdraw(dependencies, request, trial);
    return reason;
  }
  const ads = await dependencies.sessions.touch(request.session, request.sessionIdleMs);
  return reason === "budget" && ads >= request.placement.max_ads_per_session ? "session_cap" : reason;
}
