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

const build = builds[`${process.platform}-${process.arch}`];

/** Whether there is a llama.cpp for this machine. */
export const hasLlama = build !== undefined;

/** Where the packages are, once they are installed. */
export const llamaFolder = join(root, '.cache', `node-llama-cpp-${LLAMA}`);

/** Whether they are there. */
export function isLlamaInstalled() {
  return existsSync(join(llamaFolder, 'node_modules', 'node-llama-cpp'));
}

/** Installs them (90 MB). Returns whether npm could. */
export function installLlama() {
  mkdirSync(llamaFolder, { recursive: true });
  writeFileSync(join(llamaFolder, 'package.json'), '{"private": true}\n');
  const names = [`node-llama-cpp@${LLAMA}`, `@node-llama-cpp/${build}@${LLAMA}`];
  const flags = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...flags, ...names], { cwd: llamaFolder, stdio: ['ignore', 2, 2] });
  if (status !== 0) rmSync(llamaFolder, { recursive: true, force: true });
  return status === 0;
}

/** The folder with node-llama-cpp, which is installed on first use; undefined where there is no llama.cpp. */
export function llamaPackages() {
  if (!hasLlama) return undefined;
  if (isLlamaInstalled()) return llamaFolder;
  console.error(`Installing node-llama-cpp ${LLAMA} into ${llamaFolder}.`);
  if (installLlama()) return llamaFolder;
  throw new Error('npm install of node-llama-cpp failed; its complaint stands above');
}
