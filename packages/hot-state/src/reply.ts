/** A script's reply: strings and integers in lists. */
export type ScriptReply = string | number | null | ScriptReply[];

/** A script's reply does not match its header. Never treated as a refusal: the caller fails. */
export class UnexpectedReply extends Error {
  constructor(script: string, reply: unknown) {
    super(`script ${script} answered ${JSON.stringify(reply)}`);
    this.name = "UnexpectedReply";
  }
}

/** Reads the fields of a script's reply; throws `UnexpectedReply` where it does not match the header. */
export class ReplyReader {
  private readonly fields: string[];
  readonly script: string;

  constructor(script: string, reply: ScriptReply) {
    if (!Array.isArray(reply) || !reply.every((field) => typeof field === "string")) {
      throw new UnexpectedReply(script, reply);
    }
    this.script = script;
    this.fields = reply;
  }

  /**
   * For a script defined by `defineLinesScript`.
   *
   * @param fieldsOf number of fields, given the first one: a line break inside a field would shift the rest
   */
  static ofLines(
    script: string,
    reply: ScriptReply,
    fieldsOf: Readonly<Record<string, number>>,
  ): ReplyReader {
    if (typeof reply !== "string") throw new UnexpectedReply(script, reply);
    const reader = new ReplyReader(script, reply.split("\n"));
    if (fieldsOf[reader.text(0)] !== reader.length) throw reader.unexpected();
    return reader;
  }

  get length(): number {
    return this.fields.length;
  }

  /** All fields. */
  texts(): readonly string[] {
    return this.fields;
  }

  text(index: number): string {
    const field = this.fields[index];
    if (field === undefined) throw this.unexpected();
    return field;
  }

  /** One of the codes in the header. */
  code<Code extends string>(index: number, codes: readonly Code[]): Code {
    const field = this.text(index);
    const code = codes.find((known) => known === field);
    if (code === undefined) throw this.unexpected();
    return code;
  }

  integer(index: number): number {
    const value = parseInteger(this.text(index));
    if (value === null) throw this.unexpected();
    return value;
  }

  /** An integer, or null for the empty string. */
  optionalInteger(index: number): number | null {
    return this.text(index) === "" ? null : this.integer(index);
  }

  unexpected(): UnexpectedReply {
    return new UnexpectedReply(this.script, this.fields);
  }
}

/** An integer in plain digits, exact in a double; null for any other text. */
export function parseInteger(text: string): number | null {
  if (!/^-?\d{1,16}$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}
