import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Files of a self-signed certificate for localhost and 127.0.0.1. */
export interface TestCertificate {
  certificate: string;
  key: string;
  remove(): Promise<void>;
}

export async function createTestCertificate(): Promise<TestCertificate> {
  const dir = await mkdtemp(join(tmpdir(), "diegetic-certificate-"));
  const [certificate, key] = [join(dir, "certificate.pem"), join(dir, "key.pem")];
  await promisify(execFile)("openssl", [
    ...["req", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2", "-subj", "/CN=localhost"],
    ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
  ]);
  return { certificate, key, remove: () => rm(dir, { recursive: true, force: true }) };
}
