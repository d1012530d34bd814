import { hash } from "node:crypto";

/** Texts of which the names are kept; the code has far fewer. */
const MAX_NAMES = 1_000;

/** The names that statements are prepared under: the same text has the same name. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** Throws RangeError where texts differ without end. */
  of(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_NAMES) throw new RangeError(`more than ${MAX_NAMES} different statements`);
    const name = hash("sha256", text, "hex").slice(0, 32);
    this.#names.set(text, name);
    return name;
  }
}
