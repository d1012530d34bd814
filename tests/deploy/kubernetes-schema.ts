import type { Manifest } from "./chart.ts";

interface Model {
  validate(): void;
}
type ModelClass = new (manifest: object) => Model;

/** Values of every type: a property that may be each of them is none that the kind knows. */
const ANYTHING = [true, 12.5, "text", {}, [], ["text"]];

/** What is wrong with a manifest by the OpenAPI schemas of Kubernetes and of the Prometheus operator; empty: nothing. */
export async function problemsOf(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const source = apiVersion.startsWith("monitoring.coreos.com/")
    ? "@kubernetes-models/prometheus-operator"
    : "kubernetes-models";
  const models = await import(`${source}/${apiVersion}`);
  const Kind = models[kind] as ModelClass | undefined;
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
