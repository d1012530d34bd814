export { MATCH_NODE_OPTIONS } from "./node-options.ts";
export { type MatchSecrets, type MatchSettings, readMatchSettings } from "./settings.ts";
