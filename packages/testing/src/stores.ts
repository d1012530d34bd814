/** Requests a store from jest's globalSetup, or returns it by its name. */
export async function askStores(
  method: "POST" | "DELETE",
  kind: "databases" | "redis" | "redis-clusters",
  name = "",
): Promise<unknown> {
  const address = process.env.DIEGETIC_TEST_STORES;
  if (address === undefined)
    throw new Error("test stores are offered by jest's globalSetup: run tests by jest");
  const response = await fetch(`${address}/${kind}/${encodeURIComponent(name)}`, { method });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}
