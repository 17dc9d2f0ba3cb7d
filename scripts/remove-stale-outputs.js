// `tsc -b` never deletes: a command without a source would stay in dist/, in the manifest and in the package. Part of
// the build.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const below = (folder) => readdirSync(join(root, folder)).map((name) => join(folder, name));
const packages = ['.', ...below('packages'), ...below('plugins')];
for (const folder of packages.map((name) => join(root, name))) {
  if (!existsSync(join(folder, 'dist'))) continue;
  for (const name of readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })) {
    const source = /^(.*?)(\.d\.ts|\.js)$/.exec(name)?.[1];
    if (source === undefined || existsSync(join(folder, 'src', `${source}.ts`))) continue;
    rmSync(join(folder, 'dist', name));
    console.error(`removed ${join(folder, 'dist', name)}: its source is gone`);
  }
}
