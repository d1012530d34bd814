import { describe, expect, it } from "@jest/globals";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import formatsPlugin from "ajv-formats";
import { apiKeyOperations } from "../api/index.ts";
import { exampleIds } from "../definition/example-ids.ts";
import { ownFormats } from "../validation/formats.ts";
import { openApiDocument } from "./document.ts";

const document = JSON.parse(JSON.stringify(openApiDocument({ basePath: "/api" })));

const RATE_LIMIT_HEADERS = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/** Redocly's strict rules and more; what is off says why. */
const LINT_RULES = {
  "operation-description": "error",
  "operation-singular-tag": "error",
  "parameter-description": "error",
  "paths-kebab-case": "error",
  "no-enum-type-mismatch": "error",
  "no-schema-type-mismatch": "error",
  "request-mime-type": { severity: "error", allowedValues: ["application/json"] },
  "response-mime-type": { severity: "error", allowedValues: ["application/json", "text/csv"] },
  "response-contains-header": {
    severity: "error",
    names: { "2xx": RATE_LIMIT_HEADERS, "4xx": RATE_LIMIT_HEADERS, "5xx": RATE_LIMIT_HEADERS },
  },
  // The linter closes the branches of a condition, too; stray fields are found by a test of their own.
  "no-invalid-media-type-examples": { severity: "error", allowAdditionalProperties: true },
  // A method that a path does not have belongs to no operation, and is described all the same.
  "no-unused-components": "off",
  // The service is not licensed to the public.
  "info-license": "off",
  "info-license-strict": "off",
  // The interface has /affinities/bulk beside /affinities/{affinity_id}.
  "no-ambiguous-paths": "off",
} as const;

const campaign = { name: "n", budget_cents: 1, cpm_bid_cents: 100 };

interface Node {
  [keyword: string]: unknown;
}

/** Every object in the document with its JSON pointer. */
function* nodesOf(value: unknown, path = "#"): Generator<[string, Node]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Node];
  for (const [name, inner] of Object.entries(value)) {
    yield* nodesOf(inner, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  }
}

function ajvOfDocument(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formatsPlugin.default(ajv);
  for (const [name, { validate }] of Object.entries(ownFormats)) ajv.addFormat(name, { validate });
  ajv.addSchema(document, "api");
  return ajv;
}

describe("the OpenAPI document", () => {
  it("passes a strict linter", async () => {
    const config = await createConfig({ extends: ["recommended-strict"], rules: LINT_RULES });
    const linted = await lintFromString({ source: JSON.stringify(document), config });
    const problems = linted.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
    // What the receiver of a webhook answers has no rate limit.
    const isOfReceiver = ([rule, , pointer]: (string | undefined)[]) =>
      rule === "response-contains-header" && pointer?.startsWith("#/webhooks/");
    expect(problems.filter((problem) => !isOfReceiver(problem))).toEqual([]);
  });

  it("describes every field, parameter, header and answer", () => {
    const undescribed = [...nodesOf(document)].filter(([path, node]) => {
      const isField = /\/properties\/[^/]+$/.test(path) && !path.includes("/example");
      const isOther = /^#\/components\/(schemas|parameters|headers|responses)\/[^/]+$/.test(path);
      if (!isField && !isOther) return false;
      return node.$ref === undefined && !/\S{3}.*[.…]$/s.test(String(node.description ?? ""));
    });
    expect(undescribed.map(([path]) => path)).toEqual([]);
  });

  it("names the unit of every amount and of every limit in time", () => {
    const unclear = [...nodesOf(document.components.schemas)].filter(([path, node]) => {
      const field = /\/properties\/(\w+)$/.exec(path)?.[1] ?? "";
      const unit = /_cents$/.test(field)
        ? /cents/
        : /_pct$/.test(field)
          ? /percent/
          : /_km$/.test(field)
            ? /kilomet/
            : /./;
      return typeof node.description === "string" && !unit.test(node.description);
    });
    expect(unclear.map(([path]) => path)).toEqual([]);
  });

  it("has closed answers, and requests in which unknown fields are allowed", () => {
    const sent = new Set<string>();
    const collect = (value: unknown) => {
      for (const [, { $ref: reference }] of nodesOf(value)) {
        const name = /^#\/components\/schemas\/(.+)$/.exec(String(reference))?.[1];
        if (name === undefined || sent.has(name)) continue;
        sent.add(name);
        collect(document.components.schemas[name]);
      }
    };
    for (const operations of Object.values<Record<string, Node>>(document.paths)) {
      for (const { requestBody } of Object.values(operations)) collect(requestBody);
    }
    expect(sent.size).toBeGreaterThan(15);
    const wrong = [...nodesOf(document)].filter(([path, node]) => {
      if (node.type !== "object" || node.properties === undefined) return false;
      const isSent = sent.has(/^#\/components\/schemas\/([^/]+)/.exec(path)?.[1] ?? "");
      return node.additionalProperties !== (isSent ? undefined : false);
    });
    expect(wrong.map(([path]) => path)).toEqual([]);
  });

  it("names the objects that are used more than once", () => {
    const objects = [...nodesOf(document)].filter(([, node]) => node.type === "object");
    const inlined = objects.filter(([path]) => path.startsWith("#/paths/"));
    expect(inlined.map(([path]) => path)).toEqual([]);
    const texts = objects.map(([, node]) => JSON.stringify(node));
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  it("has examples that are valid, for every body, answer, parameter and header", () => {
    const ajv = ajvOfDocument();
    const wrong: unknown[] = [];
    let checked = 0;
    for (const [path, node] of nodesOf(document)) {
      if (node.schema === undefined || /\/examples?\//.test(path)) continue;
      const check = ajv.compile({ $ref: `api${path}/schema` });
      const examples = node.examples as Record<string, { value: unknown }> | undefined;
      const values =
        examples === undefined ? [node.example] : Object.values(examples).map(({ value }) => value);
      for (const value of values) {
        checked += 1;
        // Optional parameters have none: see the next test.
        if (value === undefined && node.in !== undefined && node.required !== true) continue;
        if (!check(value)) wrong.push([path, value, check.errors]);
      }
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(300);
  });

  it("has no example that a reference page fills in and sends: no optional parameter, no date in a body", () => {
    const parameters = [...nodesOf(document)].filter(([, node]) => node.in !== undefined);
    const optional = parameters.filter(([, node]) => node.schema !== undefined && node.required !== true);
    expect(optional.length).toBeGreaterThanOrEqual(6);
    for (const [path, { example, examples }] of optional) {
      expect({ path, example, examples }).toEqual({ path, example: undefined, examples: undefined });
    }
    const bodies = [...nodesOf(document.paths)].filter(([path]) => path.endsWith("/requestBody"));
    expect(bodies.length).toBeGreaterThan(10);
    const dated = bodies.filter(([, body]) => /"\d{4}-\d\d-\d\d/.test(JSON.stringify(body)));
    expect(dated.map(([path]) => path)).toEqual([]);
  });

  it("has examples of bodies with known fields alone", () => {
    const known = (name: string, value: object): string[] => {
      const { properties } = document.components.schemas[name];
      return Object.entries(value).flatMap(([field, inner]) => {
        const reference = properties[field]?.$ref ?? properties[field]?.items?.$ref;
        if (properties[field] === undefined) return [`${name}.${field}`];
        const values = reference === undefined ? [] : [inner].flat();
        return values.flatMap((one) => known(reference.split("/").at(-1), one));
      });
    };
    const bodies = apiKeyOperations().flatMap(({ method, path, request }) => {
      if (request === undefined) return [];
      const { requestBody } = document.paths[path][method.toLowerCase()];
      const reference = requestBody.content["application/json"].schema.$ref;
      return known(reference.split("/").at(-1), request.example as object);
    });
    expect(bodies).toEqual([]);
  });

  it.each([
    ["NewGeoTarget", { target_type: "country" }, { target_type: "country", country_code: "DE" }],
    [
      "NewGeoTarget",
      { target_type: "radius", lat: 1, lng: 1 },
      { target_type: "radius", lat: 1, lng: 1, radius_km: 1 },
    ],
    [
      "NewGeoTarget",
      { target_type: "country", country_code: "DE", lat: 1 },
      { target_type: "country", country_code: "DE", lat: 1, lng: 1 },
    ],
    [
      "NewGeoTarget",
      { target_type: "country", country_code: null },
      { target_type: "country", country_code: "de" },
    ],
    [
      "NewCreative",
      { creative_type: "narrative_hook", brand_name: "E", narrative_hook: null },
      { creative_type: "product_mention", brand_name: "E", narrative_hook: null },
    ],
    ["PlayerGeo", { lat: 1, lng: null }, { lat: null, lng: null }],
    ["NewCampaign", { ...campaign, start_date: "1.12.2026" }, { ...campaign, start_date: "2026-12-01" }],
  ])("says by machine what %s needs: not %j, but %j", (name, refused, taken) => {
    const check = ajvOfDocument().compile({ $ref: `api#/components/schemas/${name}` });
    expect([check(refused), check(taken)]).toEqual([false, true]);
  });

  it("lists for every operation what every operation can answer", () => {
    for (const methods of Object.values<Record<string, Node>>(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const statuses = Object.keys(operation.responses as object);
        expect(statuses).toEqual(expect.arrayContaining(["429", "500", "503"]));
        // Without a caller there is nothing to authenticate, and nobody is kept from reading.
        const isPublic = (operation.security as unknown[]).length === 0;
        if (!isPublic) expect(statuses).toContain("401");
        expect(statuses.includes("403")).toBe(!(isPublic && method === "get"));
        if (operation.requestBody === undefined) continue;
        expect(statuses).toEqual(expect.arrayContaining(["400", "413", "415", "422"]));
      }
    }
  });

  it("describes what a webhook receives", () => {
    const { requestBody, parameters } = document.webhooks.event.post;
    expect(requestBody.content["application/json"].schema.$ref).toBe("#/components/schemas/WebhookEvent");
    expect(parameters.map(({ name }: Node) => name)).toEqual(["Diegetic-Signature"]);
  });

  it("marks what goes beyond the base interface", () => {
    const { MatchResult } = document.components.schemas;
    expect(MatchResult.properties.match_id).toMatchObject({
      "x-addition": true,
      description: expect.stringMatching(/^Addition\. /),
    });
  });

  it("tells how to retry", () => {
    expect(document.info.description).toContain("after 500 retry with growing pauses");
    const { InternalError, TooManyRequests, Unavailable } = document.components.responses;
    expect(InternalError.description).toContain("Retry with growing pauses");
    for (const { headers } of [TooManyRequests, Unavailable]) {
      expect(headers["Retry-After"]).toEqual({ $ref: "#/components/headers/Retry-After" });
    }
    const creating = apiKeyOperations().filter(({ success: [first] }) => first?.status === 201);
    const repeated = creating.filter(({ idempotent }) => !idempotent).map(({ operationId }) => operationId);
    expect([creating.length > 8, repeated]).toEqual([true, []]);
  });

  it("has one server: the base path", () => {
    expect(document.servers.map(({ url }: { url: string }) => url)).toEqual(["/api"]);
    expect(openApiDocument({ basePath: "" }).servers[0]?.url).toBe("/");
  });
});

describe("the registry of operations", () => {
  const operations = apiKeyOperations();

  it("has every method of a path once, and every operation a name of its own", () => {
    const places = operations.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(places).size).toBe(operations.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    expect(operations.length).toBeGreaterThanOrEqual(31);
  });

  it("names each refusal of a status once", () => {
    for (const { operationId, refusals } of operations) {
      const names = refusals.map(({ status, name }) => `${status} ${name}`);
      expect([operationId, names]).toEqual([operationId, [...new Set(names)]]);
    }
  });

  it("has identifiers in its examples that could be issued", () => {
    const { game: _game, moment: _moment, ...ids } = exampleIds;
    for (const id of Object.values(ids)) expect(id).toMatch(/^[a-z]+_01[0-9a-hjkmnp-tv-z]{24}$/);
  });
});
