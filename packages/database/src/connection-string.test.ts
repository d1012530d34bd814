import { expect, it } from "@jest/globals";
import { connectionStringOf } from "./connection-string.ts";

it.each([
  ["postgres://u:p@h/db?sslmode=require", "postgres://u:p@h/db?sslmode=verify-full"],
  ["postgres://u:p@h/db?a=1&sslmode=verify-ca&b=2", "postgres://u:p@h/db?a=1&sslmode=verify-full&b=2"],
  ["postgres://u:p@h/db?sslmode=disable", "postgres://u:p@h/db?sslmode=disable"],
  [
    "postgres://u:p@h/db?uselibpqcompat=true&sslmode=require",
    "postgres://u:p@h/db?uselibpqcompat=true&sslmode=require",
  ],
  ["postgres://u:sslmode=require@h/db", "postgres://u:sslmode=require@h/db"],
])("names the mode that the driver uses: %s", (url, expected) => {
  expect(connectionStringOf(url)).toBe(expected);
});
