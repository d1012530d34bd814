export { runAuditCommand } from "./audit-command.ts";
export { runKeyCommand } from "./key-command.ts";
export { runStack } from "./run.ts";
