import { pageDocument, pageParts } from './page-document.js';
import type { ReportData } from './report-data.js';

/** One self-contained HTML document that opens from disk. Its data are in a block that no browser executes. */
export async function renderReport(data: ReportData): Promise<string> {
  const parts = await pageParts('report-page.js', { connect: false });
  return pageDocument(parts, {
    title: data.title,
    head: `<meta http-equiv="Content-Security-Policy" content="${parts.policy}">\n`,
    data: `<script type="application/json" id="report-data">${inertJson(data)}</script>\n`,
  });
}

/** JSON without `<`, so that it cannot end its script block or open a comment in it. */
export function inertJson(data: unknown): string {
  return JSON.stringify(data).replace(
    /[<\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
