import { apiKeyOperations, openApiDocument } from "@diegetic/contracts";
import { type SeenAnswer, undocumented } from "@diegetic/testing/documented";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BASE_PATH, type ComposedApi, startComposedApi } from "./composed-api.fixture.ts";

interface Media {
  content?: { "application/json": { example: unknown } };
}
interface Operation extends Media {
  operationId: string;
  requestBody?: Media;
  parameters?: { $ref?: string; in?: string; name: string; example: unknown }[];
  responses: Record<string, Media>;
}

const document = JSON.parse(JSON.stringify(openApiDocument({ basePath: BASE_PATH })));

/** What has to have happened before the rest: the life of an ad, as the description of the API tells it. */
const FIRST = [
  "registerAdvertiser",
  "depositFunds",
  "createCampaign",
  "createCreative",
  "activateCampaign",
  "enablePlacement",
  "matchAd",
  "recordImpression",
];
/** What ends things that others need. */
const isLast = ({ operationId }: Operation) => /^(pause|delete|disable|revoke|replace)/.test(operationId);

const withKeys = new Set(apiKeyOperations().map(({ operationId }) => operationId));

/** Those that an API key can call. */
const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { operationId }]) => withKeys.has(operationId))
    .map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
);
type Step = (typeof operations)[number];

/** Every operation once, in an order that works. */
function story(): Step[] {
  const rank = (operation: Step) => {
    const first = FIRST.indexOf(operation.operationId);
    if (first >= 0) return first;
    if (!isLast(operation)) return FIRST.length;
    return FIRST.length + (operation.operationId.startsWith("replace") ? 2 : 1);
  };
  return operations.sort((left, right) => rank(left) - rank(right));
}

describe("walking the API document", () => {
  let api: ComposedApi;
  let key: string;
  /** Identifier of the examples → the one that was issued instead. */
  const issued = new Map<string, string>();
  beforeAll(async () => {
    api = await startComposedApi();
    key = await api.newKey();
  });
  afterAll(() => api.stop());

  it.each(story())("$operationId gets the documented answer to its own example", async (step) => {
    const answer = await callByExample(step);
    const [status = ""] = Object.keys(step.responses);
    expect({ status: String(answer.status), text: answer.text }).toMatchObject({ status });
    expect(undocumented(answer)).toBeUndefined();
    const documentedExample = step.responses[status]?.content?.["application/json"].example;
    if (documentedExample === undefined) return;
    const body = JSON.parse(answer.text);
    learn(documentedExample, body);
    if (step.method !== "POST" || status !== "201") return;
    expect(withoutIssued(body)).toMatchObject(echoed(step, documentedExample));
  });

  it("has walked every operation, and learnt what it issued", () => {
    expect(
      story()
        .map(({ operationId }) => operationId)
        .slice(0, FIRST.length),
    ).toEqual(FIRST);
    expect([...issued.keys()].map((id) => id.split("_")[0])).toEqual(
      expect.arrayContaining(["adv", "camp", "crt", "mat", "imp", "geo", "blk", "aff"]),
    );
  });

  it("asks for a key at every operation", async () => {
    for (const { method, path } of operations) {
      const answer = await api.send({ method, path: `${BASE_PATH}${path}`, headers: {} });
      expect([method, path, answer.status, undocumented(answer)]).toEqual([method, path, 401, undefined]);
    }
  });

  function callByExample(step: Step): Promise<SeenAnswer> {
    const parameters = (step.parameters ?? []).map(resolve);
    const path = parameters.reduce((text, { in: place, name, example }) => {
      return place === "path" ? text.replace(`{${name}}`, encodeURIComponent(String(example))) : text;
    }, step.path);
    const query = new URLSearchParams(
      parameters
        .filter((parameter) => parameter.in === "query" && parameter.example !== undefined)
        .map(({ name, example }): [string, string] => [name, String(example)]),
    );
    const body = step.requestBody?.content?.["application/json"].example;
    return api.send({
      method: step.method,
      path: withIssued(`${BASE_PATH}${path}${query.size > 0 ? `?${query}` : ""}`),
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: withIssued(JSON.stringify(body)) }),
    });
  }

  /** What the client chose and the example of the answer shows again. */
  function echoed(step: Step, documentedExample: unknown): object {
    const sent = step.requestBody?.content?.["application/json"].example ?? {};
    const echoed = Object.entries(sent).filter(([name]) => Object.hasOwn(documentedExample as object, name));
    return Object.fromEntries(echoed);
  }

  function withIssued(text: string): string {
    return text.replace(/[a-z]+_01[0-9a-z]{24}/g, (id) => issued.get(id) ?? id);
  }

  function withoutIssued(body: unknown): unknown {
    const back = new Map([...issued].map(([example, id]) => [id, example]));
    return JSON.parse(JSON.stringify(body).replace(/[a-z]+_01[0-9a-z]{24}/g, (id) => back.get(id) ?? id));
  }

  /** Where the example has an identifier, the answer has the one that was issued. */
  function learn(example: unknown, actual: unknown): void {
    if (typeof example === "string" && /^[a-z]+_01[0-9a-z]{24}$/.test(example)) {
      if (typeof actual === "string" && !issued.has(example)) issued.set(example, actual);
      return;
    }
    if (typeof example !== "object" || example === null || typeof actual !== "object" || actual === null)
      return;
    for (const [name, inner] of Object.entries(example))
      learn(inner, (actual as Record<string, unknown>)[name]);
  }

  function resolve(parameter: NonNullable<Operation["parameters"]>[number]) {
    if (parameter.$ref === undefined) return parameter;
    return document.components.parameters[parameter.$ref.split("/").at(-1) ?? ""];
  }
});
