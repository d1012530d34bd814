const mostTexts = 20_000;

/** One string for equal ones: what is read from JSON has a new one each time, and campaigns repeat each other's words. */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  share<Text extends string>(text: Text): Text {
    const known = this.#texts.get(text);
    if (known !== undefined) return known as Text;
    if (this.#texts.size >= mostTexts) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}
