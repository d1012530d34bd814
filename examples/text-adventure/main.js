/** A text adventure in the terminal whose rooms can carry an ad's line. See README.md. */
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline/promises";
import { DiegeticClient } from "@diegetic/client";
import { FileOutbox } from "@diegetic/client/file-outbox";
import { Adventure } from "./adventure.js";

const GAME_ID = process.env.GAME_ID ?? "lantern-keep-adventure";

if (!process.env.DIEGETIC_KEY) {
  console.error("Set DIEGETIC_KEY to a key of the service: see README.md.");
  process.exit(2);
}

// A signal ends the input, and that ends the game in order.
const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => stopping.abort());

const client = new DiegeticClient({
  baseUrl: process.env.DIEGETIC_URL ?? "http://127.0.0.1:8080/api",
  apiKey: process.env.DIEGETIC_KEY,
  // Impressions of a game that was closed in a hurry are delivered at the next start.
  outbox: new FileOutbox({ path: process.env.OUTBOX ?? "text-adventure-impressions.jsonl" }),
  onEvent: (event) => {
    if (process.env.VERBOSE) console.error(event);
  },
});

// A deployed game does this once, with a key of its own; here it keeps the example in one file.
await client.api
  .enablePlacement({
    game_id: GAME_ID,
    body: { creator_id: "text-adventure", placement_types: ["narrative_hook", "location_brand"] },
  })
  .catch((error) => console.error(`The game goes on without ads: ${error.message}`));

const adventure = new Adventure();
const player = { userId: process.env.PLAYER ?? randomUUID(), sessionId: randomUUID() };

await showScene(adventure.look());
const { signal } = stopping;
const terminal = createInterface({ input: process.stdin, output: process.stdout, signal });
terminal.setPrompt("> ");
let isOpen = true;
terminal.once("close", () => {
  isOpen = false;
});
terminal.prompt();
for await (const line of terminal) {
  const scene = adventure.perform(line);
  if (scene === null) break;
  await showScene(scene);
  // The input may have ended while the scene was shown.
  if (isOpen) terminal.prompt();
}
terminal.close();
console.log("You leave Lantern Keep.");
await client.close();

/** Shows a scene with its ad, if one comes in time. */
async function showScene(scene) {
  const match = scene.isNew ? await client.match(asMatchRequest(scene)) : null;
  console.log(match === null ? scene.text : `${scene.text} ${plain(match.narrative_hook)}`);
  // The player has the text on the screen: that is what an advertiser pays for.
  if (match !== null) client.recordImpression(match);
}

/** Somebody else wrote the line, and a terminal acts on control characters. */
function plain(line) {
  return line.replace(/\p{Cc}/gu, " ");
}

function asMatchRequest(scene) {
  return {
    game_id: GAME_ID,
    user_id: player.userId,
    session_id: player.sessionId,
    game_context: {
      theme_id: "medieval",
      category: "text-adventure",
      narrative: scene.text,
      location: scene.location,
      mood_tags: scene.moods,
      actions: scene.actions,
    },
  };
}
