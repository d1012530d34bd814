import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { cookieValue, isSecure } from "@diegetic/service-kit";

const LIFETIME_SECONDS = 180 * 24 * 60 * 60;
const ID_BYTES = 16;
const VALUE = /^([\w-]{22})\.([\w-]{43})$/;

/**
 * Cookies that distinguish a user's own browsers from strangers' for password guessing: a guesser uses up only the
 * strangers' limit. They prove nothing else (OWASP: Slow Down Online Guessing Attacks with Device Cookies).
 */
export class DeviceCookies {
  readonly #key: Buffer;
  readonly #name: string;
  readonly #attributes: string;

  /** @param secret at least 32 characters */
  constructor(secret: string, publicUrl: string | undefined) {
    this.#key = createHmac("sha256", secret).update("device cookies").digest();
    const secure = isSecure(publicUrl);
    this.#name = `${secure ? "__Host-" : ""}diegetic_device`;
    this.#attributes = `Max-Age=${LIFETIME_SECONDS}; Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
  }

  /** The header `Set-Cookie` for a browser after a successful sign-in. */
  issue(email: string): string {
    const id = randomBytes(ID_BYTES).toString("base64url");
    return `${this.#name}=${id}.${this.#proof(id, email).toString("base64url")}; ${this.#attributes}`;
  }

  /** Id of the browser, if the user has signed in on it before. @param header `Cookie` */
  find(header: string | undefined, email: string): string | undefined {
    const [, id, proof] = VALUE.exec(cookieValue(header, this.#name) ?? "") ?? [];
    if (id === undefined || proof === undefined) return undefined;
    const sent = Buffer.from(proof, "base64url");
    const right = this.#proof(id, email);
    return sent.length === right.length && timingSafeEqual(sent, right) ? id : undefined;
  }

  #proof(id: string, email: string): Buffer {
    return createHmac("sha256", this.#key).update(`${id}:${email.toLowerCase()}`).digest();
  }
}
