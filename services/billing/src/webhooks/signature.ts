import { createHmac } from "node:crypto";

/** The value of `Diegetic-Signature`: a signature by each secret over the time and the body. */
export function signatureOf(body: string, secrets: readonly string[], unixSeconds: number): string {
  const signatures = secrets.map((secret) => {
    const hex = createHmac("sha256", secret).update(`${unixSeconds}.${body}`).digest("hex");
    return `v1=${hex}`;
  });
  return [`t=${unixSeconds}`, ...signatures].join(",");
}
