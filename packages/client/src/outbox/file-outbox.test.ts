import { execFileSync, spawnSync } from "node:child_process";
import fs, { fstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { FileOutbox } from "./file-outbox.ts";

describe("FileOutbox", () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "diegetic-outbox-"));
    path = join(directory, "impressions.jsonl");
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const entry = (matchId: string) => ({
    match_id: matchId,
    campaign_id: "camp_1",
    creative_id: "crt_1",
    game_id: "game",
    recorded_at_ms: 1,
  });

  it("has an entry on the file when add returns", () => {
    const outbox = new FileOutbox({ path });
    outbox.add(entry("mat_1"));
    expect(readFileSync(path, "utf8")).toBe(`${JSON.stringify({ add: entry("mat_1") })}\n`);
    outbox.close();
  });

  it("loads what was added and not removed, in order", async () => {
    const first = new FileOutbox({ path, fsync: true });
    for (const id of ["mat_1", "mat_2", "mat_3"]) first.add(entry(id));
    first.remove("mat_2");
    first.close();
    const second = new FileOutbox({ path });
    expect((await second.load()).map(({ match_id }) => match_id)).toEqual(["mat_1", "mat_3"]);
    second.close();
  });

  const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;
  (hasPrlimit ? it : it.skip)("keeps what is added after a line that a full disk cut off", async () => {
    const limitFileSize = (bytes: number | "unlimited") =>
      execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${bytes}:`]);
    const outbox = new FileOutbox({ path });
    outbox.add(entry("mat_1"));
    limitFileSize(statSync(path).size + 20);
    try {
      expect(() => outbox.add(entry("mat_2"))).toThrow("EFBIG");
      expect(() => outbox.add(entry("mat_3"))).toThrow("EFBIG");
    } finally {
      limitFileSize("unlimited");
    }
    outbox.add(entry("mat_4"));
    outbox.remove("mat_1");
    outbox.close();
    const next = new FileOutbox({ path });
    expect((await next.load()).map(({ match_id }) => match_id)).toEqual(["mat_2", "mat_3", "mat_4"]);
    next.close();
  });

  it("writes everything again after the file could not be replaced", async () => {
    const outbox = new FileOutbox({ path });
    outbox.add(entry("mat_1"));
    for (let index = 0; index < 500; index += 1) {
      outbox.add(entry(`mat_x${index}`));
      outbox.remove(`mat_x${index}`);
    }
    outbox.add(entry("mat_2"));
    rmSync(path);
    mkdirSync(path);
    expect(() => outbox.remove("mat_2")).toThrow();
    expect(() => outbox.add(entry("mat_3"))).toThrow();
    rmSync(path, { recursive: true });
    outbox.add(entry("mat_4"));
    outbox.close();
    const next = new FileOutbox({ path });
    expect((await next.load()).map(({ match_id }) => match_id)).toEqual(["mat_1", "mat_3", "mat_4"]);
    next.close();
  });

  /** A disk whose folders cannot be synced. */
  const withoutFolderSync = (act: () => void) => {
    const { fsyncSync } = fs;
    fs.fsyncSync = (descriptor) => {
      if (fstatSync(descriptor).isDirectory()) throw new Error("EIO: folder");
      fsyncSync(descriptor);
    };
    syncBuiltinESMExports();
    try {
      act();
    } finally {
      fs.fsyncSync = fsyncSync;
      syncBuiltinESMExports();
    }
  };

  it("is whole when its folder could not be synced, and syncs it with the next entry", () => {
    const outbox = new FileOutbox({ path, fsync: true });
    for (let index = 0; index < 500; index += 1) {
      outbox.add(entry(`mat_x${index}`));
      outbox.remove(`mat_x${index}`);
    }
    outbox.add(entry("mat_1"));
    withoutFolderSync(() => {
      expect(() => outbox.remove("mat_1")).toThrow("EIO: folder");
      const { ino } = statSync(path);
      expect(() => outbox.add(entry("mat_2"))).toThrow("EIO: folder");
      expect(statSync(path).ino).toBe(ino);
    });
    outbox.add(entry("mat_3"));
    const lines = ["mat_2", "mat_3"].map((id) => `${JSON.stringify({ add: entry(id) })}\n`);
    expect(readFileSync(path, "utf8")).toBe(lines.join(""));
    outbox.close();
  });

  it("throws the first error, not that of clearing up", () => {
    mkdirSync(`${path}.next`);
    expect(() => new FileOutbox({ path })).toThrow("EISDIR: illegal operation on a directory, open");
    rmSync(`${path}.next`, { recursive: true });
    new FileOutbox({ path }).close();
  });

  it("stays small however many impressions pass through it", async () => {
    const outbox = new FileOutbox({ path });
    outbox.add(entry("mat_kept"));
    for (let index = 0; index < 3_000; index += 1) {
      outbox.add(entry(`mat_${index}`));
      outbox.remove(`mat_${index}`);
    }
    expect(statSync(path).size).toBeLessThan(200_000);
    outbox.add(entry("mat_last"));
    outbox.close();
    const next = new FileOutbox({ path });
    expect((await next.load()).map(({ match_id }) => match_id)).toEqual(["mat_kept", "mat_last"]);
    next.close();
  });

  it("writes nothing after it was closed", () => {
    const outbox = new FileOutbox({ path });
    outbox.close();
    expect(() => outbox.add(entry("mat_1"))).toThrow("is closed");
    expect(readFileSync(path, "utf8")).toBe("");
  });

  it("says why it cannot be opened", () => {
    expect(() => new FileOutbox({ path: join(directory, "missing", "file") })).toThrow("ENOENT");
  });
});
