// What an environment is made of besides plugins: told before a run, noted in its manifest, and the same at a resume.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import type { World } from '../contracts/environment.js';
import type { EnvironmentModule } from '../contracts/environment-module.js';
import type { Requirement } from '../contracts/requirement.js';
import type { LocatedContribution, PluginHost } from '../plugins/open-plugin-host.js';
import type { RunManifest } from '../runs/run-manifest.js';
import { builtInHost } from './fixtures/built-in-host.js';
import { planTraining, type PlannedTraining } from './start-training.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentgym-materials-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const jar = join(folder, 'world.jar');
const recipe = `recipeVersion: 1
name: tiny
environment: { name: guess-number }
policy: { preset: pico }
algorithm: { name: grpo, groupSize: 2 }
horizon: { schedule: fixed, turns: 3 }
stages:
  sft: { kind: sft, demonstrations: { count: 8 }, batchSize: 8, steps: 2 }
  rl: { kind: rl, tasksPerStep: 2, steps: 4 }
evaluation: { every: 0, final: { tasks: 2 } }
stopAfter: { seconds: 0.001 }
`;

let host: PluginHost;
let rows = 'one row';
/** Paths that the world was given. */
const given: string[] = [];
beforeAll(async () => {
  const whole = await builtInHost();
  const requires = (): readonly Requirement[] => [
    { kind: 'file', name: 'jar', title: 'The jar of the world', path: jar, get: 'Write it.' },
  ];
  const find = (async (...wanted: Parameters<PluginHost['find']>) => {
    const found = await whole.find(...wanted);
    return found.kind === 'environment' ? { ...found, contribution: { ...found.contribution, requires } } : found;
  }) as PluginHost['find'];
  const load = (async (item: LocatedContribution) => {
    const module = await whole.load(item);
    if (item.kind !== 'environment') return module;
    const open: EnvironmentModule<never>['open'] = async (options, own): Promise<World> => {
      given.push(own.found['jar']!.path);
      const world = await (module as EnvironmentModule<never>).open(options, own);
      return { ...world, materials: [{ name: 'rows.jsonl', sha256: Buffer.from(rows).toString('hex') }] };
    };
    return { open };
  }) as PluginHost['load'];
  host = { ...whole, find, load };
});

async function plan(): Promise<PlannedTraining> {
  writeFileSync(join(folder, 'recipe.yaml'), recipe);
  const log = { info: () => undefined, warn: () => undefined };
  const run = join(folder, 'run');
  return planTraining({
    ...{ source: 'recipe.yaml', sets: [], cwd: folder, runsFolder: join(folder, 'runs'), host, version: '0.1.0' },
    ...(given.length > 2 ? { resume: run } : { output: run }),
    settings: { log, signal: new AbortController().signal, cacheDirectory: join(folder, 'cache') },
  });
}

// Goes red when a run goes on with another file, or nobody looks for the file before.
it('must be there, are told by a check, and stay the same in a run', { timeout: 60_000 }, async () => {
  await expect(plan().then((planned) => planned.check())).rejects.toMatchObject({
    code: 'AG_REQUIREMENT_MISSING',
    exitCode: 2,
    message: expect.stringMatching(/needs The jar of the world: there is no file .*world\.jar\.$/) as string,
    hint: 'Write it.',
    path: 'environment',
  });
  writeFileSync(jar, 'the first');
  const { requirements } = await (await plan()).check();
  expect(requirements).toMatchObject([{ name: 'jar', path: jar }]);
  expect((await (await plan()).run(() => undefined)).status).toBe('stopped');
  const { materials } = JSON.parse(readFileSync(join(folder, 'run', 'manifest.json'), 'utf8')) as RunManifest;
  expect(materials).toMatchObject([
    { environment: 'guess-number', name: 'jar', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    { environment: 'guess-number', name: 'rows.jsonl', sha256: Buffer.from(rows).toString('hex') },
  ]);
  given.push('resume from here');

  writeFileSync(jar, 'the second');
  const mismatch = (message: RegExp) => ({
    code: 'AG_RESUME_MISMATCH',
    message: expect.stringMatching(message) as string,
  });
  await expect(plan().then((planned) => planned.run(() => undefined))).rejects.toMatchObject(
    mismatch(/`jar` of the environment `guess-number` changed: its SHA-256 was/),
  );
  writeFileSync(jar, 'the first');
  rows = 'another row';
  await expect(plan().then((planned) => planned.run(() => undefined))).rejects.toMatchObject(
    mismatch(/`rows.jsonl` of the environment `guess-number` changed/),
  );
  rows = 'one row';
  expect((await (await plan()).run(() => undefined)).status).not.toBe('failed');
  expect(new Set(given)).toEqual(new Set([jar, 'resume from here']));
});
