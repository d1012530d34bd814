import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "@jest/globals";

const root = fileURLToPath(new URL("..", import.meta.url));

it("npm run test:long finds the test files with a long form", async () => {
  const { failure, stdout } = await new Promise<{ failure: Error | null; stdout: string }>((resolve) => {
    execFile("npm", ["run", "--silent", "test:long", "--", "--listTests"], { cwd: root }, (failure, stdout) =>
      resolve({ failure, stdout }),
    );
  });
  expect(failure).toBeNull();
  const files = stdout.trim().split("\n");
  expect(files).toContain(`${root}tests/browser/every-page.test.ts`);
  expect(files).toContain(`${root}packages/ad-rules/src/matching-index/agreement.test.ts`);
  expect(files).not.toContain(fileURLToPath(import.meta.url));
});
