// Measurements, each with one command: `npm run bench -- NAME [options]`. Exit codes: 1 a goal is missed, 2 the command is
// wrong, 3 the measurement failed.
import { readdirSync } from 'node:fs';

import { UsageError } from './sides/usage-error.js';

const here = new URL('./', import.meta.url);
const names = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'peer' && entry.name !== 'sides' && entry.name !== 'results')
  .map((entry) => entry.name);
const [name, ...options] = process.argv.slice(2);
if (!names.includes(name)) {
  console.error(`There is no measurement ${JSON.stringify(name ?? '')}. There are: ${names.join(', ')}.`);
  console.error('Usage: npm run bench -- NAME [options]; bench/README.md has the options.');
  process.exitCode = 2;
} else {
  const { measure } = await import(new URL(`./${name}/${name}.js`, here));
  try {
    process.exitCode = await measure(options);
  } catch (error) {
    const isUsage = error instanceof UsageError || String(error.code).startsWith('ERR_PARSE_ARGS');
    console.error(isUsage ? error.message : error);
    process.exitCode = isUsage ? 2 : 3;
  }
}
