import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { centsOfAmount, numberOfText, separatorsOf } from "./amount.ts";

const LOCALES = ["en-US", "de-DE", "fr-FR", "de-CH", "es-ES", "en-IN"];

describe("centsOfAmount", () => {
  it.each(["50.00", "50,00", "50", " 50 ", "50.0", "50,0"])("reads %j as 50 in every locale", (text) => {
    for (const locale of LOCALES) expect(centsOfAmount(text, separatorsOf(locale))).toBe(5_000);
  });

  it.each([
    ["1.5", 150],
    ["2,50", 250],
    ["1,000.50", 100_050],
    ["1.000,50", 100_050],
    ["1 000,5", 100_050],
    ["1.000.000", 100_000_000],
    ["10,00,000.5", 100_000_050],
    ["-5", -500],
    ["", undefined],
  ])("reads %j as %p cents in every locale", (text, cents) => {
    for (const locale of LOCALES) expect(centsOfAmount(text, separatorsOf(locale))).toBe(cents);
  });

  it.each([
    ["1,000", "en-US", 100_000],
    ["1,000", "de-DE", Number.NaN],
    ["1.000", "de-DE", 100_000],
    ["1.005", "en-US", Number.NaN],
    ["12.", "en-US", 1_200],
    ["12,", "de-DE", 1_200],
    ["12.", "de-DE", Number.NaN],
    ["0,500", "en-US", Number.NaN],
    ["0.500", "de-DE", Number.NaN],
  ])("reads %j by the locale %s", (text, locale, cents) => {
    expect(centsOfAmount(text, separatorsOf(locale))).toBe(cents);
  });

  it.each([
    "1e3",
    "1.2.3",
    "1,00,0",
    "1,000,50",
    "12,34.5678",
    "five",
    "$5",
    "1.000.00",
    "--1",
    ".",
    "1,,0",
    "00,500",
  ])("does not guess what %j means", (text) => {
    for (const locale of LOCALES) expect(centsOfAmount(text, separatorsOf(locale))).toBeNaN();
  });

  it("reads what any locale writes back", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000_000 }),
        fc.constantFrom(...LOCALES),
        (cents, locale) => {
          const format = new Intl.NumberFormat(locale, {
            minimumFractionDigits: 2,
            maximumFractionDigits: 2,
          });
          expect(centsOfAmount(format.format(cents / 100), separatorsOf(locale))).toBe(cents);
        },
      ),
    );
  });
});

describe("numberOfText", () => {
  const decimals = true;
  it.each([
    ["7,5", "de-DE", decimals, 7.5],
    ["7,5", "en-US", decimals, 7.5],
    ["7.25", "de-DE", decimals, 7.25],
    ["-11,5741", "de-DE", decimals, -11.5741],
    ["48,137", "de-DE", decimals, 48.137],
    ["48,137", "fr-FR", decimals, 48.137],
    ["48.137", "en-US", decimals, 48.137],
    ["1,000", "en-US", decimals, 1_000],
    ["1.000", "fr-FR", decimals, Number.NaN],
    ["10.000", "de-DE", !decimals, 10_000],
    ["10,000", "en-US", !decimals, 10_000],
    ["10 000", "fr-FR", !decimals, 10_000],
    ["1,000,000", "en-US", !decimals, 1_000_000],
    ["10.000", "en-US", !decimals, Number.NaN],
    ["7,5", "de-DE", !decimals, Number.NaN],
    ["42", "en-US", !decimals, 42],
    ["1.2.3", "en-US", decimals, Number.NaN],
    ["five", "en-US", decimals, Number.NaN],
  ])("reads %j of a %s, with decimals %s, as %d", (text, locale, mayHaveDecimals, number) => {
    expect(numberOfText(text, separatorsOf(locale), mayHaveDecimals)).toBe(number);
  });
});
