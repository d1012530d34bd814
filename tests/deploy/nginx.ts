import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "@diegetic/testing/eventually";
import { ROOT } from "./compose-file.ts";

const run = promisify(execFile);

/**
 * Writes the proxy's files as they are mounted into its container, in the frame of the image's main file, with the ports of
 * a test: Debian's nginx may be too old for a name that is resolved again and again. Answers the path of the main file.
 */
export function configureNginx(dir: string, port: number, services: Record<string, number[]>): string {
  const addressesOf = (_line: string, name: string, parameters: string) =>
    (services[name] ?? []).map((service) => `server 127.0.0.1:${service}${parameters}`).join("\n");
  const site = readFileSync(`${ROOT}docker/nginx.conf`, "utf8")
    .replace(/server (\w+):8080 resolve([^;]*;)/g, addressesOf)
    .replace("listen 8080", `listen 127.0.0.1:${port}`)
    .replace("/etc/nginx/real-ip.conf", join(dir, "real-ip.conf"));
  writeFileSync(join(dir, "real-ip.conf"), readFileSync(`${ROOT}docker/real-ip.conf`, "utf8"));
  writeFileSync(join(dir, "site.conf"), site);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${dir}/${kind};`,
  );
  const config = join(dir, "nginx.conf");
  writeFileSync(
    config,
    `worker_processes 1;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log;
events {}
http {
  access_log off;
  ${temporary.join("\n  ")}
  include ${dir}/site.conf;
}
`,
  );
  return config;
}

/** Checks the configuration and runs it until `stop`. */
export async function startNginx(
  nginx: string,
  config: string,
  url: string,
): Promise<{ stop(): Promise<void> }> {
  await run(nginx, ["-t", "-c", config]);
  const proxy: ChildProcess = spawn(nginx, ["-c", config, "-g", "daemon off;"], { stdio: "inherit" });
  const exited = new Promise<void>((resolve) => proxy.once("exit", () => resolve()));
  await eventually(async () => (await fetch(`${url}/healthz`)).ok);
  return {
    stop: async () => {
      proxy.kill("SIGTERM");
      await exited;
    },
  };
}
