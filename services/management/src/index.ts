export {
  ALL_SCOPES,
  type CreatedAccount,
  createAccountWithKey,
  type KeyOptions,
} from "./api-keys/create-account.ts";
export { createDemo, type Demo } from "./demo/demo.ts";
export { endDemoAccess } from "./demo/end.ts";
export { demoHistory, recordDemoCalls } from "./demo/history.ts";
export { createDemoLogin, type DemoLogin } from "./demo/login.ts";
export { DEMO_GAME_ID } from "./demo/market.ts";
export { demoGameKey, preparePlay } from "./demo/play.ts";
export { createManagement, type Management, type ManagementOptions } from "./management.ts";
export { startManagement } from "./service.ts";
export { type ManagementSettings, readManagementSettings } from "./settings.ts";
export { Publishing } from "./snapshot-publishing/publishing.ts";
