import { findProgram } from "./debian-package.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"] as const;
const WHAT_TO_INSTALL = "Install Chromium or Chrome (Debian: apt-get install chromium).";

/**
 * Finds Chromium for the browser tests on the PATH, or installs it with apt-get where that needs no password: the shell
 * without windows, which takes a fifth less processor time, or the whole browser where no such package exists. Throws
 * SetupError with one sentence that says what to install.
 */
export async function findChromium(onProgress?: (line: string) => void): Promise<string> {
  const shell = "chromium-headless-shell";
  try {
    return await findProgram(
      { names: [shell, ...NAMES], packageName: shell, whatToInstall: WHAT_TO_INSTALL },
      onProgress,
    );
  } catch {
    return findProgram({ names: NAMES, packageName: "chromium", whatToInstall: WHAT_TO_INSTALL }, onProgress);
  }
}
