import { findProgram } from "./debian-package.ts";

/**
 * The path of Chromium for the browser tests: from the PATH, else installed by apt-get where that is allowed without a
 * password. Fails with one sentence that says what to install.
 */
export function findChromium(onProgress: (line: string) => void = () => {}): Promise<string> {
  return findProgram(
    {
      names: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
      packageName: "chromium",
      whatToInstall: "Install Chromium or Chrome (Debian: apt-get install chromium).",
    },
    onProgress,
  );
}
