// `plugins install` of a second local folder or tarball registers the wrong package (oclif/plugin-plugins#1294): register every package of
// the data folder that is an oclif plugin.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Hook } from '@oclif/core';

interface DataPackage {
  readonly dependencies?: { readonly [name: string]: string };
  readonly oclif?: { readonly plugins?: readonly { readonly name: string }[] };
}

const hook: Hook<'plugins:postinstall'> = async function ({ config }) {
  const file = join(config.dataDir, 'package.json');
  const data = JSON.parse(await readFile(file, 'utf8')) as DataPackage;
  const listed = data.oclif?.plugins ?? [];
  const missing: { name: string; type: 'user'; url: string }[] = [];
  for (const [name, url] of Object.entries(data.dependencies ?? {})) {
    if (listed.some((plugin) => plugin.name === name)) continue;
    if (await isOclifPlugin(join(config.dataDir, 'node_modules', name))) missing.push({ name, type: 'user', url });
  }
  if (missing.length === 0) return;
  const oclif = { ...data.oclif, plugins: [...listed, ...missing] };
  await writeFile(file, JSON.stringify({ ...data, oclif }, null, 2));
};

async function isOclifPlugin(folder: string): Promise<boolean> {
  try {
    const json = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { oclif?: unknown };
    return json.oclif !== undefined;
  } catch {
    return false;
  }
}

export default hook;
