/** Paths of the document and its page, outside the base path. */
export const DOCUMENT_PATH = "/openapi.json";
export const PAGE_PATH = "/docs";

/** The page loads everything from this service. Swagger UI needs style attributes and data images. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Diegetic API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${PAGE_PATH}/swagger-ui.css">
<link rel="stylesheet" href="${PAGE_PATH}/page.css">
</head>
<body>
<header><a href="/">Diegetic</a><span>API reference</span><a href="/">Dashboard</a><a href="${DOCUMENT_PATH}">OpenAPI document</a></header>
<div id="reference"><noscript>This page needs JavaScript; the document itself is at ${DOCUMENT_PATH}.</noscript></div>
<script src="${PAGE_PATH}/swagger-ui-bundle.js"></script>
<script src="${PAGE_PATH}/page.js"></script>
</body>
</html>
`;

/**
 * `validatorUrl: null`: the page contacts no other host. A link inside the button that opens an operation confuses screen
 * readers, and the only server needs no list to choose from, whose label is empty.
 */
export const PAGE_SCRIPT = `const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
followScheme();
dark.addEventListener("change", followScheme);
const accessible = ({ React: { createElement }, getSystem }) => ({
  components: {
    DeepLink: ({ text }) => createElement("span", null, text),
    ServersContainer: () => {
      const url = getSystem().specSelectors.specJson().getIn(["servers", 0, "url"]);
      return createElement("p", { className: "base-path" }, "Every path starts with ", createElement("code", null, url));
    },
  },
});
// Controls that Swagger UI leaves without a name, or names otherwise than they read.
const NAMES = [
  [".examples-select-element", "Example"],
  [".body-param__text", "Request body"],
  [".close-modal", "Close"],
  [".modal-btn.authorize", "Authorize"],
];
const completeControls = () => {
  for (const [selector, name] of NAMES) {
    for (const control of document.querySelectorAll(selector + ":not([aria-label='" + name + "'])")) {
      control.setAttribute("aria-label", name);
    }
  }
  // Long examples scroll: the keyboard reaches them too.
  for (const example of document.querySelectorAll("pre.microlight:not([tabindex])")) example.tabIndex = 0;
};
new MutationObserver(completeControls).observe(document.body, { childList: true, subtree: true });
SwaggerUIBundle({
  url: "${DOCUMENT_PATH}",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  filter: true,
  showExtensions: false,
  validatorUrl: null,
  syntaxHighlight: { theme: "obsidian" },
  plugins: [accessible],
});
`;

/** The dashboard's colours. The long selectors outweigh the rules of Swagger UI for its own dark scheme. */
export const PAGE_STYLE = `:root {
  color-scheme: light;
  --background: #FAF8F4; --surface: #FFFFFF; --wash: #F3EFE7; --line: #E6E1D8; --control: #928D83;
  --ink: #1C1B22; --muted: #5F5B66; --accent: #A84A08; --on-colour: #FFFFFF;
  --positive: #1B6E45; --warning: #8A5A00; --negative: #B42318; --info: #2B5FA4;
}
:root.dark-mode {
  color-scheme: dark;
  --background: #14151A; --surface: #1C1E26; --wash: #23252F; --line: #2D303B; --control: #6A6E7B;
  --ink: #ECEAF2; --muted: #A7A3B3; --accent: #F2A65A; --on-colour: #14151A;
  --positive: #5BC98C; --warning: #E0B341; --negative: #F07B6E; --info: #7FB0F2;
}
body { margin: 0; }
header, html:root .swagger-ui.swagger-ui,
html:root .swagger-ui.swagger-ui :not(code, code *, pre, pre *, textarea, .opblock-summary-path, .opblock-summary-path *) {
  font-family: "Inter Variable", Inter, system-ui, sans-serif; }
html:root .swagger-ui.swagger-ui :is(code, code *, pre, pre *, textarea, .opblock-summary-path, .opblock-summary-path *) {
  font-family: "JetBrains Mono Variable", "JetBrains Mono", ui-monospace, monospace; }
header { align-items: baseline; border-bottom: 1px solid var(--line); box-sizing: border-box; color: var(--muted); display: flex; flex-wrap: wrap;
  font-size: 14px; gap: 4px 16px; margin: 0 auto; max-width: 1100px; padding: 16px 20px; }
header a { color: var(--info); }
header a:first-child { color: var(--ink); font-family: "Literata Variable", Literata, Georgia, serif; font-size: 20px; font-weight: 600; text-decoration: none; }
header span { flex: 1; }
header a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
html:root, html:root body, html:root .swagger-ui.swagger-ui, html:root .swagger-ui.swagger-ui .scheme-container { background: var(--background); }
html:root .swagger-ui.swagger-ui, html:root .swagger-ui.swagger-ui :is(p, li, h1, h2, h3, h4, h5, h6, td, th, label, small, span, div, pre.base-url,
  button:not(.btn), .info .title, .tab li button, .response-col_links, .parameter__name) { color: var(--ink); }
html:root .swagger-ui.swagger-ui :is(.opblock-tag small, .opblock-summary-description, .parameter__type, .parameter__in, .prop-format,
  .response-control-media-type__accept-message, .json-schema-2020-12__attribute) { color: var(--muted); }
html:root .swagger-ui.swagger-ui :is(a, a span, .info a .url) { color: var(--info); }
html:root .swagger-ui.swagger-ui :is(.parameter__name.required span, .parameter__name.required::after, .required, .prop-type) { color: var(--negative); }
html:root .swagger-ui.swagger-ui :is(.prop-type, .json-schema-2020-12__attribute--primary) { color: var(--info); }
html:root .swagger-ui.swagger-ui :is(.markdown, .renderedMarkdown, .base-path) code {
  background: var(--wash); color: var(--ink); font-weight: 400; overflow-wrap: anywhere; padding: 1px 3px; }
html:root .swagger-ui.swagger-ui .info .title small, html:root .swagger-ui.swagger-ui .info .title small.version-stamp { background: var(--muted); }
html:root .swagger-ui.swagger-ui .info .title small pre { color: var(--on-colour); }
html:root .swagger-ui.swagger-ui .scheme-container { border-bottom: 1px solid var(--line); box-shadow: none; padding: 16px 0; }
html:root .swagger-ui.swagger-ui .scheme-container .schemes { align-items: center; }
html:root .swagger-ui.swagger-ui .opblock-tag { border-bottom-color: var(--line); }
html:root .swagger-ui.swagger-ui .opblock .opblock-summary { border-color: var(--line); }
html:root .swagger-ui.swagger-ui .opblock[class] { background: var(--surface); border: 1px solid var(--line); box-shadow: none; --method: var(--info); }
html:root .swagger-ui.swagger-ui .opblock.opblock-post { --method: var(--positive); }
html:root .swagger-ui.swagger-ui :is(.opblock.opblock-put, .opblock.opblock-patch) { --method: var(--warning); }
html:root .swagger-ui.swagger-ui .opblock.opblock-delete { --method: var(--negative); }
html:root .swagger-ui.swagger-ui .opblock[class] .opblock-summary-method { background: var(--method); color: var(--on-colour); text-shadow: none; }
html:root .swagger-ui.swagger-ui .opblock[class] .tab-header .tab-item .opblock-title span::after { background: var(--method); }
html:root .swagger-ui.swagger-ui .opblock[class] .opblock-section-header { background: var(--wash); border-color: var(--line); box-shadow: none; }
html:root .swagger-ui.swagger-ui :is(thead tr th, thead tr td, .response-col_status) { border-color: var(--line); color: var(--ink); }
html:root .swagger-ui.swagger-ui :is(input, select, textarea) { background-color: var(--surface); border: 1px solid var(--control); color: var(--ink); }
html:root .swagger-ui.swagger-ui :is(input, textarea)::placeholder { color: var(--muted); opacity: 1; }
html:root .swagger-ui.swagger-ui .btn { background: var(--surface); border-color: var(--control); box-shadow: none; color: var(--ink); }
html:root .swagger-ui.swagger-ui .btn[class] span, html:root .swagger-ui.swagger-ui .btn[class] svg { color: inherit; fill: currentColor; }
html:root .swagger-ui.swagger-ui .btn.execute { background: var(--accent); border-color: var(--accent); color: var(--on-colour); }
html:root .swagger-ui.swagger-ui .btn.cancel { border-color: var(--negative); color: var(--negative); }
html:root .swagger-ui.swagger-ui .dialog-ux .modal-ux { background: var(--surface); border-color: var(--line); }
html:root .swagger-ui.swagger-ui :is(.dialog-ux .modal-ux-header, .auth-container) { border-color: var(--line); }
html:root .swagger-ui.swagger-ui section.models, html:root .swagger-ui.swagger-ui section.models.is-open h4 { border-color: var(--line); }
html:root .swagger-ui.swagger-ui :is(.model-box, section.models .model-container, .json-schema-2020-12) { background: var(--wash); }
html:root .swagger-ui.swagger-ui :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
html:root .swagger-ui.swagger-ui pre.microlight, html:root .swagger-ui.swagger-ui pre.microlight code { overflow-wrap: anywhere; white-space: pre-wrap; }
html:root .swagger-ui.swagger-ui pre.microlight span:not([style*="color"]) { color: inherit; }
.swagger-ui .wrapper { max-width: 1100px; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .info .title { font-size: 28px; font-weight: 600; }
html:root .swagger-ui.swagger-ui .info :is(p, ul) { margin-left: 0; max-width: 80ch; }
html:root .swagger-ui.swagger-ui :is(.info, .opblock-description) :is(p, li) { line-height: 1.5; }
.swagger-ui .info li { margin-bottom: 8px; }
/* The header links it, and the description begins with the same words. */
.swagger-ui .info :is(.main > a, .info__summary) { display: none; }
html:root .swagger-ui.swagger-ui .opblock-tag { font-size: 20px; font-weight: 600; }
.swagger-ui .opblock-tag small { font-size: 13px; }
/* No operation has links. */
.swagger-ui .response-col_links { display: none; }
/* Hides the headers of errors: they repeat those of every answer, and the texts describe the relevant ones. */
.swagger-ui .response[data-code^="4"] .headers-wrapper,
.swagger-ui .response[data-code^="5"] .headers-wrapper { display: none; }
@media (max-width: 640px) {
  .swagger-ui .info ul { padding-left: 20px; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { flex-basis: 100%; order: 1; padding: 4px 0 0; }
  .swagger-ui .opblock-body, .swagger-ui .table-container, .swagger-ui .responses-inner { overflow-x: auto; }
  /* Parameters and answers below their names: beside them, they have half of the width. */
  .swagger-ui :is(table.parameters, .responses-table) > thead { display: none; }
  .swagger-ui :is(table.parameters, .responses-table),
  .swagger-ui :is(table.parameters, .responses-table) > tbody,
  .swagger-ui :is(table.parameters, .responses-table) > tbody > tr,
  .swagger-ui :is(table.parameters, .responses-table) > tbody > tr > td { display: block; max-width: 100%; width: auto; }
}
`;
