// Removes all files of a build: `npm run clean`.
import { readdirSync, rmSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const packages = ['.', ...readdirSync(new URL('plugins', root)).map((name) => `plugins/${name}`)];
for (const folder of packages.flatMap((name) => [`${name}/dist`, `${name}/.cache`])) {
  rmSync(new URL(folder, root), { recursive: true, force: true });
}
