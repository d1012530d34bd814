import { Button, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./sentence-button.module.css";

interface SentenceButtonProps extends ButtonProps {
  onClick: () => void;
  children: ReactNode;
}

/** A button whose words may be too long for one line: it takes as many as they need. */
export function SentenceButton(props: SentenceButtonProps) {
  return <Button classNames={{ root: classes.root ?? "", label: classes.label ?? "" }} {...props} />;
}
