import { findProgram } from "./debian-package.ts";

/**
 * Finds Chromium for the browser tests on the PATH, or installs it with apt-get where that needs no password. Throws
 * SetupError with one sentence that says what to install.
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
