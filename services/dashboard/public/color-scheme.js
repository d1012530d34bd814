// Sets the colour scheme before the first paint. A file of its own, because the Content-Security-Policy allows no inline script.
(() => {
  const chosen = localStorage.getItem("mantine-color-scheme-value");
  const isDark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
})();
