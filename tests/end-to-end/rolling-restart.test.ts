import { findNginx } from "@diegetic/testing/operators-programs";
import { rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, it } from "@jest/globals";
import { ROOT } from "../deploy/compose-file.ts";
import { Installation } from "./rolling.fixture.ts";

const TIMEOUT_MS = 600_000;
/** Leaves processor time for the start of instances; some requests are on their way at each moment. */
const PAUSE_MS = rounds(150, 0);

const nginx = await findNginx().catch((error: Error) => error);
if (nginx instanceof Error) {
  it.skip(`a rolling restart is not tried here: ${nginx.message}`, () => undefined);
} else {
  describe("a rolling restart of every process under traffic, behind the proxy of docker/nginx.conf", () => {
    const installation = new Installation();

    beforeAll(() => installation.start(nginx, ROOT), TIMEOUT_MS);
    afterAll(() => installation.close(), TIMEOUT_MS);

    it(
      "loses no request and no impression",
      async () => {
        const traffic = installation.startTraffic(PAUSE_MS);
        await installation.replaceEach(ROOT, traffic);
        await installation.expectNothingLost(traffic);
      },
      TIMEOUT_MS,
    );
  });
}
