import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findProgram, SetupError } from "@diegetic/local-stores";

/** Where Debian has each major version of Postgres. */
const DEBIAN_POSTGRES = "/usr/lib/postgresql";

/** The path of nginx: from the PATH, else installed by apt-get where that is allowed. Throws SetupError. */
export function findNginx(): Promise<string> {
  return findProgram({
    names: ["nginx"],
    packageName: "nginx",
    whatToInstall: "Install nginx (Debian: apt-get install nginx).",
  });
}

/** The path of promtool, which checks and tests Prometheus rules; else as `findNginx`. */
export function findPromtool(): Promise<string> {
  return findProgram({
    names: ["promtool"],
    packageName: "prometheus",
    whatToInstall: "Install promtool (Debian: apt-get install prometheus).",
  });
}

/** The path of Go, with the template functions that Helm has, too; else as `findNginx`. */
export function findGo(): Promise<string> {
  return findProgram({
    names: ["go"],
    packageName: "golang-go",
    morePackages: ["golang-github-masterminds-sprig-dev", "golang-github-ghodss-yaml-dev"],
    whatToInstall:
      "Install Helm, or Go and sprig (Debian: apt-get install golang-go golang-github-masterminds-sprig-dev).",
  });
}

/**
 * A directory with a Postgres server and its own pg_dump and pg_restore, which read no newer server: Debian's; else as
 * `findNginx`.
 */
export async function findPostgresWithBackupTools(): Promise<string> {
  const whatToInstall = "Install Debian's Postgres (apt-get install postgresql).";
  const found = () => {
    const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
    return versions
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(DEBIAN_POSTGRES, version, "bin"))
      .find((dir) =>
        ["postgres", "initdb", "pg_dump", "pg_restore"].every((name) => existsSync(join(dir, name))),
      );
  };
  const existing = found();
  if (existing !== undefined) return existing;
  await findProgram({ names: ["pg_dump"], packageName: "postgresql", whatToInstall });
  const installed = found();
  if (installed === undefined) throw new SetupError(`There is no ${DEBIAN_POSTGRES}. ${whatToInstall}`);
  return installed;
}
