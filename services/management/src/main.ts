import { DatabaseUnavailable } from "@diegetic/database";
import { describeRedisUnavailable } from "@diegetic/hot-state";
import { runService } from "@diegetic/service-kit";
import { startManagement } from "./service.ts";
import { readManagementSettings } from "./settings.ts";

await runService({
  name: "management",
  readSettings: readManagementSettings,
  start: startManagement,
  describeUnavailable: (error) =>
    error instanceof DatabaseUnavailable ? error.message : describeRedisUnavailable(error),
});
