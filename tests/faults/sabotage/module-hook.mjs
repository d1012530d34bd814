/** Replaces text in the product's modules on load. */
import { replaceOnce } from "./safeguards.mjs";

let patches = [];

export function initialize(data) {
  patches = data;
}

export async function load(url, context, nextLoad) {
  const wanted = patches.filter(({ file }) => url.endsWith(file));
  const loaded = await nextLoad(url, context);
  if (wanted.length === 0) return loaded;
  const source = wanted.reduce(
    (text, patch) => replaceOnce(text, patch),
    Buffer.from(loaded.source).toString(),
  );
  return { ...loaded, source };
}
