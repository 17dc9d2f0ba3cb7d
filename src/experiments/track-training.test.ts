// Trainings with the tabular policy, followed by a small server that answers as MLflow does.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';

import type { RunEvent } from '../contracts/events.js';
import { readManifest } from '../runs/run-manifest.js';
import { createRandom } from '../random/create-random.js';
import { SmallMlflow } from '../tracking/fixtures/small-mlflow.js';
import { hostSettings, lines, newFolder, recipe, tabularHost } from './fixtures/tabular-run.js';
import { planTraining } from './start-training.js';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

let server: SmallMlflow;
beforeEach(async () => {
  server = new SmallMlflow();
  await server.listen();
});
afterEach(() => server.close());

interface Training {
  readonly tracking: readonly string[];
  readonly environment?: Record<string, string>;
  readonly folder?: string;
  readonly sets?: readonly string[];
  /** Step of the rl stage at which it is interrupted. */
  readonly interruptAt?: number;
}

async function train({ tracking, environment = {}, folder = newFolder(), sets, interruptAt }: Training) {
  folders.push(folder);
  const interruption = new AbortController();
  const isResumed = existsSync(join(folder, 'run'));
  const planned = await planTraining({
    ...(!isResumed && { source: { ...recipe, tracking } as never, output: join(folder, 'run') }),
    ...(isResumed && { resume: join(folder, 'run') }),
    sets: sets ?? [],
    tracking: { environment, pages: { report: () => Promise.resolve('page'), markdown: () => Promise.resolve('') } },
    command: ['train', 'tiny'],
    cwd: folder,
    runsFolder: folder,
    host: await tabularHost(),
    settings: { ...hostSettings(folder, createRandom(1)), signal: interruption.signal },
    version: '1.2.3',
  });
  const warnings: string[] = [];
  const result = await planned.run((event: RunEvent) => {
    if (event.type === 'warning') warnings.push(event.message);
    if (event.type === 'step' && event.stage === 'rl' && event.step === interruptAt) interruption.abort();
  });
  return { folder, result, warnings: warnings.filter((message) => message.startsWith('MLflow')) };
}

const hasEvents = (folder: string) => readdirSync(join(folder, 'run')).some((name) => name.includes('tfevents'));

/** Every point of metrics.jsonl, and every one on the server but those of evaluations. */
function points(folder: string) {
  const text = readFileSync(join(folder, 'run', 'metrics.jsonl'), 'utf8').trim();
  const own = text.split('\n').flatMap((line) => {
    const { formatVersion: _, stage, step: __, runStep, ...metrics } = JSON.parse(line) as Record<string, number>;
    return Object.entries(metrics).map(([name, value]) => `${name}/${stage} ${runStep} ${value}`);
  });
  const there = server.run.points.filter(({ key }) => !key.startsWith('evaluation/'));
  return { own: own.sort(), there: there.map(({ key, step, value }) => `${key} ${step} ${value}`).sort() };
}

it('a tracked training has the same numbers, and its server has all of them', async () => {
  const environment = { MLFLOW_TRACKING_URI: server.address };
  const plain = await train({ tracking: ['tensorboard'] });
  const tracked = await train({ tracking: ['mlflow'], environment });
  expect(server.run.status).toBe('FINISHED');
  for (const log of ['metrics.jsonl', 'evaluations.jsonl']) {
    expect(lines(tracked.folder, log)).toEqual(lines(plain.folder, log));
  }
  expect([hasEvents(tracked.folder), hasEvents(plain.folder)]).toEqual([false, true]);
  expect(tracked.warnings).toEqual([]);
  const { own, there } = points(tracked.folder);
  expect(there).toEqual(own);
  expect(server.run.tags.get('agentgym.command')).toBe('agentgym train tiny');
  expect(server.run.tags.get('agentgym.version')).toBe('1.2.3');
  expect(server.run.points.some(({ key }) => key === 'evaluation/test/start/t0/success')).toBe(true);
});

it('an interrupted training is KILLED, and its run goes on when it resumes, even with other trackers', async () => {
  const environment = { MLFLOW_TRACKING_URI: server.address };
  const { folder } = await train({ tracking: ['mlflow'], environment, interruptAt: 3 });
  expect(server.run.status).toBe('KILLED');
  const { warnings } = await train({ tracking: [], folder, environment, sets: ['tracking=[tensorboard, mlflow]'] });
  expect(warnings).toEqual([]);
  expect(server.run.status).toBe('FINISHED');
  const { own, there } = points(folder);
  expect(there).toEqual(own);
  expect(hasEvents(folder)).toBe(true);
  // The next resume needs no `--set`.
  expect((await readManifest(join(folder, 'run'))).recipe.tracking).toEqual(['tensorboard', 'mlflow']);
});

it('a server that always fails changes nothing, and the command that sends the run later is told', async () => {
  server.faults.push({ match: /./, times: Infinity, status: 503, headers: { 'retry-after': '0' } });
  const { result, warnings, folder } = await train({
    tracking: ['mlflow'],
    environment: { MLFLOW_TRACKING_URI: server.address.replace('//', '//ann:s3cret@') },
  });
  expect(result.status).toBe('completed');
  expect(warnings).toEqual([
    expect.stringMatching(/^MLflow: Tracking is waiting: .* answers with status 503/),
    expect.stringMatching(/^MLflow: Not everything could be sent: .*`agentgym runs track .*run` sends the rest\.$/),
  ]);
  const written = readdirSync(join(folder, 'run'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect([...warnings, ...written].join('\n')).not.toContain('s3cret');
});

it('without an address, nothing is written', async () => {
  const folder = newFolder();
  await expect(train({ tracking: ['mlflow'], folder })).rejects.toMatchObject({ code: 'AG_TRACKING_SETTING' });
  expect(readdirSync(folder)).toEqual([]);
});

it('names of trackers are checked', async () => {
  await expect(train({ tracking: ['mflow'] })).rejects.toMatchObject({
    code: 'AG_RECIPE_INVALID',
    hint: expect.stringMatching(/^Did you mean `mlflow`\?/),
  });
  await expect(train({ tracking: ['mlflow', 'mlflow'] })).rejects.toMatchObject({
    message: expect.stringContaining('it lists a tracker twice'),
  });
});
