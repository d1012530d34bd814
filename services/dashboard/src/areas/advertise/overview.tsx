import { Page } from "../../kit/page.tsx";

export function Component() {
  return <Page title="Overview">{null}</Page>;
}
