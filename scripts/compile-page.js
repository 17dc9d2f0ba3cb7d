// Bundles the report page, saved and served, into one script each and one style sheet. Part of `npm run compile`.
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

await build({
  entryPoints: ['report-page.ts', 'live-page.ts', 'report-page.css'].map((name) => path(`src/reporting/page/${name}`)),
  outdir: path('dist/reporting/page'),
  tsconfig: path('src/reporting/page/tsconfig.build.json'),
  bundle: true,
  minify: true,
  // Pages are UTF-8, so the bundle need not escape characters.
  charset: 'utf8',
  format: 'iife',
  target: ['chrome111', 'firefox113', 'safari16.4'],
  logLevel: 'warning',
});
