import { newId, type Operation } from "@diegetic/contracts";
import { repeatedly, retryAfterMs, type SeenAnswer } from "@diegetic/testing/documented";
import { eventually } from "@diegetic/testing/eventually";
import { BASE_PATH } from "../composed-api.fixture.ts";
import type { World } from "./world.fixture.ts";

const PASSWORD = "a password of tests";
export const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };

/** A user who has just signed up, and the cookie of their browser. */
export interface SignedUp {
  userId: string;
  email: string;
  cookie: string;
}

export async function signUp(world: World): Promise<SignedUp> {
  const email = `${newId("usr")}@example.com`;
  const body = { name: "Ada", email, password: PASSWORD };
  const ask = () => call(world, { method: "POST", path: "/auth/sign-up" }, OWN_PAGE, body);
  // A busy machine may need longer than a sign-up waits for what it has stored.
  const { headers, text } = await repeatedly(ask, (sent) =>
    retryAfterMs(sent.status, sent.headers["retry-after"]),
  );
  const cookie = headers["set-cookie"]?.split(";", 1)[0] ?? "";
  return { userId: JSON.parse(text).user.id, email, cookie };
}

function call(
  { api }: World,
  { method, path }: Pick<Operation, "method" | "path">,
  headers: Record<string, string>,
  body?: object,
): Promise<SeenAnswer> {
  return api.send({
    method,
    path: BASE_PATH + path.replace(/\{\w+\}/g, "any"),
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** One user for the requests that change nothing: a sign-up takes long, and few are allowed in a minute. */
const lasting = new WeakMap<World, Promise<SignedUp>>();

export async function cookieOf(world: World): Promise<string> {
  const user = lasting.get(world) ?? signUp(world);
  lasting.set(world, user);
  return (await user).cookie;
}

/** While every new session ends at once, as by a change of its password on another browser. */
async function withSessionsEnded<T>({ api }: World, work: () => Promise<T>): Promise<T> {
  const { database } = api;
  await database.$executeRaw`
    CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN DELETE FROM user_sessions WHERE id = NEW.id; RETURN NULL; END'`;
  await database.$executeRaw`
    CREATE TRIGGER end_session AFTER INSERT ON user_sessions FOR EACH ROW EXECUTE FUNCTION end_session()`;
  try {
    return await work();
  } finally {
    await database.$executeRaw`DROP FUNCTION end_session CASCADE`;
  }
}

/** Of operations that only browsers call: `403 cross_site` → how to come to read it. */
export const dashboardRefusals: Readonly<
  Record<string, (world: World, operation: Operation) => Promise<SeenAnswer>>
> = {
  "403 api_key": (world, operation) => call(world, operation, { Authorization: `Bearer ${world.owner.key}` }),
  "403 cross_site": async (world, operation) =>
    call(world, operation, { Cookie: await cookieOf(world), "Sec-Fetch-Site": "cross-site" }),
  "403 unknown_host": async (world, operation) =>
    call(world, operation, { Cookie: await cookieOf(world), ...OWN_PAGE, Host: "rebound.example" }),
  "400 unusable_email": (world, operation) =>
    call(world, operation, OWN_PAGE, { name: "Ada", email: "a!b@example.com", password: PASSWORD }),
  "401 overtaken": async (world, operation) => {
    if (operation.operationId === "signUp") {
      const body = { name: "Ada", email: `${newId("usr")}@example.com`, password: PASSWORD };
      return withSessionsEnded(world, () => call(world, operation, OWN_PAGE, body));
    }
    const { userId, email, cookie } = await signUp(world);
    if (operation.operationId === "changePassword") {
      const body = { current_password: PASSWORD, new_password: `${PASSWORD}!` };
      return withSessionsEnded(world, () => call(world, operation, { ...OWN_PAGE, Cookie: cookie }, body));
    }
    const { database } = world.api;
    const { answer } = await database.$transaction(
      async (transaction) => {
        await transaction.$executeRaw`UPDATE user_credentials SET password = password || 'x' WHERE user_id = ${userId}`;
        // Stops after the former password was checked, before the session is admitted.
        const answer = call(world, operation, OWN_PAGE, { email, password: PASSWORD });
        await eventually(async () => {
          const waiting = await database.$queryRaw<unknown[]>`
            SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND query LIKE '%user_credentials%'`;
          return waiting.length > 0;
        });
        return { answer };
      },
      { timeout: 60_000 },
    );
    return answer;
  },
};
