import { describe, expect, it } from "@jest/globals";
import { type SeenAnswer, undocumented } from "./documented.ts";

const limits = {
  "x-ratelimit-limit": "100",
  "x-ratelimit-remaining": "99",
  "x-ratelimit-reset": "1796117460",
};
const json = { "content-type": "application/json; charset=utf-8" };
const deposit: SeenAnswer = {
  method: "POST",
  path: "/api/deposit",
  status: 200,
  headers: { ...limits, ...json },
  text: '{"balance_cents":5,"deposited_cents":5}',
};
const noMatch: SeenAnswer = {
  method: "POST",
  path: "/api/match",
  status: 204,
  headers: { ...limits, "x-no-match-reason": "budget" },
  text: "",
};
const error = (path: string, status: number, headers: object = {}): SeenAnswer => ({
  ...deposit,
  path,
  status,
  headers: { ...limits, ...json, ...headers },
  text: '{"detail":"no"}',
});

describe("checking an answer against the API document", () => {
  it.each<[string, SeenAnswer]>([
    ["an answer", deposit],
    ["no match", noMatch],
    ["a list", { ...deposit, method: "GET", path: "/api/campaigns", text: "[]" }],
    ["the head of a list", { ...deposit, method: "HEAD", path: "/api/campaigns", text: "" }],
    ["an error", error("/api/deposit", 422)],
    ["an unknown path", error("/api/nothing", 404)],
    ["another method", { ...error("/api/deposit", 405, { allow: "POST" }), method: "PUT" }],
    ["a page outside the API", { ...deposit, path: "/docs", text: "<html>" }],
  ])("accepts %s", (_name, answer) => {
    expect(undocumented(answer)).toBeUndefined();
  });

  it.each<[string, SeenAnswer, RegExp]>([
    ["a status that is not listed", error("/api/deposit", 418), /418 is not listed/],
    ["another success", { ...deposit, status: 201 }, /201 is not listed/],
    ["a field too many", { ...deposit, text: '{"balance_cents":5,"deposited_cents":5,"x":1}' }, /additional/],
    ["a field too few", { ...deposit, text: '{"balance_cents":5}' }, /required property/],
    ["a fraction", { ...deposit, text: '{"balance_cents":5.5,"deposited_cents":5}' }, /integer/],
    [
      "an error with more than a detail",
      { ...error("/api/deposit", 422), text: '{"detail":"a","code":1}' },
      /additional/,
    ],
    ["no rate limit", { ...deposit, headers: json }, /lacks the header X-RateLimit-Limit/],
    [
      "a rate limit that is no number",
      { ...deposit, headers: { ...deposit.headers, "x-ratelimit-limit": "many" } },
      /X-RateLimit-Limit is many/,
    ],
    [
      "another media type",
      { ...deposit, headers: { ...limits, "content-type": "text/html" } },
      /Content-Type/,
    ],
    ["no match without a reason", { ...noMatch, headers: limits }, /lacks the header X-No-Match-Reason/],
    [
      "no match with an unknown reason",
      { ...noMatch, headers: { ...limits, "x-no-match-reason": "why" } },
      /is why/,
    ],
    ["no match with a body", { ...noMatch, text: "{}" }, /has a body/],
    ["401 that does not say how", error("/api/deposit", 401), /lacks the header WWW-Authenticate/],
    ["429 that does not say when", error("/api/deposit", 429), /lacks the header Retry-After/],
    ["success at an unknown path", { ...deposit, path: "/api/nothing" }, /200 instead of 404/],
    [
      "405 with the wrong methods",
      { ...error("/api/deposit", 405, { allow: "GET, POST" }), method: "PUT" },
      /Allow is GET, POST/,
    ],
  ])("refuses %s", (_name, answer, problem) => {
    expect(undocumented(answer)).toMatch(problem);
  });
});
