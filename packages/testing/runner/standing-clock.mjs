/**
 * Loaded into a process by NODE_OPTIONS: its monotonic clock stands still while the process is stopped, like that of a
 * suspended virtual machine.
 */
const MAX_GAP_MS = 500;
const READ_EVERY_MS = 20;

const now = performance.now.bind(performance);
let lastMs = now();
let lostMs = 0;
performance.now = () => {
  const readMs = now();
  if (readMs - lastMs > MAX_GAP_MS) lostMs += readMs - lastMs;
  lastMs = readMs;
  return readMs - lostMs;
};
setInterval(() => performance.now(), READ_EVERY_MS).unref();
