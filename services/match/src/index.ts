export { createMatchService, type MatchService, type MatchServiceOptions } from "./service.ts";
export { type MatchSecrets, type MatchSettings, readMatchSettings } from "./settings.ts";
