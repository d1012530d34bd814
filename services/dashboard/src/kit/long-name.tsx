import classes from "./long-name.module.css";

interface LongNameProps {
  children: string;
  /** In a column that is not about the row itself: no wider than it needs. */
  isAside?: boolean;
}

/** A name of up to 200 characters in a table: two or three lines of it, and all of it on hover; on a phone, all of it. */
export function LongName({ children: name, isAside = false }: LongNameProps) {
  return (
    <span className={isAside ? classes.aside : classes.name} title={name}>
      {name}
    </span>
  );
}
