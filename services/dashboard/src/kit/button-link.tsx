import { Button, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";

interface ButtonLinkProps extends ButtonProps {
  to: string;
  onClick?: () => void;
  children: ReactNode;
}

export function ButtonLink(props: ButtonLinkProps) {
  return <Button component={Link} {...props} />;
}
