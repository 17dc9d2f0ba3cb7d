import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** The build writes scripts and styles of pages to this folder, both for `src/` and for the package. */
const bundles = new URL('../../dist/reporting/page/', import.meta.url);

/** A page's script, styles and permissions. `connect`: the page may send requests to its own server. */
export async function pageParts(scriptName: string, { connect }: { readonly connect: boolean }) {
  const [script, styles] = await Promise.all([bundle(scriptName), bundle('report-page.css')]);
  // A Content-Security-Policy: the page runs only this script and these styles and loads nothing. So text from models can
  // neither run code nor send data.
  const policy = [
    "default-src 'none'",
    `script-src ${digest(script)}`,
    `style-src ${digest(styles)}`,
    // A chart becomes a PNG by way of an image, which is never loaded from elsewhere.
    'img-src data:',
    ...(connect ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return { script, styles, policy };
}

/** `head`: tags before the title; `data`: blocks before the script. */
export function pageDocument(
  { script, styles }: Awaited<ReturnType<typeof pageParts>>,
  { title, head = '', data = '' }: { readonly title: string; readonly head?: string; readonly data?: string },
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)} · agentgym</title>
<style>${styles}</style>
</head>
<body>
<noscript>A script in this file draws the report; it loads nothing. Allow scripts to see the report.</noscript>
<div id="report"></div>
${data}<script>${script}</script>
</body>
</html>
`;
}

async function bundle(name: string): Promise<string> {
  // The browser hashes the parsed text, and the parser turns each line break into one line feed.
  return (await readFile(new URL(name, bundles), 'utf8')).replace(/\r\n?/g, '\n');
}

function digest(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
