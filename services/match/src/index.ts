export { MATCH_NODE_OPTIONS } from "./node-options.ts";
export { createMatchService, type MatchService, type MatchServiceOptions } from "./service.ts";
export { type MatchSecrets, type MatchSettings, readMatchSettings } from "./settings.ts";
