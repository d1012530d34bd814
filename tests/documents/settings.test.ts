import { readFile } from "node:fs/promises";
import type { Setting } from "@diegetic/service-kit";
import { expect, it } from "@jest/globals";
import { BILLING_SETTINGS } from "../../services/billing/src/settings.ts";
import { MANAGEMENT_SETTINGS } from "../../services/management/src/settings.ts";
import { MATCH_SETTINGS } from "../../services/match/src/settings.ts";

const services = [MANAGEMENT_SETTINGS, MATCH_SETTINGS, BILLING_SETTINGS];
const settings = services.flatMap(({ settings, secrets }): Setting<unknown>[] => [
  ...Object.values(settings),
  ...Object.values(secrets),
]);

/** Defaults that the document says in words. */
const WORDS: Record<string, string> = {
  PORT: "any free port",
  METRICS_PORT: "any free port",
  INSTANCE_NAME: "service name",
  MATCH_ID_KEYS: "PLAYER_HASH_KEY",
  IMPRESSION_RETENTION_DAYS: "never",
  OTEL_SERVICE_NAME: "diegetic-match and so on",
};

async function settingsSection(): Promise<string> {
  const text = await readFile(new URL("../../docs/operating.md", import.meta.url), "utf8");
  return /\n## Settings\n([\s\S]*?)\n## /.exec(text)?.[1] ?? "";
}

/** The default of each setting as the document states it: `NAME`, `OTHER` (default). */
async function documentedDefaults(): Promise<Map<string, string>> {
  const section = await settingsSection();
  const found = new Map<string, string>();
  for (const [, names = "", value = ""] of section.matchAll(/((?:`[A-Z_]+`(?:,| and)? )+)\(([^)]*)\)/g)) {
    for (const [, name = ""] of names.matchAll(/`([A-Z_]+)`/g)) {
      // Later ones are those of `npm start`.
      if (!found.has(name)) found.set(name, value.replaceAll("`", ""));
    }
  }
  return found;
}

function defaultOf({ variable, fallback }: Setting<unknown>): string {
  if (WORDS[variable] !== undefined) return WORDS[variable];
  if (fallback === undefined) return "required";
  const { value } = fallback;
  return value === undefined || value === "" ? "unset" : String(value);
}

it("docs/operating.md states every setting of the services with its default", async () => {
  const documented = await documentedDefaults();
  const expected = new Map(settings.map((setting) => [setting.variable, defaultOf(setting)]));
  const stated = [...expected.keys()].map((name) => [
    name,
    documented.get(name)?.replace(/^required by .*/, "required"),
  ]);
  expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(expected));
});

it("docs/operating.md states limits as they are declared", async () => {
  const section = await settingsSection();
  const limits = settings.flatMap(({ variable, schema = {} }) => {
    const [entry] = new RegExp(`- \`${variable}\`[^]*?(?=\\n- |\\n\\n|$)`).exec(section) ?? [""];
    const [, least, most = /at most (\d+)/.exec(entry)?.[1]] = /(\d+) to (\d+)/.exec(entry) ?? [];
    if (most === undefined) return [];
    const { minimum, maximum, minLength, maxLength } = schema;
    const declared = { least: least && String(minimum ?? minLength), most: String(maximum ?? maxLength) };
    return [{ variable, stated: { least, most }, declared }];
  });
  expect(limits.length).toBeGreaterThan(4);
  for (const { variable, stated, declared } of limits)
    expect({ variable, ...stated }).toEqual({ variable, ...declared });
});
