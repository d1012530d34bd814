import type { Demo, DemoLogin } from "@diegetic/management";
import type { StackDescription } from "./data-directory/stack-file.ts";

export interface ReadyDemo extends Demo {
  login: DemoLogin;
  /** The key of the game at `/play`. */
  playKey: string;
}

export interface SignUpState {
  hasOperator: boolean;
  /** What the first sign-up needs; empty where the stack is reachable only from this machine. */
  setupToken: string;
}

/** The final output of `npm start`: all addresses, and three commands to paste. */
export function readyText(
  stack: StackDescription,
  demo: ReadyDemo | undefined,
  { hasOperator, setupToken }: SignUpState,
): string {
  const addresses = [
    "Diegetic is ready.",
    "",
    `  Dashboard   ${new URL("/", stack.baseUrl)}`,
    ...(demo === undefined ? [] : [`  Demo game   ${new URL("/play", stack.baseUrl)}`]),
    `  Reference   ${new URL("/docs", stack.baseUrl)}`,
    `  API         ${stack.baseUrl}`,
    `  Management  ${stack.managementUrl}`,
    `  Match       ${stack.matchUrls.join(", ")}`,
  ];
  const operator = hasOperator
    ? []
    : setupToken === ""
      ? ["", "  The first who signs up on the dashboard becomes the operator."]
      : [
          "",
          `  Setup token ${setupToken}`,
          "  The first who signs up has to know it, and becomes the operator.",
        ];
  const lines = [
    ...addresses,
    ...operator,
    "",
    ...(demo === undefined ? withoutDemo() : demoLines(stack.baseUrl, demo)),
  ];
  return ["", ...lines, "", "Ctrl-C stops everything."].join("\n");
}

function withoutDemo(): string[] {
  return ["Sign up on the dashboard, or make a key for the API: npm run --silent key -- --label NAME"];
}

/** Each line works alone and repeatedly: the player id contains the current time, so no cap applies yet. */
function demoLines(baseUrl: string, demo: ReadyDemo): string[] {
  const header = `-H 'Authorization: Bearer ${demo.key}'`;
  const json = "-H 'Content-Type: application/json'";
  const body = `{"game_id":"${demo.gameId}","user_id":"player-'$(date +%s)'","game_context":{"location":"tavern"}}`;
  const match = `curl -sS ${baseUrl}/match ${header} ${json} -d '${body}'`;
  const impression = `curl -sS ${baseUrl}/impressions ${header} ${json} -d @-`;
  return [
    "The demo account is an advertiser and a game in one.",
    `  Demo login  ${demo.login.email}  ${demo.login.password}`,
    `  Demo key    ${demo.key}`,
    "",
    "Get an ad for a scene, see an ad and bill it, look at what the game has earned (whole cents, rounded down):",
    `  ${match}`,
    `  ${match} | sed 's/}$/,"game_id":"${demo.gameId}"}/' | ${impression}`,
    `  curl -sS ${baseUrl}/creator-revenue ${header}`,
  ];
}
