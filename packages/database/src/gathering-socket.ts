import { Socket } from "node:net";

/**
 * A socket that sends at once what is written before the event loop's next task: a write is a system call, about as
 * expensive as the rest of a statement. With TLS it gathers nothing, because the driver replaces it.
 */
export function gatheringSocket(): Socket {
  const socket = new Socket();
  const { write } = socket;
  let isGathering = false;
  socket.write = (...parts: unknown[]) => {
    if (!isGathering) {
      isGathering = true;
      socket.cork();
      process.nextTick(() => {
        isGathering = false;
        socket.uncork();
      });
    }
    return Reflect.apply(write, socket, parts) as boolean;
  };
  return socket;
}
