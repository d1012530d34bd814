import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { SetupError } from "@diegetic/local-stores";
import { findGo } from "@diegetic/testing/operators-programs";
import { parse, parseAllDocuments } from "yaml";
import { ROOT } from "./compose-file.ts";

const run = promisify(execFile);
/** Where Debian has the sources of Go packages. */
const DEBIAN_GO_PATH = "/usr/share/gocode";

export const CHART = `${ROOT}deploy/helm/diegetic/`;

// biome-ignore lint/suspicious/noExplicitAny: the values of a chart have a schema of their own
export type Values = Record<string, any>;

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own, which the tests examine
  spec?: any;
  data?: Record<string, string>;
}

/** Renders the chart as release `prod`. */
export type RenderChart = (values: Values) => Promise<Manifest[]>;
/** For a cluster that has this Secret. */
export type RenderForCluster = (values: Values, secret?: Record<string, string>) => Promise<Manifest[]>;

/** Helm where it is installed, else its template language by Debian's Go. Throws SetupError where there is neither. */
export async function findRenderer(): Promise<RenderChart> {
  if (spawnSync("helm", ["version"], { stdio: "ignore" }).status !== 0) return findClusterRenderer();
  return helmRenderer(mkdtempSync(join(tmpdir(), "diegetic-chart-")));
}

/** Debian's Go: Helm's own templates know of no Secret without a cluster. Throws SetupError where there is none. */
export async function findClusterRenderer(): Promise<RenderForCluster> {
  const dir = mkdtempSync(join(tmpdir(), "diegetic-chart-"));
  const go = await findGo();
  if (!existsSync(`${DEBIAN_GO_PATH}/src/github.com/Masterminds/sprig`)) {
    throw new SetupError("There is neither Helm nor Debian's golang-github-masterminds-sprig-dev.");
  }
  const renderer = join(dir, "render-chart");
  const env = {
    ...process.env,
    GO111MODULE: "off",
    GOFLAGS: "",
    GOPATH: DEBIAN_GO_PATH,
    GOCACHE: join(dir, "cache"),
  };
  await run(go, ["build", "-o", renderer, `${ROOT}tests/deploy/render-chart.go`], { env });
  const { name, version, appVersion } = parse(readFileSync(`${CHART}Chart.yaml`, "utf8"));
  const fixed = {
    Release: { Name: "prod", Namespace: "ads", Service: "Helm" },
    Chart: { Name: name, Version: version, AppVersion: appVersion },
  };
  return async (values, secret) => {
    const rendering = run(renderer, [CHART], { maxBuffer: 2 ** 24 });
    const objects = secret && { [`v1 Secret ads ${values.secret.name}`]: { data: secret } };
    rendering.child.stdin?.end(JSON.stringify({ Values: values, Objects: objects, ...fixed }));
    return manifestsOf((await rendering).stdout);
  };
}

function helmRenderer(dir: string): RenderChart {
  return async (values) => {
    const file = join(dir, "values.json");
    writeFileSync(file, JSON.stringify(values));
    await run("helm", ["lint", "--strict", CHART, "--values", file]);
    const args = ["template", "prod", CHART, "--namespace", "ads", "--values", file];
    return manifestsOf((await run("helm", args, { maxBuffer: 2 ** 24 })).stdout);
  };
}

function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS() ?? [];
  });
}
