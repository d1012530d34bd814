import { ApiError } from "./api-error.ts";

/**
 * The address of an operation below the API's own path. Throws the ApiError of a refusal for a parameter of the path that a browser
 * takes for a folder, however it is encoded: the request would reach another operation.
 */
export function addressBelow(
  template: string,
  path: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const filled = template.replace(/\{([a-z_]+)\}/g, (_braces, name: string) => segmentOf(path[name] ?? ""));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value)]],
    ),
  ).toString();
  return `${filled}${search === "" ? "" : `?${search}`}`;
}

/** Whether a browser removes this part from a path: this folder, or the one above it. */
export function isFolder(text: string): boolean {
  return text === "." || text === "..";
}

function segmentOf(text: string): string {
  if (!isFolder(text)) return encodeURIComponent(text);
  throw new ApiError(
    422,
    `Browsers cannot ask for “${text}”, which means a folder in an address: use another ID.`,
  );
}
