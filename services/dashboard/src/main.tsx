import "@fontsource-variable/inter";
import "@fontsource-variable/literata";
import "@fontsource-variable/jetbrains-mono";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./theme/global.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router/dom";
import { keepFocus } from "./app/keep-focus.ts";
import { createQueryClient } from "./app/query-client.ts";
import { createRouter } from "./app/router.tsx";
import { printInLight } from "./theme/print-in-light.ts";
import { theme, variablesResolver } from "./theme/theme.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no element root");
keepFocus();
printInLight();
const client = createQueryClient();
const router = createRouter();

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" cssVariablesResolver={variablesResolver}>
      <QueryClientProvider client={client}>
        <Notifications position="bottom-right" />
        {/* Fields whose text is in the address must show it at once: in a transition, a slow machine loses what is typed. */}
        <RouterProvider router={router} useTransitions={false} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
