import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import type { ReportData } from './report-data.js';

/** Where the build leaves the page's script and styles: beside `src/` and for the package alike. */
const bundles = new URL('../../dist/reporting/page/', import.meta.url);

/**
 * One self-contained HTML document. Its policy lets it run this script and these styles and load nothing, so that what models wrote can
 * neither run nor send; the data lies in a block that no browser runs.
 */
export async function renderReport(data: ReportData): Promise<string> {
  const [script, styles] = await Promise.all([bundle('report-page.js'), bundle('report-page.css')]);
  const policy = [
    "default-src 'none'",
    `script-src ${digest(script)}`,
    `style-src ${digest(styles)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(data.title)} · agentgym</title>
<style>${styles}</style>
</head>
<body>
<noscript>This report is drawn by a script of its own; it loads nothing. Allow scripts to read it.</noscript>
<div id="report"></div>
<script type="application/json" id="report-data">${inertJson(data)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** JSON that cannot end the block it stands in, nor open a comment in it: it holds no `<`. */
export function inertJson(data: unknown): string {
  return JSON.stringify(data).replace(
    /[<\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

async function bundle(name: string): Promise<string> {
  // The browser hashes what it parsed, and a parser makes one line feed of each line break.
  return (await readFile(new URL(name, bundles), 'utf8')).replace(/\r\n?/g, '\n');
}

function digest(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
