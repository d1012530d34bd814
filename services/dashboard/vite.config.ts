import { apiKeyOperations, dashboardOperations } from "@diegetic/contracts";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The API that the development server passes requests on to: the address that `npm start` prints. */
const API_ADDRESS = process.env.API_ADDRESS ?? "http://127.0.0.1:8080";
const REQUEST_SCHEMAS = "virtual:request-schemas";

/**
 * The schemas of all request bodies as plain data, by method and path. The browser checks forms against the very schemas
 * that the API checks, without its validator: that one compiles code, which the Content-Security-Policy forbids.
 */
function requestSchemas(): Plugin {
  return {
    name: "request-schemas",
    resolveId: (id) => (id === REQUEST_SCHEMAS ? `\0${id}` : undefined),
    load(id) {
      if (id !== `\0${REQUEST_SCHEMAS}`) return undefined;
      const schemas = [...apiKeyOperations(), ...dashboardOperations()].flatMap(
        ({ method, path, request }) => (request === undefined ? [] : [[`${method} ${path}`, request.schema]]),
      );
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(Object.fromEntries(schemas)))});`;
    },
  };
}

export default defineConfig({
  plugins: [react(), requestSchemas()],
  build: {
    target: "es2023",
    // Everything is a file of its own: the Content-Security-Policy allows no data addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    manifest: true,
    chunkSizeWarningLimit: 600,
  },
  server: {
    host: "127.0.0.1",
    port: 5173,
    proxy: {
      // Host and Origin stay as the browser sent them: the API accepts changes only when they agree.
      "^/(api|docs|openapi.json)": { target: API_ADDRESS },
    },
  },
});
