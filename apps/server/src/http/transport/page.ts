export interface PageParts {
  readonly title: string;
  /** Largest width of the text; in `rem`. Default: 36. */
  readonly width?: number;
  /** Of this page alone. */
  readonly style?: string;
  /** Below the heading. */
  readonly body: string;
  /** As `pagePolicy` permits it. */
  readonly script: string;
}

/** Returns a page with one form or list, which needs no other file. Its script writes into the element `output`. */
export const htmlPage = ({ title, width = 36, style = '', body, script }: PageParts): string => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="referrer" content="no-referrer">
  <title>${title}</title>
  <style>
    body { font: 1rem/1.5 system-ui, sans-serif; max-width: ${width}rem; margin: 3rem auto; padding: 0 1rem; }
    input, textarea, button { font: inherit; padding: 0.4rem 0.6rem; }
    dt { font-weight: 600; } dd { margin: 0 0 0.6rem; overflow-wrap: anywhere; }
    output { display: block; margin-top: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }${style}
  </style>
</head>
<body>
  <h1>${title}</h1>
${body}
  <output id="answer"></output>
  <script>${script}</script>
</body>
</html>
`;

/** Begins the scripts of pages: elements by their ids, and a sentence for the person. */
export const PAGE_SCRIPT = `
const $ = (id) => document.getElementById(id);
const say = (text) => { $('answer').textContent = text; };
const disable = (is) => { for (const one of document.querySelectorAll('button')) one.disabled = is; };

async function call(path, options) {
  const response = await fetch(path, options);
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(body.message), { status: response.status });
  return body;
}

function post(path, content) {
  const headers = { 'content-type': 'application/json' };
  return call(path, { method: 'POST', headers, body: JSON.stringify(content) });
}
`;
