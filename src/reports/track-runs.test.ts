import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';

import { journaledRun } from '../runs/fixtures/journaled-run.js';
import { SmallMlflow } from '../tracking/fixtures/small-mlflow.js';
import { type SentSubject, trackRuns } from './track-runs.js';
import { trackingContext } from './tracking-context.js';

let server: SmallMlflow;
beforeEach(async () => {
  server = new SmallMlflow();
  await server.listen();
});
afterEach(() => server.close());

let folder: string;
let runs: readonly [string, string];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agentgym-track-'));
  runs = [await journaledRun(folder), await journaledRun(folder, { seed: 2 })];
});
afterAll(() => rmSync(folder, { recursive: true }));

async function track(references: readonly string[], environment?: Record<string, string>) {
  const told: SentSubject[] = [];
  const context = trackingContext(environment ?? { MLFLOW_TRACKING_URI: server.address }, '1.2.3');
  const { signal } = new AbortController();
  const onSent = (sent: SentSubject) => void told.push(sent);
  const result = await trackRuns({ references, runsFolder: folder, context, signal, onSent });
  expect(result.tracked).toEqual(told);
  return result;
}

it('sends each run once, with its report', async () => {
  const [first, second] = runs;
  const { host, tracked } = await track([first, second, first]);
  expect(host).toBe(new URL(server.address).host);
  expect(tracked.map(({ directory, artifacts, refusals }) => ({ directory, artifacts, refusals }))).toEqual(
    runs.map((directory) => ({ directory, artifacts: 5, refusals: [] })),
  );
  expect(server.runs.size).toBe(2);
  const report = [...server.files].find(([name]) => name.endsWith('report.html'))?.[1];
  expect(report?.toString('utf8')).toMatch(/^<!doctype html>/i);
  const again = await track([first]);
  expect(again.tracked).toMatchObject([{ mlflowRun: 'run0', points: 0, artifacts: 0 }]);
});

it('waits for a busy server, but not for one that refuses the token', async () => {
  server.faults.push({ match: /runs\/search/, times: 2, status: 429, headers: { 'retry-after': '0' } });
  await track([runs[0]]);
  expect(server.run.status).toBe('FINISHED');
  server.faults.push({ match: /./, times: Infinity, status: 401 });
  server.requests.length = 0;
  await expect(track([runs[0]])).rejects.toMatchObject({
    code: 'AG_TRACKING_FAILED',
    message: expect.stringMatching(/refuses access without MLFLOW_TRACKING_TOKEN, or .* \(status 401\)/),
    hint: expect.stringContaining('run the same command again'),
  });
  expect(server.requests).toHaveLength(1);
});

it('refuses a missing address', async () => {
  await expect(track([runs[0]], {})).rejects.toMatchObject({ code: 'AG_TRACKING_SETTING' });
});
