import { askStores } from "./stores.ts";

export interface TestDatabase {
  /** `postgres://…` of an empty, migrated database that nobody else uses. */
  url: string;
  /** Removes the database, whoever is still connected. */
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
