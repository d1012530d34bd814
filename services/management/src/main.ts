import { DatabaseAway } from "@diegetic/database";
import { describeRedisAway } from "@diegetic/hot-state";
import { runService } from "@diegetic/service-kit";
import { startManagement } from "./service.ts";
import { readManagementSettings } from "./settings.ts";

await runService({
  name: "management",
  readSettings: readManagementSettings,
  start: startManagement,
  describeAway: (error) => (error instanceof DatabaseAway ? error.message : describeRedisAway(error)),
});
