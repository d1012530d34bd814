export {
  ALL_SCOPES,
  type CreatedAccount,
  createAccountWithKey,
  type KeyOptions,
} from "./api-keys/create-account.ts";
export { createDemo, DEMO_GAME_ID, type Demo } from "./demo/demo.ts";
export { createDemoLogin, type DemoLogin } from "./demo/login.ts";
export { demoGameKey, preparePlay } from "./demo/play.ts";
export { createManagement, type Management, type ManagementOptions } from "./management.ts";
export { startManagement } from "./service.ts";
export { type ManagementSettings, readManagementSettings } from "./settings.ts";
export { Publishing } from "./snapshot-publishing/publishing.ts";
