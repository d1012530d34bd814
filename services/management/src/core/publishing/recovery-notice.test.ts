import { connectRedis, masterReplicationIds } from "@diegetic/hot-state";
import { describe, expect, it } from "@jest/globals";
import { compareServers, isSomeUnavailable } from "./recovery-notice.ts";

describe("the servers of Redis", () => {
  it.each([
    ["are the same, with their snapshot", ["a", "b"], false, undefined, ["a", "b"]],
    ["have lost the snapshot while they ran", ["a", "b"], true, "lost", ["a", "b"]],
    ["were restarted, also when the snapshot has to be published", ["a", "c"], true, "restarted", ["a", "c"]],
    ["were restarted where the snapshot does not live", ["a", "c"], false, "restarted", ["a", "c"]],
    ["have become more", ["a", "b", "c"], false, "restarted", ["a", "b", "c"]],
    ["have become fewer", ["a"], false, undefined, ["a", "b"]],
    ["do not all answer", ["a", "unavailable"], false, undefined, ["a", "b"]],
    ["do not answer at all", ["unavailable"], true, undefined, ["a", "b"]],
    ["were restarted, and do not all answer", ["unavailable", "c"], false, "restarted", ["a", "b", "c"]],
  ] as const)("%s", (_words, replicationIds, needsRebuild, notice, verified) => {
    expect(compareServers(["a", "b"], { replicationIds, needsRebuild })).toEqual({ notice, verified });
  });

  it("have not been restarted when they answer again as they were after a stall", () => {
    const stalled = compareServers(["a"], { replicationIds: ["unavailable"], needsRebuild: false });
    const again = { replicationIds: ["a"], needsRebuild: false };
    expect(compareServers(stalled.verified, again)).toEqual({ notice: undefined, verified: ["a"] });
  });

  it("have been restarted when they come back as others", () => {
    const stalled = compareServers(["a"], { replicationIds: ["unavailable"], needsRebuild: false });
    const other = { replicationIds: ["c"], needsRebuild: true };
    expect(compareServers(stalled.verified, other)).toEqual({ notice: "restarted", verified: ["c"] });
  });

  it("are recognised as unavailable when nothing listens at their address", async () => {
    const redis = connectRedis("redis://127.0.0.1:1", { name: "unreachable" });
    redis.on("error", () => undefined);
    expect(isSomeUnavailable(await masterReplicationIds(redis))).toBe(true);
    redis.disconnect();
  });
});
