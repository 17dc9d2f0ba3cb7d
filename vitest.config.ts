import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitest/config';

import { LongestFirst } from './test/longest-first.js';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const BESIDE_SOURCES = ['src', 'packages/*/src', 'plugins/*/src', 'templates'].map(
  (folder) => `${folder}/**/*.test.ts`,
);
const FROM_REGISTRY = [
  'test/registry/**/*.test.ts',
  'test/templates/**/*.test.ts',
  'test/packages/package-contents.test.ts',
];

/** They play what is built, and templates are built where somebody made something of them: test/templates/ does. */
const WANT_A_BUILD = [
  '**/node_modules/**',
  'templates/environment/src/conformance.test.ts',
  'templates/environment-python/src/conformance.test.ts',
  'templates/project/environments/conformance.test.ts',
];

/** Tests of minutes that guard what seldom changes. */
const LONG = '**/*.long.test.ts';

/** @param long whether long tests run, too: those in files of their own, and those with `test/long.ts` */
export const configOf = (long: boolean) => {
  const leftOut = long ? [] : [LONG];
  return defineConfig({
    resolve: {
      alias: [
        { find: /^@agentgym\/cli\/testing$/, replacement: source('./src/testing/index.ts') },
        { find: /^@agentgym\/cli$/, replacement: source('./src/index.ts') },
        { find: /^@agentgym\/world-kit$/, replacement: source('./packages/world-kit/src/index.ts') },
      ],
    },
    test: {
      disableConsoleIntercept: true,
      // For machines that do other work, too: alone no test without a limit of its own needs half of it.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      // One more than the cores of a small machine: many tests wait for a browser, a registry or a process.
      maxWorkers: 3,
      maxConcurrency: 3,
      // Files share their processes, so that each loads what it tests once: what is imported keeps its state.
      isolate: false,
      provide: { long },
      sequence: { sequencer: LongestFirst },
      globalSetup: ['test/temporary-folder.ts'],
      setupFiles: ['test/equal-arrays.ts'],
      projects: [
        {
          // `npm run test:quick` runs those beside the sources.
          extends: true,
          test: {
            name: 'checkout',
            include: [...BESIDE_SOURCES, 'test/**/*.test.ts'],
            exclude: [...WANT_A_BUILD, ...FROM_REGISTRY, ...leftOut],
          },
        },
        {
          // What a user gets: its set-up starts a registry, publishes everything there and installs the host. It runs
          // only when such a test does.
          extends: true,
          test: {
            name: 'registry',
            include: FROM_REGISTRY,
            exclude: ['**/node_modules/**', ...leftOut],
            globalSetup: ['test/registry/global-setup.ts'],
            setupFiles: ['test/registry/await-installation.ts'],
            testTimeout: 120_000,
            hookTimeout: 120_000,
          },
        },
      ],
      coverage: {
        provider: 'v8',
        include: ['src/**/*.ts', 'packages/*/src/**/*.ts', 'plugins/*/src/**/*.ts'],
        // What runs in a browser is measured by test/browser, not here.
        exclude: ['**/*.test.ts', '**/fixtures/**', 'src/reporting/page/**', 'src/contracts/**', 'src/index.ts'],
        reporter: [['text', { maxCols: 120 }], 'text-summary'],
      },
    },
  });
};

export default configOf(false);
