import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { journaledRun } from '../runs/fixtures/journaled-run.js';
import { SmallMlflow } from './fixtures/small-mlflow.js';
import type { MlflowClient } from './mlflow-client.js';
import { TrackedRun } from './tracked-run.js';

const never = new AbortController().signal;
const pages = { report: () => Promise.resolve('<!doctype html>') };

let server: SmallMlflow;
beforeEach(async () => {
  server = new SmallMlflow();
  await server.listen();
});
afterEach(() => server.close());

let folder: string;
const made: Record<string, string> = {};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agentgym-tracked-'));
  made['completed'] = await journaledRun(folder, { successes: [1, 0], starts: [0, 0], sampled: [1, 1] });
  made['interrupted'] = await journaledRun(folder, { end: 'interrupted' });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A copy of a run, which takes less time than a new one. */
function runThatIs(end: 'completed' | 'interrupted'): string {
  const copy = join(mkdtempSync(join(folder, 'copy-')), 'run');
  cpSync(made[end] ?? '', copy, { recursive: true });
  return copy;
}

const track = (run: string, client: MlflowClient = server.client()) => new TrackedRun(run, client, pages);
const curve = (name: string) =>
  server.run.points.filter(({ key }) => key === name).map(({ step, value }) => [step, value]);
/** A line as a session of the run writes it. */
const line = (step: number, metrics: object) =>
  `${JSON.stringify({ formatVersion: 1, stage: 'rl', step, runStep: 2 + step, ...metrics })}\n`;

describe('a complete run', () => {
  it('has its params, tags, curves, evaluations, files and status on the server', async () => {
    const run = runThatIs('completed');
    const tracked = track(run, server.client({ MLFLOW_EXPERIMENT_NAME: 'games', MLFLOW_TRACKING_TOKEN: 'tok' }));
    await tracked.send(never);
    const { run: there } = server;
    expect(there).toMatchObject({ status: 'FINISHED', experimentId: server.experiments.get('games'), name: 'run' });
    expect(there.params.get('algorithm.groupSize')).toBe('2');
    expect(there.params.get('evaluation.temperatures')).toBe('[0]');
    const manifest = JSON.parse(readFileSync(join(run, 'manifest.json'), 'utf8')) as { id: string; createdAt: string };
    expect(there.tags.get('agentgym.run_id')).toBe(manifest.id);
    expect(there.tags.get('agentgym.status')).toBe('completed');
    expect(there.startTime).toBe(Date.parse(manifest.createdAt));
    expect(curve('train/loss/sft')).toEqual([
      [1, 1],
      [2, 0.5],
    ]);
    expect(curve('rl/kl/rl')).toEqual([
      [3, 'NaN'],
      [4, 'NaN'],
    ]);
    expect(there.points.every(({ timestamp }) => timestamp >= there.startTime && timestamp <= Date.now())).toBe(true);
    expect(curve('evaluation/test/policy/t0/success')).toEqual([[0, 0.5]]);
    expect(curve('evaluation/test/policy/t0/success_high')).toHaveLength(1);
    const root = `0/${there.id}/artifacts`.replace('0', there.experimentId);
    expect([...server.files.keys()]).toEqual(
      ['recipe.json', 'manifest.json', 'result.json', 'evaluations.jsonl', 'report.html'].map((n) => `${root}/${n}`),
    );
    expect(server.files.get(`${root}/result.json`)).toEqual(readFileSync(join(run, 'result.json')));
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer tok']));
    expect(JSON.parse(readFileSync(join(run, 'mlflow.json'), 'utf8'))).toMatchObject({ runId: there.id });
    expect(tracked.sent).toEqual({ points: there.points.length, artifacts: 5, refusals: [] });
  });

  it('is sent only once, also if the note of its id is lost', async () => {
    const run = runThatIs('completed');
    await track(run).send(never);
    const points = [...server.run.points];
    rmSync(join(run, 'mlflow.json'));
    server.requests.length = 0;
    const again = track(run);
    await again.send(never);
    expect(server.run.points).toEqual(points);
    expect(again.sent).toEqual({ points: 0, artifacts: 0, refusals: [] });
    expect(server.requests.map(({ path }) => path.replace('/api/2.0/mlflow/', ''))).toEqual([
      'runs/search',
      'runs/get',
    ]);
  });

  it('is created anew if somebody deleted it on the server', async () => {
    const run = runThatIs('interrupted');
    const tracked = track(run);
    await tracked.send(never);
    server.run.isDeleted = true;
    appendFileSync(join(run, 'metrics.jsonl'), line(3, { 'train/loss': 0.3 }));
    await expect(tracked.send(never)).rejects.toThrow('no longer has the run run0');
    await tracked.send(never);
    const [before, after] = [...server.runs.values()].map(({ points }) => points.length);
    expect(after).toBe((before ?? 0) + 1);
  });
});

describe('a run that goes on', () => {
  it('continues its curves, and repeats no step after a kill', async () => {
    const run = runThatIs('interrupted');
    const tracked = track(run);
    await tracked.send(never);
    expect(server.run.status).toBe('KILLED');
    const metrics = join(run, 'metrics.jsonl');
    const kept = readFileSync(metrics).length;
    appendFileSync(metrics, line(3, { 'train/loss': 0.3, 'time/run_seconds': 3 }));
    // A line that is not complete yet.
    appendFileSync(metrics, '{"formatVersion":1,"sta');
    await tracked.send(never);
    expect(curve('train/loss/rl')).toEqual([[5, 0.3]]);
    // Killed here. The resumed session makes step 5 again, at another time, and step 6.
    truncateSync(metrics, kept);
    appendFileSync(metrics, line(3, { 'train/loss': 0.3, 'time/run_seconds': 9 }) + line(4, { 'train/loss': 0.2 }));
    await track(run).send(never);
    expect(curve('train/loss/rl')).toEqual([
      [5, 0.3],
      [6, 0.2],
    ]);
    expect(curve('time/run_seconds/rl').map(([step]) => step)).toEqual([3, 4, 5]);
  });

  it('sends a request again whose answer was lost, and no point twice', async () => {
    const run = runThatIs('completed');
    server.faults.push({ match: /log-batch/, times: 4, loses: true }, { match: /runs\/create/, times: 1, loses: true });
    const tracked = track(run);
    let failures = 0;
    for (;;) {
      try {
        await tracked.send(never);
        break;
      } catch (error) {
        failures += 1;
        expect(error).toMatchObject({ name: 'TrackingFailure' });
      }
    }
    expect(failures).toBe(5);
    const steps = server.run.points.map(({ key, step }) => `${key} ${step}`);
    expect(new Set(steps).size).toBe(steps.length);
    expect(curve('train/loss/sft')).toHaveLength(2);
  });
});

describe('a server', () => {
  it.each([
    ['that is busy', { status: 429, headers: { 'retry-after': '7' } }, /status 429/, 7],
    [
      'that is busy, with a date',
      { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' } },
      /503/,
      undefined,
    ],
    ['that fails', { status: 500 }, /status 500/, undefined],
    ['that refuses the token', { status: 401 }, /refuses access with this token/, undefined],
    ['that answers HTML', { status: 200 }, /not answer like an MLflow server \(text\/html\)/, undefined],
    ['that is another program', { status: 404 }, /there is no MLflow server at the address/, undefined],
    [
      'that repeats the token',
      { status: 500, body: '{"error_code": "INTERNAL_ERROR", "message": "bad tok3n"}' },
      /500: bad \*\*\*$/,
      undefined,
    ],
  ])('%s gives a failure that says so', async (_, fault, message, waitSeconds) => {
    const run = runThatIs('completed');
    server.faults.push({ match: /./, times: 1, ...fault });
    const failure = await track(run, server.client({ MLFLOW_TRACKING_TOKEN: 'tok3n' }))
      .send(never)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'TrackingFailure', message: expect.stringMatching(message), waitSeconds });
    expect(String(failure)).not.toContain('tok3n');
  });

  it('that refuses one batch gets the rest', async () => {
    const run = runThatIs('completed');
    const refused = { status: 400, body: '{"error_code": "INVALID_PARAMETER_VALUE", "message": "too odd"}' };
    server.faults.push({ match: /log-batch/, times: 1, ...refused });
    const tracked = track(run);
    await tracked.send(never);
    expect(tracked.sent.refusals).toEqual([expect.stringMatching(/refuses \d+ tags: too odd$/)]);
    expect(curve('train/loss/sft')).toHaveLength(2);
  });

  it.each(['s3://bucket/', 'mlflow-artifacts://elsewhere:5000/'])(
    'with artifacts at %s gets no files',
    async (root) => {
      server.artifactRoot = root;
      const tracked = track(runThatIs('completed'));
      await tracked.send(never);
      expect(tracked.sent).toMatchObject({
        artifacts: 0,
        refusals: [expect.stringContaining('does not serve artifacts')],
      });
      expect(server.run.status).toBe('FINISHED');
      expect(server.requests.some(({ path }) => path.includes('mlflow-artifacts'))).toBe(false);
    },
  );

  it('without a proxy for artifacts gets no files', async () => {
    const text = 'Endpoint disabled due to the mlflow server running with `--no-serve-artifacts`.';
    server.faults.push({ match: /mlflow-artifacts/, times: 9, status: 503, body: text });
    const tracked = track(runThatIs('completed'));
    await tracked.send(never);
    expect(tracked.sent).toMatchObject({
      artifacts: 0,
      refusals: [expect.stringContaining('does not serve artifacts')],
    });
    expect(server.run.status).toBe('FINISHED');
  });
});

it('names of a plugin that MLflow refuses are changed', async () => {
  const run = runThatIs('interrupted');
  writeFileSync(join(run, 'metrics.jsonl'), line(1, { 'eval/pass@8': 1 }));
  const tracked = track(run);
  await tracked.send(never);
  expect(curve('eval/pass_8/rl')).toEqual([[3, 1]]);
  expect(tracked.sent.refusals).toEqual([]);
});
