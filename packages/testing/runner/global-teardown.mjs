/** Jest's globalTeardown: stops what global-setup.mjs started. */
export default async function globalTeardown() {
  await globalThis.stopTestStores?.();
}
