// Removes all files of a build: `npm run clean`.
import { readdirSync, rmSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const below = (folder) => readdirSync(new URL(folder, root)).map((name) => `${folder}/${name}`);
const packages = ['.', ...below('packages'), ...below('plugins')];
for (const folder of packages.flatMap((name) => [`${name}/dist`, `${name}/.cache`])) {
  rmSync(new URL(folder, root), { recursive: true, force: true });
}
