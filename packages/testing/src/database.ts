import { askStores } from "./stores.ts";

export interface TestDatabase {
  /** `postgres://…` of an empty, migrated database for this caller only. */
  url: string;
  /** Drops the database, also with open connections. */
  drop(): Promise<void>;
}

/** A fresh copy of the migrated template database; drop it in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, name } = (await askStores("POST", "databases")) as { url: string; name: string };
  return {
    url,
    drop: async () => {
      await askStores("DELETE", "databases", name);
    },
  };
}
