/**
 * The cost of reading and changing a campaign without the product: straightforward Express 5 and pg. A change is begin,
 * select for update, update, commit.
 */
import type { AddressInfo } from "node:net";
import express from "express";
import pg from "pg";

const { DATABASE_URL } = process.env;
if (DATABASE_URL === undefined) throw new Error("DATABASE_URL is missing");
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const app = express();
app.use(express.json());

app.get("/campaigns/:id", async (request, response) => {
  const { rows } = await pool.query("SELECT * FROM campaigns WHERE id = $1", [request.params.id]);
  response.json(rows[0]);
});

app.patch("/campaigns/:id", async (request, response) => {
  const { id } = request.params;
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT * FROM campaigns WHERE id = $1 FOR UPDATE", [id]);
    const { rows } = await client.query(
      "UPDATE campaigns SET cpm_bid_cents = $2, version = version + 1, updated_at = now() WHERE id = $1 RETURNING *",
      [id, request.body.cpm_bid_cents],
    );
    await client.query("COMMIT");
    response.json(rows[0]);
  } finally {
    client.release();
  }
});

const server = app.listen(0, "127.0.0.1", () => {
  process.send?.({ type: "ready", port: (server.address() as AddressInfo).port });
});
process.on("disconnect", () => process.exit(0));
