// Writes docs/reference/ out of the code: `npm run reference`.
import { writeFileSync } from 'node:fs';

import { referencePages } from './reference-pages.js';

for (const [name, text] of Object.entries(referencePages())) {
  writeFileSync(new URL(`../docs/reference/${name}`, import.meta.url), text);
}
