import classes from "./brand.module.css";

export function Brand() {
  return (
    <span className={classes.brand}>
      <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <path d="M6 4h6a8 8 0 0 1 0 16H6z" fill="none" stroke="currentColor" strokeWidth="2" />
        <path d="M6 1.5v21" stroke="var(--ember)" strokeWidth="2.5" />
      </svg>
      Diegetic
    </span>
  );
}
