import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { sessionQuery } from "./session.ts";

export interface Draft<Values> {
  restored: Partial<Values> | undefined;
  /** Keeps the changes; removes the draft when there are none. */
  save: (changes: Partial<Values>) => void;
  remove: () => void;
}

const NO_DRAFT = { restored: undefined, save: () => undefined, remove: () => undefined };

/**
 * The unsent changes of a form, kept in the browser for the account until they are sent or discarded: nothing is lost by
 * leaving. Fields that were not changed are not kept: others may change them meanwhile. Without a name nothing is kept, nor for
 * a viewer, who cannot send it.
 */
export function useDraft<Values>(name: string | undefined): Draft<Values> {
  const client = useQueryClient();
  const session = client.getQueryData(sessionQuery.queryKey);
  const account = session?.role === "viewer" ? undefined : session?.account.id;
  return useMemo(() => {
    if (name === undefined || account === undefined) return NO_DRAFT;
    const key = `diegetic-draft:${account}:${name}`;
    const remove = () => write(key, undefined);
    return {
      restored: read<Values>(key),
      save: (changes) => {
        if (Object.keys(changes).length === 0) remove();
        else write(key, JSON.stringify({ changes }));
      },
      remove,
    };
  }, [name, account]);
}

function read<Values>(key: string): Partial<Values> | undefined {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? "null") as { changes: Partial<Values> } | null)?.changes;
  } catch {
    return undefined;
  }
}

function write(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // A full or forbidden storage: the form works without drafts.
  }
}
