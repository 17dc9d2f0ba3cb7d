// npm run golden -- KIND FILE-OR-FOLDER...: compares the built code with recordings of the originals. Each kind of
// recording has its checker next to this file, `<kind>.js` with `run(arguments)`, which prints how many values agree
// and the first that does not. Exit codes: 0 all agree, 1 some do not, 2 the comparison was not possible.
import { readdirSync } from 'node:fs';

const [kind, ...rest] = process.argv.slice(2);
const kinds = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.js') && file !== 'run.js')
  .map((file) => file.slice(0, -'.js'.length));

if (kind === undefined || !kinds.includes(kind) || rest.length === 0) {
  console.error(`usage: npm run golden -- KIND FILE-OR-FOLDER...   (kinds: ${kinds.join(', ')})`);
  process.exitCode = 2;
} else {
  const { run } = await import(`./${kind}.js`);
  process.exitCode = await run(rest);
}
