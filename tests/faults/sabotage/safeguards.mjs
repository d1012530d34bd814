/**
 * Safeguards of the product, and what takes each of them out. The suite has to fail without any one of them.
 *
 * @typedef {{ file: string, search: string, replacement: string }} Patch `file`: how the path ends
 * @type {Record<string, { what: string, patches: Patch[] }>}
 */
export const SAFEGUARDS = {};

/** Throws when the text is not there exactly once: then the product has changed and the patch has to follow it. */
export function replaceOnce(text, { file, search, replacement }) {
  const parts = text.split(search);
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times: ${search}`);
  return parts.join(replacement);
}
