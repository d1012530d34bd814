import type { StackDescription } from "./data-directory/stack-file.ts";

/** What `npm start` ends with: where everything is, and three lines to try. */
export function readyText(stack: StackDescription): string {
  const lines = [
    "",
    "Diegetic is ready.",
    `  API          ${stack.baseUrl}`,
    `  Management   ${stack.managementUrl}`,
    `  Match        ${stack.matchUrls.join(", ")}`,
  ];
  return `${[...lines, "", "Ctrl-C stops everything."].join("\n")}\n`;
}
