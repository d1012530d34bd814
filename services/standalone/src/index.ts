export { runAuditCommand } from "./audit-command.ts";
export { runEraseCommand } from "./erase-command.ts";
export { runKeyCommand } from "./key-command.ts";
export { runMigrateCommand } from "./migrate-command.ts";
export { runPasswordCommand } from "./password-command.ts";
export { runSlicesCommand } from "./slices-command.ts";
