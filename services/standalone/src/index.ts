export { runStack } from "./run.ts";
