// The pages of docs/reference/, generated from the code: `npm run reference` writes them, and a test compares them.
import { checksPage } from './reference/checks-page.js';
import { commandsPage } from './reference/commands-page.js';
import { contractPages } from './reference/contract-pages.js';
import { errorsPage } from './reference/errors-page.js';
import { formatPages } from './reference/format-pages.js';
import { pluginPages } from './reference/plugin-pages.js';

/** Path below docs/reference/ -> text. */
export async function referencePages(): Promise<Record<string, string>> {
  return {
    ...formatPages(),
    ...contractPages(),
    ...(await pluginPages()),
    'checks.md': checksPage(),
    'commands.md': await commandsPage(),
    'errors.md': errorsPage(),
  };
}
