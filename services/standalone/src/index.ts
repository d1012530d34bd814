export { runKeyCommand } from "./key-command.ts";
export { runStack } from "./run.ts";
