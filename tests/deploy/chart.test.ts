import { readdirSync, readFileSync } from "node:fs";
import { readBillingSettings } from "@diegetic/billing/settings";
import { readManagementSettings } from "@diegetic/management/settings";
import { readMatchSettings } from "@diegetic/match/settings";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { CHART, findClusterRenderer, findRenderer, type Manifest, type Values } from "./chart.ts";
import { ROOT } from "./compose-file.ts";
import { problemsOf } from "./kubernetes-schema.ts";

const TIMEOUT_MS = 300_000;
const TIERS = ["match", "management", "billing"] as const;
const READERS = {
  match: readMatchSettings,
  management: readManagementSettings,
  billing: readBillingSettings,
};
const defaults: Values = parse(readFileSync(`${CHART}values.yaml`, "utf8"));
const minimal: Values = { ...defaults, secret: { ...defaults.secret, name: "diegetic-secrets" } };
const everything: Values = {
  ...minimal,
  env: { HOLD_TTL_SECONDS: "300" },
  caCertificates: { configMap: "stores-ca", key: "bundle.pem" },
  match: {
    ...minimal.match,
    env: { HOLD_TTL_SECONDS: "301" },
    autoscaling: { ...minimal.match.autoscaling, requestsPerSecond: 2_000 },
  },
  image: { ...minimal.image, pullSecrets: ["registry"] },
  nodeSelector: { disk: "fast" },
  tolerations: [{ key: "games", operator: "Exists" }],
  podAnnotations: { team: "ads" },
  ingress: {
    enabled: true,
    className: "nginx",
    annotations: { a: "b" },
    host: "ads.example.com",
    tlsSecret: "tls",
  },
  tracing: { endpoint: "http://collector:4318", sampler: "parentbased_traceidratio", samplerArg: "0.1" },
  networkPolicy: {
    enabled: true,
    clients: [{ namespaceSelector: { matchLabels: { name: "ingress" } } }],
    scrapers: [{ namespaceSelector: { matchLabels: { name: "monitoring" } } }],
    stores: [{ to: [{ ipBlock: { cidr: "10.0.0.0/24" } }], port: 6_379 }],
    webhookPorts: [443, 8_443],
  },
  serviceMonitor: { ...minimal.serviceMonitor, enabled: true, labels: { release: "prometheus" } },
  prometheusRule: { enabled: true, labels: {}, runbookBaseUrl: "https://git.example.com/diegetic/" },
  dashboards: { ...minimal.dashboards, enabled: true },
};
const fixed = merged(minimal, {
  basePath: "",
  match: { autoscaling: { enabled: false } },
  billing: { podDisruptionBudget: { minAvailable: 1 } },
  networkPolicy: { clients: [{ ipBlock: { cidr: "10.0.0.0/8" } }] },
});

/** As Helm merges values of a user with those of the chart. */
function merged(values: Values, changes: Values): Values {
  const isMap = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = Object.entries(changes).map(([key, value]) => [
    key,
    isMap(value) && isMap(values[key]) ? merged(values[key], value) : value,
  ]);
  return { ...values, ...Object.fromEntries(entries) };
}

it("docs/operating.md lets Helm wait for a migration as long as its job may run", () => {
  const text = readFileSync(`${ROOT}docs/operating.md`, "utf8");
  const { activeDeadlineSeconds } = defaults.migrations;
  const timeouts = [...text.matchAll(/helm (?:install|upgrade)[^`]*? --timeout (\d+)h/g)].map(([, hours]) =>
    Number(hours),
  );
  expect(timeouts).toEqual([activeDeadlineSeconds / 3_600, activeDeadlineSeconds / 3_600]);
});

describe("the values of the chart", () => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(
    JSON.parse(readFileSync(`${CHART}values.schema.json`, "utf8")),
  );

  it.each(Object.entries({ minimal, everything, fixed }))("are accepted: %s", (_name, values) => {
    validate(values);
    expect(validate.errors ?? []).toEqual([]);
  });

  it.each<[string, Values]>([
    ["no Secret", defaults],
    [
      "certificates of no ConfigMap's name",
      { ...minimal, caCertificates: { configMap: "a b", key: "ca.crt" } },
    ],
    ["a misspelt setting", { ...minimal, matc: {} }],
    ["a secret among the settings", { ...minimal, env: { REDIS_URL: "redis://:password@redis" } }],
    ["secrets of match ids among the settings", merged(minimal, { match: { env: { MATCH_ID_KEYS: "k" } } })],
    [
      "a collector's secret among the settings",
      { ...minimal, env: { OTEL_EXPORTER_OTLP_HEADERS: "api-key=a" } },
    ],
    [
      "no port for webhooks, which would open all",
      { ...minimal, networkPolicy: { ...minimal.networkPolicy, webhookPorts: [] } },
    ],
    ["a setting that the chart sets itself", { ...minimal, env: { BASE_PATH: "/v1" } }],
    [
      "a setting of tracing, which would be there twice",
      merged(everything, { env: { OTEL_TRACES_SAMPLER: "always_on" } }),
    ],
    ["a number among the settings", { ...minimal, env: { HOLD_TTL_SECONDS: 300 } }],
    ["an unknown sampler", { ...minimal, tracing: { endpoint: "http://collector:4318", sampler: "some" } }],
    ["an ingress without a host", { ...minimal, ingress: { enabled: true } }],
    [
      "two kinds of disruption budget",
      merged(minimal, { billing: { podDisruptionBudget: { minAvailable: 1, maxUnavailable: 1 } } }),
    ],
    ["a public address with a path", { ...minimal, publicUrl: "https://ads.example.com/ads" }],
  ])("are refused with %s", (_name, values) => {
    expect(validate(values)).toBe(false);
  });
});

const render = await findRenderer().catch((error: Error) => error);
if (render instanceof Error) {
  it.skip(`the chart is not rendered here: ${render.message}`, () => undefined);
} else {
  describe.each(Object.entries({ minimal, everything, fixed }))(
    "the chart, rendered with values: %s",
    (name, values) => {
      let manifests: Manifest[] = [];
      const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
      const only = (kind: string, component: string): Manifest => {
        const found = ofKind(kind).filter(
          (manifest) => manifest.metadata.name === `prod-diegetic-${component}`,
        );
        expect(found).toHaveLength(1);
        return found[0] as Manifest;
      };
      const pods = () => [...ofKind("Deployment"), ...ofKind("Job")].map(({ spec }) => spec.template);

      beforeAll(async () => {
        manifests = await render(values);
      }, TIMEOUT_MS);

      it(
        "has only manifests that Kubernetes and the Prometheus operator know",
        async () => {
          expect(manifests.length).toBeGreaterThanOrEqual(14);
          for (const manifest of manifests) expect(await problemsOf(manifest)).toEqual([]);
          const [first] = ofKind("Deployment");
          const misspelt = { ...first, spec: { ...first?.spec, replcas: 2 } } as Manifest;
          expect(await problemsOf(misspelt)).toEqual([expect.stringContaining("spec.replcas")]);
          const names = manifests.map((manifest) => `${manifest.kind} ${manifest.metadata.name}`);
          expect(new Set(names).size).toBe(names.length);
        },
        TIMEOUT_MS,
      );

      it("gives no pod any rights, nor a writable file system", () => {
        expect(pods()).toHaveLength(4);
        for (const { spec } of pods()) {
          expect(spec).toMatchObject({
            automountServiceAccountToken: false,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          });
          for (const container of spec.containers) {
            expect(container.securityContext).toEqual({
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ["ALL"] },
            });
            expect(container.resources.limits.memory).toBeDefined();
          }
        }
      });

      it("starts what the image has, with settings that each service accepts and secrets by reference alone", () => {
        const secrets = {
          REDIS_URL: "rediss-cluster://user:password@a:6379,b:6379",
          DATABASE_URL: "postgres://user@db.example.com/diegetic?sslmode=verify-full",
          PLAYER_HASH_KEY: "h".repeat(32),
          AUTH_SECRET: "a".repeat(32),
          SETUP_TOKEN: "a".repeat(32),
          OTEL_EXPORTER_OTLP_HEADERS: "api-key=a",
          MATCH_ID_KEYS: "m".repeat(32),
        };
        for (const tier of TIERS) {
          const [container] = only("Deployment", tier).spec.template.spec.containers;
          expect(container.args.at(-1)).toBe(`services/${tier}/bundle/main.js`);
          const environment: Record<string, string> = {};
          for (const { name, value, valueFrom } of container.env) {
            expect(environment[name]).toBeUndefined();
            if (name in secrets) {
              const isOptional = ["SETUP_TOKEN", "OTEL_EXPORTER_OTLP_HEADERS", "MATCH_ID_KEYS"].includes(
                name,
              );
              expect(valueFrom.secretKeyRef).toEqual({
                name: "diegetic-secrets",
                key: name,
                ...(isOptional && { optional: true }),
              });
            }
            environment[name] = value ?? secrets[name as keyof typeof secrets] ?? "pod-1";
          }
          expect(() => READERS[tier](environment)).not.toThrow();
          if (tier !== "billing") {
            expect(environment.BASE_PATH).toBe(name === "fixed" ? "/" : "/api");
          }
          const sampler = name === "everything" ? "parentbased_traceidratio" : undefined;
          expect(environment.OTEL_TRACES_SAMPLER).toBe(sampler);
          expect("OTEL_EXPORTER_OTLP_HEADERS" in environment).toBe(name === "everything");
          expect("MATCH_ID_KEYS" in environment).toBe(tier === "match");
          const { holdTtlSeconds } = readMatchSettings({ ...secrets, ...environment }).settings;
          expect(holdTtlSeconds).toBe(name !== "everything" ? 600 : tier === "match" ? 301 : 300);
        }
      });

      it("selects, spreads, protects and scales the pods that it makes", () => {
        for (const tier of TIERS) {
          const { spec } = only("Deployment", tier);
          const { labels } = spec.template.metadata;
          const selectors = [
            spec.selector.matchLabels,
            only("Service", tier).spec.selector,
            only("PodDisruptionBudget", tier).spec.selector.matchLabels,
            only("NetworkPolicy", tier).spec.podSelector.matchLabels,
            ...spec.template.spec.topologySpreadConstraints.map(
              (constraint: { labelSelector: { matchLabels: object } }) =>
                constraint.labelSelector.matchLabels,
            ),
          ];
          expect(selectors).toHaveLength(6);
          for (const selector of selectors) {
            expect(selector["app.kubernetes.io/component"]).toBe(tier);
            expect(labels).toMatchObject(selector);
          }
          const budget = name === "fixed" && tier === "billing" ? { minAvailable: 1 } : { maxUnavailable: 1 };
          const { selector: _selector, ...limits } = only("PodDisruptionBudget", tier).spec;
          expect(limits).toEqual(budget);
          const [container] = spec.template.spec.containers;
          expect(container.readinessProbe.httpGet).toEqual({ path: "/readyz", port: "metrics" });
          expect(container.livenessProbe.httpGet).toEqual({ path: "/healthz", port: "metrics" });
          const ports = container.ports.map((port: { name: string }) => port.name);
          expect(ports).toEqual(tier === "billing" ? ["metrics"] : ["http", "metrics"]);
          const scaled = tier === "match" && values.match.autoscaling.enabled;
          expect(spec.replicas).toBe(scaled ? undefined : 2);
        }
        const scalers = ofKind("HorizontalPodAutoscaler");
        expect(scalers).toHaveLength(name === "fixed" ? 0 : 1);
        for (const { spec } of scalers) {
          expect(spec.scaleTargetRef.name).toBe("prod-diegetic-match");
          expect(spec.metrics.map(({ type }: { type: string }) => type)).toEqual(
            name === "everything" ? ["Resource", "Pods"] : ["Resource"],
          );
        }
      });

      it("migrates before pods are replaced", () => {
        const job = only("Job", "migrate");
        expect(job.metadata.annotations?.["helm.sh/hook"]).toBe("pre-install,pre-upgrade");
        const [container] = job.spec.template.spec.containers;
        expect(container.args).toEqual(["scripts/migrate.mjs"]);
        const extra = name === "everything" ? ["NODE_EXTRA_CA_CERTS"] : [];
        expect(container.env.map((variable: { name: string }) => variable.name)).toEqual([
          "DATABASE_URL",
          ...extra,
        ]);
      });

      it("gives every pod the certificates of private issuers, if there are any", () => {
        for (const { spec } of pods()) {
          const [{ env, volumeMounts }] = spec.containers;
          const certificates = env.find(
            (variable: { name: string }) => variable.name === "NODE_EXTRA_CA_CERTS",
          );
          const volume = spec.volumes.find((one: { configMap?: object }) => one.configMap !== undefined);
          if (name !== "everything") {
            expect([certificates, volume, volumeMounts.length]).toEqual([undefined, undefined, 1]);
            continue;
          }
          expect(volume.configMap).toEqual({ name: "stores-ca" });
          const mount = volumeMounts.find((one: { name: string }) => one.name === volume.name);
          expect(mount.readOnly).toBe(true);
          expect(certificates.value).toBe(`${mount.mountPath}/bundle.pem`);
        }
      });

      it("leaves nothing of its hooks behind", () => {
        const hooks = manifests.filter(
          ({ metadata }) => metadata.annotations?.["helm.sh/hook"] !== undefined,
        );
        expect(hooks.map(({ kind }) => kind).sort()).toEqual(["Job", "NetworkPolicy"]);
        // Helm deletes them once all of them have succeeded: the policy outlives the job.
        for (const { metadata } of hooks) {
          const policies = metadata.annotations?.["helm.sh/hook-delete-policy"];
          expect(policies).toBe("before-hook-creation,hook-succeeded");
        }
      });

      it("lets each tier be reached by whom it must be alone", () => {
        for (const tier of [...TIERS, "migrate"]) {
          const { spec } = only("NetworkPolicy", tier);
          const reached = spec.ingress.flatMap((rule: { ports: { port: string }[] }) =>
            rule.ports.map(({ port }) => port),
          );
          const expected = tier === "migrate" ? [] : tier === "billing" ? ["metrics"] : ["metrics", "http"];
          expect(reached).toEqual(expected);
          const webhookPorts = spec.egress
            .filter((rule: { to?: { ipBlock?: { cidr: string } }[] }) =>
              rule.to?.some(({ ipBlock }) => ipBlock?.cidr === "0.0.0.0/0"),
            )
            .map(({ ports }: { ports: unknown }) => ports);
          const allowed = name === "everything" ? [{ port: 443 }, { port: 8_443 }] : [{ port: 443 }];
          expect(webhookPorts).toEqual(tier === "billing" ? [allowed] : []);
          const open = spec.egress.some((rule: object) => Object.keys(rule).length === 0);
          expect(open).toBe(name !== "everything");
        }
      });

      if (name === "everything") {
        it("sends match and impressions to the match tier, everything else to management", () => {
          const [ingress] = ofKind("Ingress");
          const [rule] = ingress?.spec.rules ?? [];
          const targets = rule.http.paths.map(
            ({
              path,
              pathType,
              backend,
            }: {
              path: string;
              pathType: string;
              backend: { service: { name: string } };
            }) => `${pathType} ${path} ${backend.service.name}`,
          );
          expect(targets).toEqual([
            "Exact /api/match prod-diegetic-match",
            "Exact /api/impressions prod-diegetic-match",
            "Prefix / prod-diegetic-management",
          ]);
          expect(ingress?.spec.tls).toEqual([{ hosts: ["ads.example.com"], secretName: "tls" }]);
        });

        it("takes the public address from the ingress", () => {
          const addresses = ofKind("Deployment").flatMap(({ spec }) =>
            spec.template.spec.containers.flatMap(({ env }: { env: { name: string; value: string }[] }) =>
              env.filter((variable) => variable.name === "PUBLIC_URL").map((variable) => variable.value),
            ),
          );
          expect(new Set(addresses)).toEqual(new Set(["https://ads.example.com"]));
        });

        it("carries the alert rules and dashboards of deploy/observability", () => {
          const text = readFileSync(`${ROOT}deploy/observability/rules.yml`, "utf8");
          const linked = text.replaceAll(
            "runbook_url: docs/",
            "runbook_url: https://git.example.com/diegetic/docs/",
          );
          expect(ofKind("PrometheusRule").map(({ spec }) => spec)).toEqual([parse(linked)]);
          const files = readdirSync(`${ROOT}deploy/observability/dashboards`);
          const shipped = ofKind("ConfigMap").flatMap(({ data = {} }) => Object.entries(data));
          expect(shipped.map(([file]) => file).sort()).toEqual(
            files.map((file) => `diegetic-${file}`).sort(),
          );
          for (const [file, content] of shipped) {
            const path = `${ROOT}deploy/observability/dashboards/${file.replace("diegetic-", "")}`;
            expect(JSON.parse(content)).toEqual(JSON.parse(readFileSync(path, "utf8")));
          }
          const [monitor] = ofKind("ServiceMonitor");
          expect(monitor?.spec.endpoints).toEqual([{ port: "metrics", interval: "15s", honorLabels: true }]);
          for (const tier of TIERS) {
            expect(only("Service", tier).metadata.labels).toMatchObject(monitor?.spec.selector.matchLabels);
          }
        });
      }
    },
  );
}

const renderForCluster = await findClusterRenderer().catch((error: Error) => error);
if (renderForCluster instanceof Error) {
  it.skip(`the chart is not rendered for a cluster here: ${renderForCluster.message}`, () => undefined);
} else {
  it("replaces every pod of the services after its Secret has changed, and none before", async () => {
    const templates = async (secret?: Record<string, string>) =>
      (await renderForCluster(minimal, secret))
        .filter(({ kind }) => kind === "Deployment")
        .map(({ spec }) => JSON.stringify(spec.template));
    const before = await templates({ AUTH_SECRET: "b25l" });
    expect(await templates({ AUTH_SECRET: "b25l" })).toEqual(before);
    const after = await templates({ AUTH_SECRET: "dHdv" });
    expect(after.filter((template) => before.includes(template))).toEqual([]);
    expect(after).toHaveLength(TIERS.length);
    // Where Helm reaches no cluster.
    expect(await templates()).toHaveLength(TIERS.length);
  });
}
