import type { Manifest } from "./chart.ts";

interface Model {
  validate(): void;
}
type ModelClass = new (manifest: object) => Model;

/** What knows the kinds of each API that the chart uses. */
const MODELS: Record<string, () => Promise<object>> = {
  v1: () => import("kubernetes-models/v1"),
  "apps/v1": () => import("kubernetes-models/apps/v1"),
  "autoscaling/v2": () => import("kubernetes-models/autoscaling/v2"),
  "batch/v1": () => import("kubernetes-models/batch/v1"),
  "networking.k8s.io/v1": () => import("kubernetes-models/networking.k8s.io/v1"),
  "policy/v1": () => import("kubernetes-models/policy/v1"),
  "monitoring.coreos.com/v1": () => import("@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1"),
};

/** Values of every type: a property that may be each of them is none that the kind knows. */
const ANYTHING = [true, 12.5, "text", {}, [], ["text"]];

/** What is wrong with a manifest by the OpenAPI schemas of Kubernetes and of the Prometheus operator; empty: nothing. */
export async function problemsOf(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const models = (await MODELS[apiVersion]?.()) as Record<string, ModelClass> | undefined;
  const Kind = models?.[kind];
  if (Kind === undefined) return [`there is no ${kind} in ${apiVersion}`];
  const name = `${kind} ${manifest.metadata.name}`;
  const problem = problemWith(Kind, manifest);
  if (problem !== undefined) return [`${name}: ${problem}`];
  return pathsOf(manifest)
    .filter((path) =>
      ANYTHING.every((value) => problemWith(Kind, withValue(manifest, path, value)) === undefined),
    )
    .map((path) => `${name}: unknown property ${path.join(".")}`);
}

function problemWith(Kind: ModelClass, manifest: object): string | undefined {
  try {
    new Kind(manifest).validate();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

type Path = (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    return [here, ...pathsOf(item, here)];
  });
}

function withValue(manifest: object, path: Path, value: unknown): object {
  const copy = structuredClone(manifest);
  const last = path.at(-1) as string;
  // biome-ignore lint/suspicious/noExplicitAny: the path leads through objects and arrays of this manifest
  const parent = path.slice(0, -1).reduce<any>((item, key) => item[key], copy);
  parent[last] = value;
  return copy;
}
