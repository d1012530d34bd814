import { hash } from "node:crypto";

/** Maximum distinct statement texts; the code has far fewer. */
const MAX_NAMES = 1_000;

/** Names of prepared statements; equal texts have equal names. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** Throws RangeError for too many distinct texts, such as texts that contain values. */
  of(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_NAMES) throw new RangeError(`more than ${MAX_NAMES} different statements`);
    const name = hash("sha256", text, "hex").slice(0, 32);
    this.#names.set(text, name);
    return name;
  }
}
