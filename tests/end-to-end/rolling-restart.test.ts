import { findNginx } from "@diegetic/testing/operators-programs";
import { describeInLongForm } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, it } from "@jest/globals";
import { ROOT } from "../deploy/compose-file.ts";
import { Installation } from "./rolling.fixture.ts";

const TIMEOUT_MS = 600_000;

const nginx = await findNginx().catch((error: Error) => error);
if (nginx instanceof Error) {
  it.skip(`a rolling restart is not tried here: ${nginx.message}`, () => undefined);
} else {
  // The short form restarts services under load without the proxy (drain-and-overload.group.ts).
  describeInLongForm(
    "a rolling restart of every process under traffic, behind the proxy of docker/nginx.conf",
    () => {
      const installation = new Installation();

      beforeAll(() => installation.start(nginx, ROOT), TIMEOUT_MS);
      afterAll(() => installation.close(), TIMEOUT_MS);

      it(
        "loses no request and no impression",
        async () => {
          const traffic = installation.startTraffic();
          await installation.replaceEach(ROOT, traffic);
          await installation.expectNothingLost(traffic);
        },
        TIMEOUT_MS,
      );
    },
  );
}
