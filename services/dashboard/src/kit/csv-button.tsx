import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { type CallOptions, LONG_TIMEOUT_MS, readText } from "../api/call.ts";
import { csvInDollars, download } from "../format/csv.ts";
import { notifyFailed } from "./notify.ts";

interface CsvButtonProps {
  fileName: string;
  /** Asks the API for the table, with these options. */
  read: (csv: CallOptions) => Promise<Response>;
  /** "The earnings could not be downloaded." */
  failure: string;
  children: ReactNode;
}

const CSV: CallOptions = { accept: "text/csv", timeoutMs: LONG_TIMEOUT_MS };

/** Downloads a table of the API that has more rows than the page; its amounts are in dollars, as on the page. */
export function CsvButton({ fileName, read, failure, children }: CsvButtonProps) {
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      download(fileName, csvInDollars(await readText(await read(CSV))));
    } catch (error) {
      notifyFailed(failure, error);
    } finally {
      setSaving(false);
    }
  };
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      loading={isSaving}
      onClick={() => void save()}
    >
      {children}
    </Button>
  );
}
