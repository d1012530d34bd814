import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import type { SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";

type EngineModule = typeof import("@prisma/schema-engine-wasm/schema_engine_bg");

let loaded: Promise<EngineModule> | undefined;

/** The engine is an ES module that imports WebAssembly, which Node 20 cannot load by default. */
async function loadEngineModule(): Promise<EngineModule> {
  const modulePath = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg");
  const bytes = await readFile(join(modulePath, "..", "schema_engine_bg.wasm"));
  const engineModule = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  const { instance } = await WebAssembly.instantiate(bytes, {
    "./schema_engine_bg.js": importsOf(engineModule),
  });
  engineModule.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start !== "function") throw new Error("the schema engine has no entry point");
  start();
  return engineModule;
}

/** The engine never clears the timer of its lock (10 s), which must not keep the process alive. */
function importsOf(engineModule: EngineModule): Record<string, unknown> {
  const imports: Record<string, unknown> = { ...engineModule };
  for (const name of Object.keys(imports)) {
    if (name.startsWith("__wbg_setTimeout_")) {
      imports[name] = (callback: () => void, ms: number) => setTimeout(callback, ms).unref();
    }
  }
  return imports;
}

/**
 * Prisma's schema engine as WebAssembly, on the database of `adapterFactory`. Unlike the native engine it is part of the
 * npm packages and downloads nothing. `schemaText` is the content of schema.prisma.
 */
export async function createSchemaEngine(
  adapterFactory: SqlMigrationAwareDriverAdapterFactory,
  schemaText: string,
): Promise<SchemaEngine> {
  loaded ??= loadEngineModule();
  const { SchemaEngine: Engine } = await loaded;
  return Engine.new(
    { datamodels: [["schema.prisma", schemaText]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(adapterFactory),
  );
}
