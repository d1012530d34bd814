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
<div id="reference"><noscript>This page needs JavaScript; the document itself is at ${DOCUMENT_PATH}.</noscript></div>
<script src="${PAGE_PATH}/swagger-ui-bundle.js"></script>
<script src="${PAGE_PATH}/page.js"></script>
</body>
</html>
`;

/** `validatorUrl: null`: the page contacts no other host. */
export const PAGE_SCRIPT = `const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
followScheme();
dark.addEventListener("change", followScheme);
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
});
`;

export const PAGE_STYLE = `body { margin: 0; background: #fff; }
html.dark-mode body { background: none; }
.swagger-ui .wrapper { max-width: 1100px; }
.swagger-ui .info { margin: 30px 0; }
.swagger-ui .opblock-tag small { font-size: 13px; }
/* Hides the headers of errors: they repeat those of every answer, and the texts describe the relevant ones. */
.swagger-ui .response[data-code^="4"] .headers-wrapper,
.swagger-ui .response[data-code^="5"] .headers-wrapper { display: none; }
`;
