// llama.cpp for processors, from the packages that `npm run test:language` uses, too.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../sides/our-side.js';

export const LLAMA = '3.22.1';
const builds = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'mac-x64',
  'darwin-arm64': 'mac-arm64-metal',
};

/** The folder with node-llama-cpp, which is installed on first use (90 MB); undefined where there is no llama.cpp. */
export function llamaPackages() {
  const build = builds[`${process.platform}-${process.arch}`];
  if (build === undefined) return undefined;
  const folder = join(root, '.cache', `node-llama-cpp-${LLAMA}`);
  if (existsSync(join(folder, 'node_modules', 'node-llama-cpp'))) return folder;
  console.error(`Installing node-llama-cpp ${LLAMA} into ${folder}.`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  const names = [`node-llama-cpp@${LLAMA}`, `@node-llama-cpp/${build}@${LLAMA}`];
  const flags = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...flags, ...names], { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status === 0) return folder;
  rmSync(folder, { recursive: true, force: true });
  throw new Error(`npm install of node-llama-cpp ended with ${status}`);
}
