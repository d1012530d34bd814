/** Jest's globalTeardown: stops what global-setup.mjs has started. */
export default async function globalTeardown() {
  await globalThis.stopTestStores?.();
}
