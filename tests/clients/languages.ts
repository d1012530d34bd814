import type { Outcome } from "./scenarios.ts";
import { runTypeScript } from "./typescript-runner.ts";

export interface Language {
  name: string;
  /** Why the client cannot be run on this machine. */
  missing?: string;
  run(serverUrl: string, directory: string): Promise<Outcome[]>;
}

export const languages: Language[] = [{ name: "TypeScript", run: runTypeScript }];
