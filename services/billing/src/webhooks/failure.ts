interface Failure extends Error {
  code?: string;
  syscall?: string;
}

const CLOSED = "the connection was closed without an answer";
const UNREACHABLE = "the host cannot be reached";
const UNTRUSTED = "the certificate's issuer is not trusted, or an intermediate certificate is missing";

const LOOKUP_FAILURES: Record<string, string> = {
  ENOTFOUND: "the host was not found",
  ENODATA: "the host has no address",
};

const FAILURES: Record<string, string> = {
  ECONNREFUSED: "the host refused the connection",
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ETIMEDOUT: "the host did not accept the connection in time",
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host",
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  HPE_HEADER_OVERFLOW: "the headers of the answer are too large",
};

/** The error of a request without an answer, in words for the owner of the webhook. */
export function describeFailure({ code, syscall = "", message }: Failure): string {
  if (code === undefined) return message || "the connection failed";
  if (/^(?:query|getaddrinfo)/.test(syscall)) {
    return LOOKUP_FAILURES[code] ?? `the host cannot be looked up (${code})`;
  }
  return FAILURES[code] ?? describeKind(code);
}

function describeKind(code: string): string {
  if (code.startsWith("HPE_")) return `the answer is not valid HTTP (${code})`;
  if (code === "EPROTO" || code.startsWith("ERR_SSL_")) return `the TLS connection failed (${code})`;
  if (/CERT|CRL|CHAIN/.test(code)) return `the certificate is not valid (${code})`;
  return `the request failed (${code})`;
}
