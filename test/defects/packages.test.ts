// Packages with one defect each, and the same package without it. Each defect is searched only by its check, in this
// process with the built code: code of a plugin runs in separate processes anyway. The command runs for the good
// package and for some of the others.
import { rmSync } from 'node:fs';

import { expect, it } from 'vitest';

import type { CheckPluginOptions, PluginReport } from '../../src/plugin-check/check-plugin.js';
import { checkFolder, failedOf, goodPackage, makePlugin } from './make-plugin.js';

// Imported by URL, because the processes that it starts are compiled modules next to it.
const built = new URL('../../dist/plugin-check/check-plugin.js', import.meta.url).href;
const { checkPlugin } = (await import(built)) as {
  checkPlugin(options: CheckPluginOptions): Promise<PluginReport>;
};

const entry = `
const malformed = { malformed: 'no brackets', observation: 'Write your action in brackets.' };
const create = () => ({
  instructions: '',
  parse: (text) => (text.length < 10000 && /^<[^]*\\S[^]*>$/.test(text) ? { action: text.slice(1, -1) } : malformed),
  render: (action) => '<' + action + '>',
});
const load = () => Promise.resolve({ create });
export default [{ kind: 'format', name: 'brackets', summary: 'Actions in brackets', options: {}, load }];
`;
const options = `{
  width: { type: 'integer', minimum: 1, maximum: 9, default: 3, description: 'Width' } }`;

/** A package.json with some fields replaced; undefined removes one. */
const withFields = (fields: object): object => ({ ...goodPackage, ...fields });

interface Defect {
  readonly expected: string;
  readonly json?: object;
  readonly files?: { readonly [path: string]: string | undefined };
  /** The defect is found in the contribution, not in the package and its entry. */
  readonly inContribution?: boolean;
  /** Deadline in seconds, if one of its checks waits that long; default: 10. */
  readonly seconds?: number;
}

const defects: Record<string, Defect> = {
  'no package.json': { expected: 'package-json', files: { 'package.json': undefined } },
  'package.json with a comma too many': { expected: 'package-json', files: { 'package.json': '{"name": "a",}' } },
  'no field agentgym': { expected: 'plugin-field', json: withFields({ agentgym: undefined }) },
  'no apiVersion': { expected: 'plugin-field', json: withFields({ agentgym: { plugin: './index.js' } }) },
  'another apiVersion': {
    expected: 'plugin-field',
    json: withFields({ agentgym: { apiVersion: 2, plugin: './index.js' } }),
  },
  'entry outside of the package': {
    expected: 'plugin-field',
    json: withFields({ agentgym: { apiVersion: 1, plugin: '../index.js' } }),
  },
  'no field oclif': { expected: 'plugin-field', json: withFields({ oclif: undefined }) },
  'entry not built': { expected: 'entry-file', files: { 'index.js': undefined } },
  'entry that leads nowhere': {
    expected: 'entry-file',
    files: { 'index.js': entry.replace('Promise.resolve({ create })', "import('./brackets.js')") },
  },
  'exports of another file': {
    expected: 'exports',
    json: withFields({ exports: { '.': './main.js', './package.json': './package.json' } }),
  },
  'not a module': { expected: 'engines', json: withFields({ type: undefined }) },
  'packs its tests': { expected: 'files', files: { 'index.test.js': '' } },
  'leaves its entry at home': { expected: 'files', json: withFields({ files: ['/lib'], main: undefined }) },
  'no engines': { expected: 'engines', json: withFields({ engines: undefined }) },
  'host as a dependency': { expected: 'host-peer', json: withFields({ dependencies: { '@agentgym/cli': '^0.1.0' } }) },
  'host as a required peer': { expected: 'host-peer', json: withFields({ peerDependenciesMeta: {} }) },
  'narrow range': { expected: 'host-peer', json: withFields({ peerDependencies: { '@agentgym/cli': '^0.1.0' } }) },
  'import of the host': {
    expected: 'imports',
    files: {
      'index.js': `import { optionDefaults } from '@agentgym/cli/testing';\nexport { optionDefaults };\n${entry}`,
    },
  },
  'import of another plugin': {
    expected: 'imports',
    files: { 'index.js': `import '@agentgym/plugin-env-textcraft';\n${entry}` },
  },
  'import that is not declared': { expected: 'imports', files: { 'index.js': `import 'semver';\n${entry}` } },
  'sources after the build': { expected: 'up-to-date', files: { 'src/index.ts': 'export {};\n' } },
  'no types': { expected: 'exports', files: { 'index.d.ts': undefined } },
  'no README': { expected: 'documents', files: { 'README.md': undefined } },
  'no licence': { expected: 'documents', files: { LICENSE: undefined } },
  'entry that throws': { expected: 'entry-loads', files: { 'index.js': `${entry}\nthrow new Error('boom');` } },
  'entry that hangs': { expected: 'deadline', seconds: 3, files: { 'index.js': `${entry}\nfor (;;);` } },
  'entry that never settles': {
    expected: 'entry-loads',
    seconds: 3,
    files: { 'index.js': `${entry}\nawait new Promise(() => {});` },
  },
  'entry that exits': { expected: 'exits', files: { 'index.js': `${entry}\nprocess.exit(0);` } },
  'entry that prints': { expected: 'silent', files: { 'index.js': `${entry}\nconsole.log('loaded');` } },
  'entry of another shape': { expected: 'entry-shape', files: { 'index.js': 'export default { formats: [] };' } },
  'contribution without a name': {
    expected: 'entry-shape',
    files: { 'index.js': entry.replace("name: 'brackets', ", '') },
  },
  'entry that leaves a timer': {
    expected: 'ends',
    seconds: 3,
    files: { 'index.js': `${entry}\nsetInterval(() => {}, 1000);` },
  },
  'entry that changes a prototype': {
    expected: 'entry-global-state',
    files: { 'index.js': `${entry}\nArray.prototype.last = 1;` },
  },
  'module of another shape': {
    expected: 'load',
    inContribution: true,
    files: { 'index.js': entry.replace('{ create })', '{ make: create })') },
  },
  'load that throws': {
    expected: 'load',
    inContribution: true,
    files: { 'index.js': entry.replace('Promise.resolve({ create })', "Promise.reject(new Error('gone'))") },
  },
  'validate without a cure': {
    expected: 'options',
    inContribution: true,
    files: {
      'index.js': entry.replace(
        'options: {}',
        `options: ${options}, validate: ({ width }) => (width > 8 ? [{ path: ['width'], message: 'too wide' }] : [])`,
      ),
    },
  },
  'validate of a stranger': {
    expected: 'options',
    inContribution: true,
    files: {
      'index.js': entry.replace(
        'options: {}',
        `options: ${options}, validate: ({ width }) => (width > 8 ? [{ path: ['size'], message: 'too wide', hint: 'less' }] : [])`,
      ),
    },
  },
  'maximum that breaks it': {
    expected: 'create',
    inContribution: true,
    files: {
      'index.js': entry
        .replace('options: {}', `options: ${options}`)
        .replace('const create = () => (', 'const create = ({ width }) => width === 9 ? undefined : ('),
    },
  },
};

it('a good package passes', async () => {
  const { code, report, stderr } = await checkFolder(makePlugin(goodPackage, { 'index.js': entry }));
  expect(report).toMatchObject({ plugin: '@somebody/plugin-thing', version: '1.0.0', passed: true });
  expect(report.contributions).toMatchObject([{ kind: 'format', name: 'brackets' }]);
  expect(report.checks.filter(({ status }) => status === 'failed')).toEqual([]);
  expect(code).toBe(0);
  // A pipe gets no progress lines.
  expect(stderr).toBe('');
}, 60_000);

it.concurrent.each(Object.entries(defects))(
  '%s',
  async (_, { expected, json, files, inContribution, seconds = 10 }) => {
    const root = makePlugin(json ?? goodPackage, { 'index.js': entry, ...files });
    try {
      const report = await checkPlugin({
        root,
        hostVersion: '0.1.0',
        seed: 0,
        thorough: false,
        seconds,
        only: [expected],
        skip: [],
        signal: new AbortController().signal,
        progress: () => undefined,
      });
      const checks = inContribution === true ? (report.contributions[0]?.checks ?? []) : report.checks;
      expect(failedOf(checks)).toContain(expected);
      expect(report.passed).toBe(false);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
  60_000,
);

it.concurrent.each(['no package.json', 'no README', 'leaves its entry at home', 'entry that hangs'])(
  'the command finds it among all checks, and ends with 1: %s',
  async (name) => {
    const { expected, json, files, seconds = 10 } = defects[name]!;
    const root = makePlugin(json ?? goodPackage, { 'index.js': entry, ...files });
    const { code, report } = await checkFolder(root, ['--deadline', String(seconds)]);
    expect(failedOf(report.checks)).toContain(expected);
    expect({ code, passed: report.passed }).toEqual({ code: 1, passed: false });
  },
  60_000,
);
