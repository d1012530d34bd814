import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findNginx } from "@diegetic/testing/operators-programs";
import { describeInLongForm } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { ROOT } from "../deploy/compose-file.ts";
import { buildVersion, findEarlierVersion } from "./earlier-version.fixture.ts";
import { Installation } from "./rolling.fixture.ts";

const TIMEOUT_MS = 1_200_000;
const HELD_MATCHES = 20;

const nginx = await findNginx().catch((error: Error) => error);
const earlier = findEarlierVersion();
if (nginx instanceof Error) {
  it.skip(`a rolling upgrade is not tried here: ${nginx.message}`, () => undefined);
} else if ("missing" in earlier) {
  it.skip(`a rolling upgrade is not tried here: no earlier version to build, ${earlier.missing}`, () =>
    undefined);
} else {
  // It builds a whole version first.
  describeInLongForm("a rolling upgrade from the version before the last migration", () => {
    let dir = "";
    const installation = new Installation();

    beforeAll(async () => {
      dir = mkdtempSync(join(tmpdir(), "diegetic-earlier-"));
      const root = await buildVersion(earlier.commit, dir);
      await installation.start(nginx, root);
    }, TIMEOUT_MS);
    afterAll(async () => {
      await installation.close();
      rmSync(dir, { recursive: true, force: true });
    }, TIMEOUT_MS);

    it(
      "loses no match, no impression and no change, neither during the migration nor while instances are replaced",
      async () => {
        const traffic = installation.startTraffic();
        for (let held = 0; held < HELD_MATCHES; held += 1) await traffic.holdMatch();
        await traffic.goOn();
        traffic.begin("migration, and the earlier version on the new schema");
        expect(await installation.migrate(ROOT)).toContain("Applied migration");
        await traffic.goOn();
        expect(traffic.refusals).toEqual([]);
        await installation.replaceEach(ROOT, traffic);
        await installation.expectNothingLost(traffic);
      },
      TIMEOUT_MS,
    );
  });
}
