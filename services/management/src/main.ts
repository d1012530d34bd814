import { runService } from "@diegetic/service-kit";
import { startManagement } from "./service.ts";
import { readManagementSettings } from "./settings.ts";

await runService({ name: "management", readSettings: readManagementSettings, start: startManagement });
