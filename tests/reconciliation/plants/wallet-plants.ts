import { createGameSessions } from "@diegetic/hot-state";
import { type Ground, type Plant, walletKey } from "./plant.ts";

/** Damage to wallets and player sessions in Redis. */
export function walletPlants(ground: () => Ground): Plant[] {
  const key = (name: string) => walletKey(ground().advertiser, name);
  const sliceAccount = () => walletKey({ advertiserId: `${ground().advertiser.advertiserId}.1` }, "account");
  const sliceKey = () => sliceAccount().replace("account", `campaign:${ground().campaign.campaignId}`);
  const campaignKey = () => key(`campaign:${ground().campaign.campaignId}`);
  return [
    [
      "a wallet of nobody",
      () => ground().world.redis.hset("{adv_nobody}:account", "version", 1),
      () => ground().world.redis.del("{adv_nobody}:account"),
      ["wallet_known"],
    ],
    [
      "an outbox's field that is no record",
      () => ground().world.redis.hset(key("outbox"), "imp_bad", "{"),
      () => ground().world.redis.hdel(key("outbox"), "imp_bad"),
      ["wallet_present"],
    ],
    [
      "what the account holds",
      () => ground().world.redis.hincrby(key("account"), "held", 1),
      () => ground().world.redis.hincrby(key("account"), "held", -1),
      ["wallet_held"],
    ],
    [
      "what a campaign holds",
      () => ground().world.redis.hincrby(campaignKey(), "held", -1),
      () => ground().world.redis.hincrby(campaignKey(), "held", 1),
      ["wallet_held"],
    ],
    [
      "what a developer holds of a campaign",
      () => ground().world.redis.hset(key(`shares:${ground().campaign.campaignId}`), "acct_nobody", "1|1"),
      () => ground().world.redis.hdel(key(`shares:${ground().campaign.campaignId}`), "acct_nobody"),
      ["wallet_shares"],
    ],
    [
      "what the account has spent",
      () => ground().world.redis.hincrby(key("account"), "spent", -1),
      () => ground().world.redis.hincrby(key("account"), "spent", 1),
      ["wallet_spent"],
    ],
    [
      "the account's impressions",
      () => ground().world.redis.hincrby(key("account"), "impressions", 1),
      () => ground().world.redis.hincrby(key("account"), "impressions", -1),
      ["wallet_impressions"],
    ],
    [
      "the account's deposits",
      () => ground().world.redis.hincrby(key("account"), "deposited", 1_000),
      () => ground().world.redis.hincrby(key("account"), "deposited", -1_000),
      ["wallet_deposited"],
    ],
    [
      "more in a slice than it was granted",
      () => ground().world.redis.hincrby(sliceKey(), "budget", 1_000_000),
      () => ground().world.redis.hincrby(sliceKey(), "budget", -1_000_000),
      ["wallet_grants"],
    ],
    [
      "a slice that is gone",
      () => ground().world.redis.rename(sliceAccount(), `${sliceAccount()}:gone`),
      () => ground().world.redis.rename(`${sliceAccount()}:gone`, sliceAccount()),
      ["wallet_present"],
    ],
    [
      "a slice of another epoch",
      () => ground().world.redis.hincrby(sliceAccount(), "epoch", -1),
      () => ground().world.redis.hincrby(sliceAccount(), "epoch", 1),
      ["recovery_epoch"],
    ],
    [
      "more spent and held than deposited",
      () => ground().world.redis.hincrby(key("account"), "deposited", -5_245_000),
      () => ground().world.redis.hincrby(key("account"), "deposited", 5_245_000),
      ["wallet_balance", "wallet_deposited"],
    ],
    [
      "a campaign's budget",
      () => ground().world.redis.hset(campaignKey(), "budget", 20_000_000),
      () => ground().world.redis.hset(campaignKey(), "budget", 10_000_000),
      ["wallet_settings"],
    ],
    [
      "a campaign that stays on an older version",
      () =>
        ground().world.redis.hset(campaignKey(), {
          version: 1,
          status: "draft",
          budget: 20_000_000,
          daily_cap: 2_000_000,
        }),
      async () => {
        const { campaignId } = ground().campaign;
        const [row] = await ground().sql.run("SELECT version FROM campaigns WHERE id = $1", [campaignId]);
        await ground().world.redis.hset(campaignKey(), {
          version: Number(row?.version),
          status: "active",
          budget: 10_000_000,
          daily_cap: 1_000_000,
        });
      },
      ["wallet_settings", "wallet_version"],
    ],
    [
      "an account that stays on an older version",
      () => ground().world.redis.hincrby(key("account"), "version", -1),
      () => ground().world.redis.hincrby(key("account"), "version", 1),
      ["wallet_version"],
    ],
    [
      "more spent and held than the budget",
      () => ground().world.redis.hset(campaignKey(), "budget", 1_000),
      () => ground().world.redis.hset(campaignKey(), "budget", 10_000_000),
      ["wallet_budget", "wallet_settings"],
    ],
    [
      "more spent and held than the cap",
      () => ground().world.redis.hset(campaignKey(), "daily_cap", 1_000),
      () => ground().world.redis.hset(campaignKey(), "daily_cap", 1_000_000),
      ["wallet_daily_cap", "wallet_settings"],
    ],
    [
      "what a campaign has spent today",
      () => ground().world.redis.hincrby(campaignKey(), "day_spent", -1),
      () => ground().world.redis.hincrby(campaignKey(), "day_spent", 1),
      ["wallet_day"],
    ],
    [
      "a campaign's status",
      () => ground().world.redis.hset(campaignKey(), "status", "paused"),
      () => ground().world.redis.hset(campaignKey(), "status", "active"),
      ["wallet_settings"],
    ],
    [
      "a value that is no number",
      () => ground().world.redis.hset(campaignKey(), "impressions", "many"),
      () => ground().world.redis.hset(campaignKey(), "impressions", 8),
      ["wallet_present"],
    ],
    [
      "a wallet that is gone",
      () => ground().world.redis.rename(key("account"), key("gone")),
      () => ground().world.redis.rename(key("gone"), key("account")),
      ["wallet_present"],
    ],
    [
      "a wallet that nobody has verified",
      async () => {
        await ground().world.redis.copy(key("account"), key("kept"));
        await ground().world.redis.hset(key("account"), "lineage", "another");
      },
      () => ground().world.redis.rename(key("kept"), key("account")),
      ["recovery_epoch"],
    ],
    [
      "a wallet of another epoch",
      () => ground().world.redis.hincrby(key("account"), "epoch", 1),
      () => ground().world.redis.hincrby(key("account"), "epoch", -1),
      ["recovery_epoch"],
    ],
    [
      "a hold that nobody releases",
      () =>
        ground().world.redis.zadd(
          key("holds"),
          Date.now() - 90_000,
          `mat_x|${ground().campaign.campaignId}|game|session|acct_nobody|1`,
        ),
      () =>
        ground().world.redis.zrem(
          key("holds"),
          `mat_x|${ground().campaign.campaignId}|game|session|acct_nobody|1`,
        ),
      ["lapsed_holds", "wallet_held", "wallet_shares"],
    ],
    [
      "a session seat that is never returned",
      () => ground().world.redis.hset(key("giveback"), "mat_x", "game|session"),
      () => ground().world.redis.hdel(key("giveback"), "mat_x"),
      ["session_releases"],
    ],
    [
      "a session that saw more ads than its placement allows",
      async () => {
        const soon = { gameId: "capped", sessionKey: "session", idleMs: 600_000, maxAds: 50 };
        const sessions = createGameSessions(ground().world.redis);
        const seat = { ...soon, advertiserId: "adv_1" };
        for (const matchId of ["mat_1", "mat_2", "mat_3"]) await sessions.admit({ ...seat, matchId });
      },
      () => ground().world.redis.del("{game:capped}:session:session"),
      ["session_seats"],
    ],
    [
      "a creative that a session saw more often than it allows",
      () =>
        ground().world.redis.hset(key("cap:capped:session"), {
          since: Date.now() * 1_000,
          [ground().other.creativeId]: 4,
        }),
      () => ground().world.redis.del(key("cap:capped:session")),
      ["session_creatives"],
    ],
  ];
}
