import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { DiegeticClient } from "@diegetic/client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type ComposedApi, startComposedApi } from "../contract/composed-api.fixture.ts";
import { CLIENTS, PYTHON_MISSING, python } from "./languages.ts";

/** More than a page. */
const GAME_IDS = Array.from({ length: 620 }, (_, index) => `game-${String(index).padStart(3, "0")}`);
const PLACEMENT = { creatorId: "studio", placementTypes: ["narrative_hook" as const] };

const PYTHON_PROGRAM = `
import json, os
from diegetic import DiegeticClient
with DiegeticClient(base_url=os.environ["BASE_URL"], api_key=os.environ["API_KEY"]) as client:
    print(json.dumps([[one["game_id"] for one in page] for page in client.pages.list_placements(limit=500)]))
`;

describe("a list that is longer than a page", () => {
  let api: ComposedApi;
  let key: string;
  beforeAll(async () => {
    api = await startComposedApi();
    const account = await api.newAccount();
    key = account.key;
    const { accountId } = account;
    await api.database.placement.createMany({
      data: GAME_IDS.map((gameId) => ({ ...PLACEMENT, gameId, accountId })),
    });
  });
  afterAll(() => api.stop());

  it("is read to its end by the TypeScript client", async () => {
    const client = new DiegeticClient({ baseUrl: api.origin("/placements"), apiKey: key });
    const pages: string[][] = [];
    for await (const page of client.pages.listPlacements({ limit: 500 }))
      pages.push(page.map(({ game_id }) => game_id));
    expect(pages).toEqual([GAME_IDS.slice(0, 500), GAME_IDS.slice(500)]);
    expect(await client.api.listPlacements()).toHaveLength(GAME_IDS.length);
    expect(await client.api.listPlacements({ limit: 7 })).toHaveLength(7);
    await client.close();
  });

  if (python === undefined) {
    it.skip(`is not read by the Python client here: ${PYTHON_MISSING}`, () => undefined);
    return;
  }
  const program = python;
  it("is read to its end by the Python client", async () => {
    const env = { PYTHONPATH: `${CLIENTS}python/src`, BASE_URL: api.origin("/placements"), API_KEY: key };
    const options = { env: { ...process.env, ...env } };
    const { stdout } = await promisify(execFile)(program, ["-B", "-c", PYTHON_PROGRAM], options);
    expect(JSON.parse(stdout)).toEqual([GAME_IDS.slice(0, 500), GAME_IDS.slice(500)]);
  });
});
