export { freePort } from "@diegetic/local-stores";
