/** `npm run --silent slices -- --advertiser ID --slices N`: divides the wallet of a hot advertiser. */
import { runCommand } from "./lib/setup.mjs";

await runCommand("runSlicesCommand");
