import { findProgram } from "./debian-package.ts";

/** The path of nginx: from the PATH, else installed by apt-get where that is allowed. Throws SetupError. */
export function findNginx(): Promise<string> {
  return findProgram(
    {
      names: ["nginx"],
      packageName: "nginx",
      whatToInstall: "Install nginx (Debian: apt-get install nginx).",
    },
    () => {},
  );
}

/** The path of promtool, which checks and tests Prometheus rules; else as `findNginx`. */
export function findPromtool(): Promise<string> {
  return findProgram(
    {
      names: ["promtool"],
      packageName: "prometheus",
      whatToInstall: "Install promtool (Debian: apt-get install prometheus).",
    },
    () => {},
  );
}

/** The path of Go, with the template functions that Helm has, too; else as `findNginx`. */
export function findGo(): Promise<string> {
  return findProgram(
    {
      names: ["go"],
      packageName: "golang-go",
      morePackages: ["golang-github-masterminds-sprig-dev", "golang-github-ghodss-yaml-dev"],
      whatToInstall:
        "Install Helm, or Go and sprig (Debian: apt-get install golang-go golang-github-masterminds-sprig-dev).",
    },
    () => {},
  );
}
