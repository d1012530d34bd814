export { MATCH_NODE_OPTIONS } from "./node-options.ts";
