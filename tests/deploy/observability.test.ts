import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { createBillingService } from "@diegetic/billing/service";
import { readBillingSettings } from "@diegetic/billing/settings";
import { createManagement } from "@diegetic/management/management";
import { readManagementSettings } from "@diegetic/management/settings";
import { createMatchService } from "@diegetic/match/service";
import { readMatchSettings } from "@diegetic/match/settings";
import { createLogger, createMetrics, startOperationsServer } from "@diegetic/service-kit";
import { createTestDatabase } from "@diegetic/testing/database";
import { findPromtool } from "@diegetic/testing/operators-programs";
import { startTestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";
import { ROOT } from "./compose-file.ts";

const run = promisify(execFile);
const FOLDER = `${ROOT}deploy/observability/`;

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}
interface Panel {
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}
interface Dashboard {
  uid: string;
  title: string;
  panels: Panel[];
}

const rules: Rule[] = parse(readFileSync(`${FOLDER}rules.yml`, "utf8")).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);
const dashboards = readdirSync(`${FOLDER}dashboards`).map(
  (name): Dashboard => JSON.parse(readFileSync(`${FOLDER}dashboards/${name}`, "utf8")),
);
const expressions = [
  ...rules.map(({ alert, expr }) => ({ place: alert, expr })),
  ...dashboards.flatMap(({ uid, panels }) =>
    panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({
        place: `${uid}: ${title}`,
        expr: expr.replaceAll("$__rate_interval", "5m"),
      })),
    ),
  ),
];

/** Names of the metrics in an expression. Throws when it is no PromQL. */
function metricNames(expr: string): string[] {
  const names: string[] = [];
  parser.parse(expr).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`no PromQL at character ${node.from}: ${expr}`);
      if (node.name === "VectorSelector") {
        const identifier = node.node.getChild("Identifier");
        if (identifier === null) throw new Error(`a selector without a name: ${expr}`);
        names.push(expr.slice(identifier.from, identifier.to));
      }
    },
  });
  return names;
}

/** What the services expose: each metric by its name, with its type. */
const exposed = new Map<string, string>();
let exposition = "";
let stop: () => Promise<void>;

beforeAll(async () => {
  const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  const environment = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    PLAYER_HASH_KEY: "k".repeat(32),
    AUTH_SECRET: "a".repeat(32),
  };
  const parts = (service: string) => ({
    logger: createLogger({ service, instance: "test", level: "silent" }),
    metrics: createMetrics({ service, processMetrics: true }),
  });
  const ofMatch = parts("match");
  const ofManagement = parts("management");
  const ofBilling = parts("billing");
  const management = createManagement({ settings: readManagementSettings(environment), ...ofManagement });
  const match = createMatchService({ ...readMatchSettings(environment), ...ofMatch });
  const billing = createBillingService({ ...readBillingSettings(environment), ...ofBilling });
  const operations = await Promise.all(
    [
      { ...ofMatch, readiness: match.readiness },
      { ...ofManagement, readiness: management.readiness },
      { ...ofBilling, readiness: billing.readiness },
    ].map((service) => startOperationsServer({ host: "127.0.0.1", port: 0, ...service })),
  );
  stop = async () => {
    await Promise.all([
      management.stop(),
      match.stop(),
      billing.stop(),
      ...operations.map((one) => one.close(0)),
    ]);
    await Promise.all([database.drop(), redis.stop()]);
  };
  for (const { metrics } of [ofMatch, ofManagement, ofBilling])
    exposition += (await metrics.exposition()).text;
  for (const [, name = "", type = ""] of exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const series = type === "histogram" || type === "summary" ? ["_bucket", "_sum", "_count"] : [""];
    for (const ending of series) exposed.set(name + ending, type);
  }
});
afterAll(() => stop());

describe("metrics of the services", () => {
  it("are named by the conventions of Prometheus", () => {
    const own = [...exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)].filter(
      ([, name = ""]) => !/^(process|nodejs)_/.test(name),
    );
    expect(own.length).toBeGreaterThan(25);
    for (const [, name = "", type] of own) {
      expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)+$/);
      expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"]);
      if (type === "histogram") expect(name).toMatch(/_(seconds|bytes)$/);
      expect(name).not.toMatch(/_(ms|milliseconds|minutes|kb|mb)(_|$)/);
    }
    for (const [, help = ""] of exposition.matchAll(/^# HELP \S+(.*)$/gm)) expect(help.trim()).not.toBe("");
  });

  it("say which processes are not ready, such as match without a snapshot", () => {
    expect(exposition).toContain('service_ready{service="match"} 0');
  });

  it.each(['wallets_restored_total{matches="forgotten"', 'billing_jobs_failed_total{final="true"'])(
    "start at zero, so that the first event is an increase: %s",
    (series) => {
      expect(exposition).toContain(series);
    },
  );
});

describe("dashboards and alert rules", () => {
  it("use only metrics that a service exposes", () => {
    expect(expressions.length).toBeGreaterThan(70);
    const unknown = expressions.flatMap(({ place, expr }) =>
      metricNames(expr)
        .filter((name) => !exposed.has(name) && !isAlertSeries(name))
        .map((name) => `${place}: ${name}`),
    );
    expect(unknown).toEqual([]);
    expect(() => metricNames("sum(rate(a[5m])")).toThrow("no PromQL");
  });

  it("leave no metric of our own unseen", () => {
    const used = new Set(expressions.flatMap(({ expr }) => metricNames(expr)));
    const own = [...exposition.matchAll(/^# TYPE (\S+) /gm)]
      .map(([, name = ""]) => name)
      .filter((name) => !/^(process|nodejs)_/.test(name));
    const unseen = own.filter(
      (name) => ![name, `${name}_bucket`, `${name}_count`].some((form) => used.has(form)),
    );
    expect(unseen).toEqual([]);
  });

  it("are three dashboards, one for each reader, with panels beside each other and not above", () => {
    expect(dashboards.map(({ uid }) => uid).sort()).toEqual([
      "diegetic-billing",
      "diegetic-serving",
      "diegetic-stores",
    ]);
    for (const { panels } of dashboards) {
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
      );
      expect(new Set(cells).size).toBe(cells.length);
    }
  });

  it("give each alert a severity, a summary and a heading of the runbook", () => {
    const runbook = readFileSync(`${ROOT}docs/runbook.md`, "utf8");
    const headings = new Set(
      [...runbook.matchAll(/^### (\w+)$/gm)].map(([, name = ""]) => name.toLowerCase()),
    );
    expect(rules.filter(({ alert }) => !runbook.includes(alert)).map(({ alert }) => alert)).toEqual([]);
    const linked = rules.map(
      ({ annotations }) => /^docs\/runbook\.md#(\w+)$/.exec(annotations.runbook_url)?.[1],
    );
    expect(linked.filter((heading) => !headings.has(heading ?? ""))).toEqual([]);
    expect([...headings].filter((heading) => !linked.includes(heading))).toEqual([]);
    for (const { labels, annotations } of rules) {
      expect(["page", "ticket"]).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
    }
  });
});

const promtool = await findPromtool().catch((error: Error) => error);
if (promtool instanceof Error) {
  it.skip(`alert rules are not tried by promtool here: ${promtool.message}`, () => undefined);
} else {
  describe("promtool", () => {
    it("accepts the alert rules", async () => {
      const { stdout } = await run(promtool, ["check", "rules", "rules.yml"], { cwd: FOLDER });
      expect(stdout).toContain(`${rules.length} rules found`);
    });

    it("sees each alert fire when it should, and none in a healthy installation", async () => {
      await run(promtool, ["test", "rules", "rules.test.yml"], { cwd: FOLDER });
      const tested = readFileSync(`${FOLDER}rules.test.yml`, "utf8");
      expect(rules.filter(({ alert }) => !tested.includes(alert)).map(({ alert }) => alert)).toEqual([]);
    });
  });
}

/** What Prometheus itself makes of alert rules. */
function isAlertSeries(name: string): boolean {
  return name === "ALERTS";
}
