/**
 * Safeguards of the product, and what takes each of them out: text of a script or of a built module, replaced while a
 * service loads it. The suite has to fail without any one of them. `faults` names those that put it to the test,
 * `noticedBy` the check that has to fail, whatever else does.
 *
 * @typedef {{ file: string, search: string, replacement: string }} Patch `file`: how the path ends
 * @type {Record<string, { what: string, faults: string[], noticedBy: string, patches: Patch[] }>}
 */
export const SAFEGUARDS = {
  "commit-idempotency": {
    what: "an impression that is sent again is answered with its first record",
    faults: ["drop replies of redis", "kill -9 front", "cut connections of redis"],
    noticedBy: "the wallets in Redis say what Postgres says, and nothing is held or waits",
    patches: [
      {
        file: "/lua/commit.lua",
        search: "if entry and tonumber(entry.recorded_at_ms) > now_ms - REMEMBER_MS then",
        replacement: "if false then",
      },
      {
        file: "/lua/commit.lua",
        search:
          "if entry.state == 'C' then return { 'replayed', match_id, entry.recorded_at_ms, entry.price } end",
        replacement: "",
      },
      {
        file: "/lua/commit.lua",
        search: "entry.facts = ''",
        replacement: "",
      },
    ],
  },
  "charge-remembered": {
    what: "a match that was charged is remembered: its impression is answered again as the first time",
    faults: ["drop replies of redis", "kill -9 front", "cut connections of redis"],
    noticedBy: "a retry is answered with the first record",
    patches: [
      {
        file: "/lua/commit.lua",
        search:
          "if is_charge_of(hash, match_id, scope, creative_id) then return { 'replayed', match_id, recorded_ms, price } end",
        replacement: "",
      },
    ],
  },
  "outbox-sweep": {
    what: "records of the outbox whose job got lost are queued again",
    faults: ["wipe the queue", "kill -9 match"],
    noticedBy: "every 201 is in Postgres exactly once, with what it said",
    patches: [
      {
        file: "/billing/dist/sweep/sweeper.js",
        search: "await this.#deliver(job, isSilent);",
        replacement: "",
      },
    ],
  },
  "outbox-kept-until-written": {
    what: "a record leaves the outbox only after it is in Postgres",
    faults: ["kill -9 billing", "wipe the queue", "stop postgres", "kill -9 postgres"],
    noticedBy: "every 201 is in Postgres exactly once, with what it said",
    patches: [
      {
        file: "/billing/dist/write/impression-writer.js",
        search: "const dropped = await partitions.ensure(",
        replacement:
          "await acknowledge(this.#dependencies.money, billed.map(({ record }) => record)); const dropped = await partitions.ensure(",
      },
    ],
  },
  "holds-count": {
    what: "open holds count against balance, budget and daily cap",
    faults: ["top up", "lower a budget", "kill -9 match"],
    noticedBy: "never over balance, budget or daily cap at any sampled instant",
    patches: [
      {
        file: "/lua/include/totals.lua",
        search: "if account.deposited - account.spent - account.held < account_amount then",
        replacement: "if account.deposited - account.spent < account_amount then",
      },
      {
        file: "/lua/include/totals.lua",
        search: "if campaign.limit - campaign.spent - campaign.held < campaign_amount then",
        replacement: "if campaign.limit - campaign.spent < campaign_amount then",
      },
      {
        file: "/lua/include/totals.lua",
        search: "if exceeds_day(campaign, campaign.held + campaign_amount) then",
        replacement: "if exceeds_day(campaign, campaign_amount) then",
      },
    ],
  },
  "daily-cap": {
    what: "a match, and its impression, fit into what is left of the day's cap",
    faults: ["top up", "kill -9 match"],
    noticedBy: "never over balance, budget or daily cap at any sampled instant",
    patches: [
      {
        file: "/lua/include/totals.lua",
        search: "campaign.day_spent + amount > campaign.daily_cap)",
        replacement: "false)",
      },
    ],
  },
  "seats-returned": {
    what: "a match that lapses returns its session seat",
    faults: ["kill -9 match", "hang match"],
    noticedBy: "the wallets in Redis say what Postgres says, and nothing is held or waits",
    patches: [
      {
        file: "/billing/dist/release/releaser.js",
        search: "await this.returnSeats(walletId);",
        replacement: "",
      },
    ],
  },
  "damaged-quarantined": {
    what: "what is no record is taken out of the outbox, and kept elsewhere",
    faults: ["quarantined record"],
    noticedBy: "the wallets in Redis say what Postgres says, and nothing is held or waits",
    patches: [
      {
        file: "/billing/dist/sweep/sweeper.js",
        search: "if (damaged.length > 0)",
        replacement: "if (false)",
      },
    ],
  },
  "returned-rows-only": {
    what: "only impressions that were really inserted move totals, ledger and rollups",
    faults: ["jobs twice", "kill -9 billing", "drop replies of postgres"],
    noticedBy: "all sums of an advertiser are equal in Postgres, and its ledger is balanced",
    patches: [
      {
        file: "/billing/dist/write/write-batch.js",
        search: "if (inserted.size === 0)",
        replacement: "if (impressions.length === 0)",
      },
      {
        file: "/billing/dist/write/write-batch.js",
        search: "own.filter(({ record }) => inserted.has(record.impression_id))",
        replacement: "impressions",
      },
    ],
  },
  "one-key-once": {
    what: "of several impressions of one key, because Redis had forgotten the first, one is billed",
    faults: ["flush redis", "older redis"],
    noticedBy: "a retry is answered with the first record",
    patches: [
      {
        file: "/match/dist/impressions/impressions-endpoint.js",
        search: "isKeyed: true",
        replacement: "isKeyed: false",
      },
    ],
  },
  "release-returns-money": {
    what: "a hold that lapses gives its money back",
    faults: ["kill -9 billing", "hang billing"],
    noticedBy: "the wallets in Redis say what Postgres says, and nothing is held or waits",
    patches: [
      {
        file: "/lua/release.lua",
        search: "redis.call('HINCRBY', account_key, 'held', integer_text(-amount))",
        replacement: "",
      },
    ],
  },
  "shares-returned": {
    what: "a hold that ends returns to its developer's share of the campaign",
    faults: ["kill -9 billing", "top up"],
    noticedBy: "the wallets in Redis say what Postgres says, and nothing is held or waits",
    patches: [
      {
        file: "/lua/include/shares.lua",
        search:
          "if redis.call('ZREM', holds, hold_member(match_id, scope, session_key, account_id, price)) == 1 then",
        replacement:
          "redis.call('ZREM', holds, hold_member(match_id, scope, session_key, account_id, price)) if false then",
      },
    ],
  },
  "pause-applies": {
    what: "reserve refuses who decided on an older campaign, and management waits until every instance has applied the change",
    faults: ["pause while"],
    noticedBy: "a paused campaign is not served after the pause was answered",
    patches: [
      {
        file: "/lua/reserve.lua",
        search:
          "if campaign.version > campaign_version then return without_hold('refused', 'stale_version', cap_since_ms, '') end",
        replacement: "",
      },
      {
        file: "/lua/reserve.lua",
        search:
          "if campaign.status ~= 'active' then return without_hold('refused', 'not_active', cap_since_ms, '') end",
        replacement: "",
      },
      {
        file: "/lua/leases_behind.lua",
        search: "if applied < version then",
        replacement: "if false then",
      },
    ],
  },
  "creative-cap": {
    what: "a creative's appearances in a session are counted with the hold",
    faults: ["kill -9 match", "clock of match"],
    noticedBy: "no session sees a creative more often than max_uses_per_game",
    patches: [
      {
        file: "/lua/reserve.lua",
        search: "creative_id, integer_text(appearances + 1),",
        replacement: "creative_id, integer_text(appearances),",
      },
    ],
  },
  "reserve-idempotency": {
    what: "a match that is sent to Redis again is held once",
    faults: ["drop replies of redis", "cut connections of redis"],
    noticedBy: "never over balance, budget or daily cap at any sampled instant",
    patches: [
      {
        file: "/lua/reserve.lua",
        search: "if entry.state ~= 'X' then",
        // The former hold's member of `pending` would stop `commit` with an error.
        replacement: "redis.call('ZREM', pending, pending_member(match_id, entry)) if false then",
      },
    ],
  },
  "full-memory": {
    what: "while its memory is full, Redis holds nothing new",
    faults: ["fill redis"],
    noticedBy: "nothing new is held while the memory of Redis is full",
    patches: [
      {
        file: "/lua/include/memory.lua",
        search: "redis.call('ZADD', sorted_set, 'XX', '0', '')",
        replacement: "redis.call('PERSIST', sorted_set)",
      },
      {
        file: "/lua/reserve.lua",
        search: "redis.call('HSET', cap, 'since',",
        replacement: "redis.call('PERSIST', account_key) redis.call('HSET', cap, 'since',",
      },
      {
        file: "/lua/admit.lua",
        search: "local fields, known = redis.call('HGETALL', session), {}",
        replacement:
          "redis.call('HDEL', session, '') local fields, known = redis.call('HGETALL', session), {}",
      },
    ],
  },
  "revoked-keys": {
    what: "a match instance forgets a key that was revoked, and management waits until every instance has",
    faults: ["revoke a key that is in use"],
    noticedBy: "a revoked key is refused after its revocation was answered",
    patches: [
      {
        file: "/match/dist/catalog/catalog.js",
        search: "known.delete(sha256Hex)",
        replacement: "void sha256Hex",
      },
    ],
  },
  "applied-before-published": {
    what: "a change that met a frozen state is applied again after the restore, before it counts as published",
    faults: ["change while a state is restored"],
    noticedBy: "no state in Redis stays behind its row",
    patches: [
      {
        file: "/management/dist/core/publishing/wallet-updates.js",
        search: "left = frozen.map(({ row }) => row.id);",
        replacement: "for (const one of frozen) one.isApplied = true; break;",
      },
    ],
  },
  "lease-fence": {
    what: "matches and impressions of an instance whose lease is over by the clock of Redis are refused",
    faults: ["while an instance is suspended"],
    noticedBy: "a revoked key is refused after its revocation was answered",
    patches: [
      {
        file: "/lua/admit.lua",
        search: "if lease_expires_ms ~= '' and now_ms > tonumber(lease_expires_ms) then",
        replacement: "if false then",
      },
      {
        file: "/lua/commit.lua",
        search: "if lease_expires_ms ~= '' and now_ms > tonumber(lease_expires_ms) then",
        replacement: "if false then",
      },
    ],
  },
  "key-found-again": {
    what: "a request's key is looked up again once its body has arrived",
    faults: ["revoke a key that is in use"],
    noticedBy: "a revoked key is refused after its revocation was answered",
    patches: [
      {
        file: "/service-kit/dist/http/serve-request.js",
        search: "const found = findCallerAgain(policy, exchange);",
        replacement: "const found = caller;",
      },
    ],
  },
  "session-cap": {
    what: "a session seat is taken with the match",
    faults: ["kill -9 match", "clock of match"],
    noticedBy: "no session sees more ads than max_ads_per_session",
    patches: [
      {
        file: "/lua/admit.lua",
        search: "if count < max_ads then",
        replacement: "if true then",
      },
    ],
  },
  "lowered-budget": {
    what: "a hold that no longer fits a lowered budget is refused at the impression",
    faults: ["lower a budget"],
    noticedBy: "never over balance, budget or daily cap at any sampled instant",
    patches: [
      {
        file: "/lua/include/totals.lua",
        search: "if campaign.spent + price > campaign.limit then return 'budget' end",
        replacement: "",
      },
    ],
  },
  "deposit-idempotency": {
    what: "a deposit that is sent again counts once",
    faults: ["drop replies of postgres", "kill -9 management", "kill -9 front", "hang management", "top up"],
    noticedBy: "every deposit counts once",
    patches: [
      {
        file: "/management/dist/core/idempotency/create-once.js",
        search: "if (first?.isKept === true) {",
        replacement: "if (false) {",
      },
    ],
  },
  "events-sent-again": {
    what: "an event is sent to a webhook until it is answered 2xx",
    faults: ["top up", "lower a budget", "kill -9 billing"],
    noticedBy: "every cause of an event reached its webhook, and nothing else did",
    patches: [
      {
        file: "/billing/dist/webhooks/webhook-sender.js",
        search: "if (status !== null && status >= 200 && status < 300)",
        replacement: "if (true)",
      },
    ],
  },
  "returned-grants-void": {
    what: "a grant that a slice of a wallet has returned meanwhile is void",
    faults: ["lower a budget", "top up", "drop replies of redis", "kill -9 match"],
    noticedBy: "never over balance, budget or daily cap at any sampled instant",
    patches: [
      {
        file: "/lua/accept_grant.lua",
        search: "or current[3] ~= revision then",
        replacement: "then",
      },
    ],
  },
  "slices-restored-empty": {
    what: "a slice of a restored wallet has only what is reserved for its open holds",
    faults: ["kill -9 redis", "change while a state is restored"],
    noticedBy: "never over balance, budget or daily cap at any sampled instant",
    patches: [
      {
        file: "/lua/restore_wallet.lua",
        search: "if known <= tonumber(campaign_version) or is_slice then",
        replacement: "if known <= tonumber(campaign_version) and (not is_slice or known < 0) then",
      },
    ],
  },
  "frozen-until-verified": {
    what: "a wallet whose Redis may have forgotten something serves nothing until it is verified",
    faults: ["older redis"],
    noticedBy: "the wallets in Redis say what Postgres says, and nothing is held or waits",
    patches: [
      {
        file: "/lua/include/totals.lua",
        search: "if not values[1] or values[5] ~= server_replication_id() then return nil end",
        replacement: "if not values[1] then return nil end",
      },
      {
        file: "/lua/freeze_wallet.lua",
        search: "if known[2] == replication_id then",
        replacement:
          "if known[3] == epoch and mode ~= 'always' then return { 'live' } end if known[2] == replication_id then",
      },
    ],
  },
};

/** No safeguard: lets the clock of scripts run ahead by a number of the run. */
export const REDIS_CLOCK = {
  file: "/lua/include/time.lua",
  search: "return time[1] .. string.format('%06d', time[2])",
  replacement: `return string.format('%.0f', tonumber(time[1]) * 1000000 + tonumber(time[2])
    + tonumber(redis.call('GET', 'faults:clock_us') or '0'))`,
};

/** No safeguard: lets a restore wait between reading the rows of an advertiser and writing them, as preload.mjs says. */
export const RESTORE_GATE = {
  file: "/management/dist/core/wallet-recovery/restore.js",
  search: "const ownResult = await wallets.restoreWallet({",
  replacement:
    "await globalThis.faultsBeforeRestore(known.id); const ownResult = await wallets.restoreWallet({",
};

/** Throws when the text is not there exactly once: then the product has changed and the patch has to follow it. */
export function replaceOnce(text, { file, search, replacement }) {
  const parts = text.split(search);
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times: ${search}`);
  return parts.join(replacement);
}
