import { readdirSync, readFileSync } from "node:fs";
import { readDocument, tableIn } from "@diegetic/testing/markdown";
import { expect, it } from "@jest/globals";

const CHECKS = new URL("../../services/billing/src/reconciliation/", import.meta.url);

/** The kind of each check, by name. */
function declaredChecks(): Map<string, string> {
  const sources = readdirSync(CHECKS).filter((name) => !name.endsWith(".test.ts"));
  const declared = sources.flatMap((name) => [
    ...readFileSync(new URL(name, CHECKS), "utf8").matchAll(/\b(money|late)Check(?:<[^(]*>)?\(\s*"(\w+)"/g),
  ]);
  return new Map(declared.map(([, kind = "", name = ""]) => [name, kind]));
}

it("docs/operating.md has a remedy for each check, by name where more than Postgres is compared", () => {
  const declared = declaredChecks();
  const checks = [...declared.keys()];
  expect(checks.length).toBeGreaterThan(50);
  const table = tableIn(readDocument("docs/operating.md"), "Reconciliation");
  const named = table.flatMap(({ Check = "" }) => Check.match(/[\w*]+/g) ?? []);
  expect(named.pop()).toBe("others");
  const fits = (name: string, check: string) => new RegExp(`^${name.replaceAll("*", "\\w+")}$`).test(check);
  expect(named.filter((name) => !checks.some((check) => fits(name, check)))).toEqual([]);
  const others = checks.filter((check) => !named.some((name) => fits(name, check)));
  const beyondPostgres = (check: string) =>
    declared.get(check) === "late" || /^(wallet|session|snapshot)_/.test(check);
  expect(others.filter(beyondPostgres)).toEqual([]);
});
