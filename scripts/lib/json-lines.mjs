/** Reads a file of JSON lines in bounded memory. */
import { createReadStream } from "node:fs";

const NEWLINE = 0x0a;

/**
 * The lines of a file that are not blank: `number` from 1, `text`, `bytes` read so far, and the bytes of the file that are the
 * line, from `start` up to, but not including, `end`. A line of more than `maxBytes` comes without its text.
 */
export async function* readLines(file, maxBytes) {
  let number = 1;
  let bytes = 0;
  let rest = [];
  let restBytes = 0;
  let start = 0;
  const line = () => {
    const text = restBytes > maxBytes ? undefined : Buffer.concat(rest).toString("utf8").trim();
    return { number, bytes, start, end: start + restBytes, text };
  };
  const keep = (part) => {
    restBytes += part.length;
    if (restBytes <= maxBytes) rest.push(part);
    else rest = [];
  };
  for await (const chunk of createReadStream(file)) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at));
      bytes += at - from + 1;
      from = at + 1;
      const found = line();
      if (found.text !== "") yield found;
      number += 1;
      rest = [];
      restBytes = 0;
      start = bytes;
    }
    bytes += chunk.length - from;
    // A copy, so that the rest of a line does not retain the whole chunk.
    keep(Buffer.from(chunk.subarray(from)));
  }
  const last = line();
  if (last.text !== "") yield last;
}
