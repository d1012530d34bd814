const VERIFIED_MODE = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;
const OTHER_MEANING = "uselibpqcompat=true";

/**
 * DATABASE_URL for the driver. It verifies certificate and host in each mode that uses TLS, but warns at every start unless the
 * mode says so. Other modes stay, as do all where the address asks for their meaning in libpq.
 */
export function connectionStringOf(url: string): string {
  return url.includes(OTHER_MEANING) ? url : url.replace(VERIFIED_MODE, "$1verify-full");
}
