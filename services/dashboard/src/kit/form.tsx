import type { ReactNode } from "react";

interface FormProps {
  onSend: () => Promise<void>;
  /** Its fields can be read, and not changed. */
  isReadOnly?: boolean;
  children: ReactNode;
}

/** A form that the schemas of the API check, not the browser. */
export function Form({ onSend, isReadOnly = false, children }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void onSend();
      }}
      noValidate
    >
      {isReadOnly ? (
        <fieldset disabled style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
          {children}
        </fieldset>
      ) : (
        children
      )}
    </form>
  );
}
