import { pageDocument, pageParts } from './page-document.js';

/**
 * The page that `agentgym ui` serves at every address; it requests the data for its address. The policy goes into a
 * header.
 */
export async function renderLivePage(): Promise<{ readonly html: string; readonly policy: string }> {
  const parts = await pageParts('live-page.js', { connect: true });
  return { html: pageDocument(parts, { title: 'Runs' }), policy: `${parts.policy}; frame-ancestors 'none'` };
}
