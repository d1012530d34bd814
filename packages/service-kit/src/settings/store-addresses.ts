import type { Setting } from "./settings.ts";

/** The address of a single Redis, or of a cluster as `redis-cluster://h1:p1,h2:p2`. May contain a password. */
export const redisUrlSetting: Setting<string> = {
  variable: "REDIS_URL",
  parse: (text) =>
    /^rediss?-cluster:/.test(text)
      ? parseCluster(text)
      : parseAddress(text, ["redis", "rediss", "redis-cluster", "rediss-cluster"], "redis://127.0.0.1:6379"),
};

/** The address of the Postgres database. May contain a password. */
export const databaseUrlSetting: Setting<string> = {
  variable: "DATABASE_URL",
  parse: (text) =>
    parseAddress(text, ["postgres", "postgresql"], "postgres://user:password@127.0.0.1:5432/name"),
};

const CLUSTER_EXAMPLE = "redis-cluster://user:password@10.0.0.1:6379,10.0.0.2:6379";
const CLUSTER = /^rediss?-cluster:\/\/(?:(?<credentials>.*)@)?(?<nodes>[^@]*)$/;
const MAX_PORT = 65_535;

/** Errors do not quote the text, which may contain a password. */
function parseAddress(text: string, schemes: readonly string[], example: string): string {
  if (text === "") throw new Error(`an address like ${example}`);
  const wrong = (what: string) => new Error(`an address like ${example}, and this one ${what}`);
  const scheme = schemes.find((candidate) => text.startsWith(`${candidate}://`));
  if (scheme === undefined) {
    throw wrong(`does not begin with ${schemes.map((name) => `${name}://`).join(" or ")}`);
  }
  // Drivers do not trim spaces.
  const rest = text.slice(scheme.length).replaceAll(" ", "%20");
  // A user without a host is no URL, but drivers read it: the host is then that of the query, a Unix socket.
  const readable = `store${rest.replace(/^(:\/\/[^/?]*@)(?=\/)/, "$1.")}`;
  if (!URL.canParse(readable)) {
    throw wrong(
      "cannot be read: see that the port is a number, and write / # ? @ of a password as %2F %23 %3F %40",
    );
  }
  const { hostname, port, searchParams } = new URL(readable);
  if (["", "."].includes(hostname) && !searchParams.has("host")) throw wrong("names no host");
  if (port !== "" && Number(port) === 0) throw wrong("names port 0");
  return text;
}

function parseCluster(text: string): string {
  const wrong = (what: string) => new Error(`an address like ${CLUSTER_EXAMPLE}, and ${what}`);
  const { credentials = "", nodes = "" } = CLUSTER.exec(text)?.groups ?? {};
  const isNode = (node: string) => {
    const port = /^[^\s/:]+:(\d{1,5})$/.exec(node)?.[1];
    return port !== undefined && Number(port) > 0 && Number(port) <= MAX_PORT;
  };
  if (!nodes.split(",").every(isNode)) {
    throw wrong("not all of this one are hosts with their ports, divided by commas");
  }
  if (credentials !== "" && !isCredentials(credentials)) {
    throw wrong(
      "what stands before @ in this one is not user:password: write / # ? @ % of a password as %2F %23 %3F %40 %25",
    );
  }
  return text;
}

function isCredentials(text: string): boolean {
  try {
    decodeURIComponent(text);
  } catch {
    return false;
  }
  return /^[^:/?#@]*:[^/?#@]*$/.test(text);
}
