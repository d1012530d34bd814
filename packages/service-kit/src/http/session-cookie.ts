/** The name of the session cookie. Over https it has a prefix that keeps subdomains from setting it. */
export function sessionCookieName(publicUrl: string | undefined): string {
  return isSecure(publicUrl) ? "__Host-diegetic_session" : "diegetic_session";
}

/** Whether browsers reach the service over https; then the cookie must be `Secure`. */
export function isSecure(publicUrl: string | undefined): boolean {
  return publicUrl?.startsWith("https://") === true;
}

const MAX_VALUE_CHARACTERS = 500;

/** The decoded value of a cookie; undefined: missing, or not a valid session value. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at < 0 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    if (value === "" || value.length > MAX_VALUE_CHARACTERS) return undefined;
    try {
      return decodeURIComponent(value);
    } catch {
      return undefined;
    }
  }
  return undefined;
}
