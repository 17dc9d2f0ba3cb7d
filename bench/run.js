// Measurements, each with one command: `npm run bench -- NAME [options]`.
import { readdirSync } from 'node:fs';

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
  process.exitCode = await measure(options);
}
