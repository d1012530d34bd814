export { sliceWallet } from "./core/advertisers/slice-wallet.ts";
export { ALL_SCOPES, createAccountWithKey, type KeyOptions } from "./features/api-keys/create-account.ts";
export { createDemo, type Demo } from "./features/demo/demo.ts";
export { endDemoAccess } from "./features/demo/end.ts";
export { demoHistory, recordDemoCalls } from "./features/demo/history.ts";
export { createDemoLogin, type DemoLogin } from "./features/demo/login.ts";
export { demoGameKey, preparePlay } from "./features/demo/play.ts";
export { resetPassword } from "./features/sessions/reset-password.ts";
