export interface TestDatabase {
  /** `postgres://…` of an empty, migrated database that nobody else uses. */
  url: string;
  /** Removes the database, whoever is still connected. */
  drop(): Promise<void>;
}

/** A fresh copy of the migrated template database; drop it in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, name } = (await ask("POST", "")) as { url: string; name: string };
  return {
    url,
    drop: async () => {
      await ask("DELETE", name);
    },
  };
}

async function ask(method: string, name: string): Promise<unknown> {
  const address = process.env.DIEGETIC_TEST_DATABASES;
  if (address === undefined)
    throw new Error("test databases are offered by jest's globalSetup: run tests by jest");
  const response = await fetch(`${address}/${name}`, { method });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}
