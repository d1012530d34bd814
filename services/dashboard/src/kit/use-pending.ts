import { useState } from "react";

interface Pending {
  isPending: (id: string) => boolean;
  /** Does the work; until it has ended either way, `isPending(id)` is true. */
  whilePending: <T>(id: string, work: () => Promise<T>) => Promise<T>;
}

/** For which rows something is under way, so that a button shows it and cannot be pressed twice. */
export function usePending(): Pending {
  const [ids, setIds] = useState<readonly string[]>([]);
  return {
    isPending: (id) => ids.includes(id),
    whilePending: async (id, work) => {
      setIds((former) => [...former, id]);
      try {
        return await work();
      } finally {
        setIds((former) => former.filter((other) => other !== id));
      }
    },
  };
}
