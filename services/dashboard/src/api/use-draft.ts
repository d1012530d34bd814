import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { sessionQuery } from "./session.ts";

interface Stored<Values> {
  /** What the form began with: a draft of something that has changed since is not offered. */
  initial: string;
  values: Values;
}

export interface Draft<Values> {
  restored: Values | undefined;
  save: (values: Values) => void;
  remove: () => void;
}

const NO_DRAFT = { restored: undefined, save: () => undefined, remove: () => undefined };

/**
 * The unsent values of a form, kept in the browser for the account until they are sent or discarded: nothing is lost by
 * leaving. Without a name nothing is kept.
 */
export function useDraft<Values>(name: string | undefined, initial: Values): Draft<Values> {
  const client = useQueryClient();
  const account = client.getQueryData(sessionQuery.queryKey)?.account.id;
  const initialText = JSON.stringify(initial);
  return useMemo(() => {
    if (name === undefined || account === undefined) return NO_DRAFT;
    const key = `diegetic-draft:${account}:${name}`;
    return {
      restored: read<Values>(key, initialText),
      save: (values) => write(key, JSON.stringify({ initial: initialText, values } satisfies Stored<Values>)),
      remove: () => localStorage.removeItem(key),
    };
  }, [name, account, initialText]);
}

function read<Values>(key: string, initial: string): Values | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? "null") as Stored<Values> | null;
    return stored?.initial === initial ? stored.values : undefined;
  } catch {
    return undefined;
  }
}

function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // A full or forbidden storage: the form works without drafts.
  }
}
