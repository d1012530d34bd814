import { registerHooks } from "node:module";

/**
 * Loaded into a process by --import: takes tracing out of the product's modules before they are compiled, as if nobody had
 * written it.
 */
const IMPORT = 'import { tracing } from "@diegetic/tracing";';
const IS_OFF = /\btracing === undefined\b/g;
const CALL = /^\s*tracing\?\..*;$/gm;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const code = loaded.source?.toString() ?? "";
    if (!code.includes(IMPORT)) return loaded;
    const source = code
      .replace(IMPORT, "const tracing = undefined;")
      .replace(IS_OFF, "true")
      .replace(CALL, ";");
    return { ...loaded, source };
  },
});
