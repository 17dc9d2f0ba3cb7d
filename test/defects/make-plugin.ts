import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { runWarm } from '../cli/warm-cli.js';

/** A check in the output of `plugins check --json`. */
export interface ToldCheck {
  readonly id: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly findings: readonly { readonly message: string; readonly title: string; readonly cure: string }[];
}

export interface ToldReport {
  readonly plugin: string;
  readonly passed: boolean;
  readonly checks: readonly ToldCheck[];
  readonly contributions: readonly {
    readonly kind: string;
    readonly name: string;
    readonly checks: readonly ToldCheck[];
  }[];
}

/** package.json of a good plugin without sources. */
export const goodPackage = {
  name: '@somebody/plugin-thing',
  version: '1.0.0',
  description: 'A thing',
  license: 'MIT',
  type: 'module',
  engines: { node: '>=20.19' },
  exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
  files: ['/*.js', '/*.d.ts'],
  oclif: {},
  agentgym: { apiVersion: 1, plugin: './index.js' },
  peerDependencies: { '@agentgym/cli': '>=0.1.0 <2' },
  peerDependenciesMeta: { '@agentgym/cli': { optional: true } },
};

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * Writes a plugin package into a new folder. Files that are undefined are not written. `copied` is the fixture that
 * becomes its entry.
 */
export function makePlugin(
  json: object = goodPackage,
  files: { readonly [path: string]: string | undefined } = {},
  copied?: string,
): string {
  mkdirSync(cache, { recursive: true });
  const root = mkdtempSync(join(cache, 'defect-'));
  const all: { readonly [path: string]: string | undefined } = {
    'package.json': JSON.stringify(json, null, 2),
    'README.md': `# A thing\n\n${'It is a plugin that the checks of plugins are tried on. '.repeat(3)}\n`,
    LICENSE: 'MIT\n',
    'index.d.ts': 'declare const contributions: readonly object[];\nexport default contributions;\n',
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    if (text === undefined) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  if (copied !== undefined) copyFileSync(join(here, copied), join(root, 'index.js'));
  return root;
}

/** Runs `agentgym plugins check` on a folder, which is removed afterwards. */
export async function checkFolder(
  root: string,
  flags: readonly string[] = [],
): Promise<{ code: number | null; report: ToldReport; stderr: string }> {
  try {
    const { code, stdout, stderr } = await runWarm(['plugins', 'check', root, '--json', ...flags]);
    return { code, stderr, report: JSON.parse(stdout) as ToldReport };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Ids of failed checks. */
export const failedOf = (checks: readonly ToldCheck[]): readonly string[] =>
  checks.filter(({ status }) => status === 'failed').map(({ id }) => id);

/** Ids of checks with findings, including warnings. */
export const findersOf = (checks: readonly ToldCheck[]): readonly string[] =>
  checks.filter(({ findings }) => findings.length > 0).map(({ id }) => id);
