// The server with real runs, which are written as in training and requested as by a browser.
import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { request as ask, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, expect, it } from 'vitest';

import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import type { ReportUpdate, RunsListing, SystemLoad } from '../reporting/live-data.js';
import { reportAssembler } from '../reporting/page/assemble-report.js';
import { nothingSpent, spentTotals } from '../training/spending.js';
import { AblationDirectory, type CellRun } from '../ablation/ablation-directory.js';
import { DiskJournal } from '../runs/disk-journal.js';
import { reportAblation } from '../reports/report-ablation.js';
import { RunDirectory } from '../runs/run-directory.js';
import { writeLabel } from '../runs/run-label.js';
import { serveRuns, type RunServer } from './serve-runs.js';

const recipe = tinyRecipe({
  environment: { name: 'guess-number' },
  policy: { name: 'transformer', preset: 'pico' },
  algorithm: { name: 'grpo', groupSize: 4 },
  horizon: { schedule: 'fixed', turns: 5 },
  stages: { rl: { kind: 'rl', steps: 40 } },
});

const servers: RunServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface Folder {
  readonly folder: string;
  readonly run: RunDirectory;
  readonly journal: DiskJournal;
}

/** A running run: this process holds its lock. */
async function runningRun(
  folder = join(mkdtempSync(join(tmpdir(), 'agentgym-serve-')), 'runs'),
  as: { readonly recipe?: typeof recipe; readonly output?: string } = {},
): Promise<Folder> {
  const made = { versions: {}, plugins: [], seeds: {}, sourceFolder: folder };
  const run = await RunDirectory.create({ recipe, name: 'tiny', runsFolder: folder, ...made, ...as });
  const policy = { save: (directory: string) => Promise.resolve(writeFileSync(join(directory, 'weights.txt'), '1')) };
  const settings = { checkpointEvery: 1, keep: 1, runState: () => ({}), listener: () => undefined };
  return { folder, run, journal: await DiskJournal.open({ run, policy, ...settings }) };
}

function step(journal: DiskJournal, number: number): void {
  journal.metrics({ stage: 'rl', step: number, metrics: { 'rollout/success': number / 100, 'rollout/episodes': 16 } });
}

async function serve(folder: string): Promise<{ server: RunServer; address: (path: string) => URL }> {
  const server = await serveRuns({ folder, port: 0, host: '127.0.0.1', version: '0.1.0' });
  servers.push(server);
  const { searchParams, origin } = new URL(server.url);
  const address = (path: string) => {
    const url = new URL(path, origin);
    url.searchParams.set('token', searchParams.get('token')!);
    return url;
  };
  return { server, address };
}

function get(url: URL | string, options: Pick<RequestOptions, 'method' | 'headers' | 'path'> = {}) {
  return new Promise<{ status: number; headers: IncomingMessage['headers']; text: string }>((resolve, reject) => {
    const sent = ask(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    sent.on('error', reject).end();
  });
}

/** Listens like a page. */
function listen(url: URL) {
  const events: { name: string; data: unknown }[] = [];
  let isOver = false;
  const sent = ask(url, (response) => {
    let rest = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      const blocks = (rest + part).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const [, name, data] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
        if (name !== undefined) events.push({ name, data: JSON.parse(data!) });
      }
    });
    response.on('close', () => (isOver = true));
  });
  sent.on('error', () => (isOver = true)).end();
  const all = <Data>(name: string) => events.filter((event) => event.name === name).map(({ data }) => data as Data);
  return { all, isOver: () => isOver, leave: () => sent.destroy() };
}

const soon = { timeout: 8000, interval: 50 };

// Goes red when `isSame` compares nothing, or when the method or the name is not checked (guard-request.ts).
it('answers nobody without the token, under another name, or who wants to write', async () => {
  const { folder } = await runningRun();
  const { server, address } = await serve(folder);
  const { origin } = new URL(server.url);
  const page = address('/');
  const wrong = new URL(page);
  wrong.searchParams.set('token', `${page.searchParams.get('token')!.slice(0, -1)}~`);
  for (const path of ['/', '/events/', '/nowhere']) expect((await get(new URL(path, origin))).status).toBe(403);
  expect((await get(wrong)).status).toBe(403);
  for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example']) {
    expect((await get(page, { headers: { host } })).status, host).toBe(403);
  }
  for (const host of ['localhost', 'localhost:9999', '[::1]:1']) {
    expect((await get(page, { headers: { host } })).status, host).toBe(200);
  }
  // A page of another site that has the token.
  for (const foreign of ['http://evil.example', 'null', `${origin}0`]) {
    expect((await get(page, { headers: { origin: foreign } })).status, foreign).toBe(403);
  }
  expect((await get(page, { headers: { origin } })).status).toBe(200);
  for (const method of ['POST', 'PUT', 'DELETE', 'HEAD']) expect((await get(page, { method })).status).toBe(405);
  const { headers, status } = await get(page);
  expect(status).toBe(200);
  expect(headers['content-security-policy']).toMatch(/default-src 'none'.*connect-src 'self'.*frame-ancestors 'none'/);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
});

// Goes red without a time limit for headers: idle connections then block all requests.
it('is not kept busy by connections that ask for nothing', async () => {
  const { folder } = await runningRun();
  const { server, address } = await serve(folder);
  const { hostname, port } = new URL(server.url);
  const idle = Array.from({ length: 450 }, () => connect(Number(port), hostname).on('error', () => undefined));
  try {
    await new Promise((done) => idle.at(-1)!.once('connect', done));
    await expect
      .poll(
        () =>
          get(address('/')).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 15_000, interval: 250 },
      )
      .toBe(200);
  } finally {
    for (const socket of idle) socket.destroy();
  }
}, 20_000);

it('knows runs by the ids of its listing alone: no path leads out of the folder', async () => {
  const { folder, run } = await runningRun();
  const { address } = await serve(folder);
  const { id } = run.manifest;
  for (const path of [`/runs/${id}`, `/compare?run=${id}`, '/']) expect((await get(address(path))).status).toBe(200);
  const folderName = run.path.split('/').at(-1)!;
  for (const key of ['nosuch', '...', `..%2f${folderName}`, folderName, '%2Fetc%2Fpasswd', `${id}%00`]) {
    for (const path of [`/runs/${key}`, `/events/runs/${key}`, `/compare?run=${key}`, `/ablations/${key}`]) {
      expect((await get(address(path))).status, path).toBe(404);
    }
  }
  expect((await get(address(`/compare?run=${id}&run=nosuch`))).status).toBe(404);
  const { origin, search } = address('/');
  // A request that no browser would send.
  const raw = { path: `/runs/../../../etc/passwd${search}` };
  expect((await get(origin, raw)).status).toBe(404);
  expect((await get(`${origin}/runs/%zz${search}`)).status).toBe(400);
});

// Goes red when `Followed` does not poll, and when the signature omits metrics.jsonl.
it('lists runs, and tells of a step, of the end, of a new run, and of a dead one', async () => {
  const { folder, run, journal } = await runningRun();
  const { address } = await serve(folder);
  const page = listen(address('/events/'));
  const last = () => page.all<RunsListing>('runs').at(-1);
  const { id: key } = run.manifest;
  const first = { key, status: 'running', steps: 0, stepsWanted: 40, success: null };
  await expect.poll(() => last()?.runs[0], soon).toMatchObject(first);
  step(journal, 1);
  await expect
    .poll(() => last()?.runs[0], soon)
    .toMatchObject({ steps: 1, stage: 'rl', success: { rate: 0.01, from: 'trained' } });
  // A run can be renamed at any time.
  await writeLabel(run.path, { name: 'best so far', tags: [] });
  await expect.poll(() => last()?.runs[0]?.name, soon).toBe('best so far');
  journal.close();
  // The process ended without writing anything.
  run.release();
  await expect.poll(() => last()?.runs[0]?.status, soon).toBe('interrupted');
  const { run: second } = await runningRun(folder);
  await expect.poll(() => last()?.runs.map((line) => line.key), soon).toContain(second.manifest.id);
  const load = page.all<SystemLoad>('load').at(-1)!;
  expect(load.cores).toBeGreaterThan(0);
  expect(load.memory.used).toBeLessThan(load.memory.total);
  if (process.platform === 'linux') {
    await expect
      .poll(() => page.all<SystemLoad>('load').at(-1)?.processes, soon)
      .toMatchObject([
        { run: second.manifest.id, pid: process.pid, memory: expect.any(Number), cores: expect.any(Number) },
      ]);
  }
});

const episode = (task: string) => ({
  task,
  group: 0,
  member: 0,
  seed: 1,
  retries: 0,
  status: 'completed' as const,
  turns: [],
  success: true,
  return: 1,
  finalObservation: '',
});

// Goes red when an update repeats data that were sent (report-update.ts), or when appended lines are not read
// (EpisodeLogs).
it('sends a report, then what was appended: each episode once', async () => {
  const { folder, run, journal } = await runningRun();
  step(journal, 1);
  const log = join(run.path, 'episodes', 'rl.jsonl');
  journal.episodes('rl', 1, [episode('first'), episode('second')] as never);
  const { address } = await serve(folder);
  const { id } = run.manifest;
  const page = listen(address(`/events/runs/${id}`));
  const updates = () => page.all<ReportUpdate>('report');
  await expect.poll(() => updates().length, soon).toBe(1);
  const [first] = updates();
  expect(first!.report).toMatchObject({
    kind: 'run',
    runs: [{ id, status: 'running', kept: [], episodesRecorded: 2 }],
  });
  expect(Object.values(first!.episodes[id]!.added).map(({ task }) => task)).toEqual(['first', 'second']);
  step(journal, 2);
  appendFileSync(log, `${JSON.stringify({ stage: 'rl', step: 2, runStep: 2, ...episode('third') })}\n{"half`);
  await expect.poll(() => updates().at(-1)?.report.runs[0]?.episodesRecorded, soon).toBe(3);
  await expect.poll(() => updates().at(-1)?.report.runs[0]?.series?.step, soon).toEqual([1, 2]);
  const sent = updates()
    .slice(1)
    .flatMap((update) => Object.values(update.episodes[id]!.added));
  expect(sent.map(({ task }) => task)).toEqual(['third']);
  expect(updates().at(-1)!.episodes[id]!.order).toHaveLength(3);
  expect(updates().at(-1)!.report.notes).toEqual([]);
  // A second page gets everything.
  const other = listen(address(`/events/runs/${id}`));
  await expect.poll(() => other.all<ReportUpdate>('report').length, soon).toBeGreaterThan(0);
  expect(Object.keys(other.all<ReportUpdate>('report')[0]!.episodes[id]!.added)).toHaveLength(3);
});

// Goes red when a resumed run's logs are treated as the old ones: another episode would then get the key of `first`.
it('reads logs anew that were cut, and gives other episodes other keys', async () => {
  const { folder, run, journal } = await runningRun();
  step(journal, 1);
  journal.episodes('rl', 1, [episode('first'), episode('second')] as never);
  const { address } = await serve(folder);
  const { id } = run.manifest;
  const page = listen(address(`/events/runs/${id}`));
  const last = () => page.all<ReportUpdate>('report').at(-1)?.episodes[id];
  await expect.poll(() => last()?.order.length, soon).toBe(2);
  const before = last()!.order;
  const line = JSON.stringify({ stage: 'rl', step: 1, runStep: 1, ...episode('other') });
  writeFileSync(join(run.path, 'episodes', 'rl.jsonl'), `${line}\n`);
  await expect.poll(() => Object.values(last()?.added ?? {}).map(({ task }) => task), soon).toEqual(['other']);
  expect(before).not.toContain(last()!.order[0]);
});

it('says why there is nothing newer, and goes on when it can be read again', async () => {
  const { folder, run, journal } = await runningRun();
  step(journal, 1);
  const { address } = await serve(folder);
  const page = listen(address(`/events/runs/${run.manifest.id}`));
  await expect.poll(() => page.all('report').length, soon).toBe(1);
  const metrics = join(run.path, 'metrics.jsonl');
  appendFileSync(metrics, 'no JSON\n');
  await expect
    .poll(() => page.all<{ message: string }>('problem').at(-1)?.message, soon)
    .toMatch(/Line 2 of .*metrics/);
  writeFileSync(metrics, '');
  step(journal, 2);
  await expect.poll(() => page.all('report').length, soon).toBe(2);
});

/** Two cells with one seed each, as in `ablate`; `end` writes a final evaluation of ten tasks, and ends the run. */
async function runningAblation() {
  const folder = join(mkdtempSync(join(tmpdir(), 'agentgym-serve-')), 'runs');
  const cells = [1, 5].map((turns) => ({
    id: `turns-${turns}`,
    title: `turns ${turns}`,
    settings: { 'horizon.turns': turns },
    recipe: { ...recipe, horizon: { schedule: 'fixed' as const, turns } },
    notes: [],
  }));
  const plan = { name: 'small', axis: 'grid', question: 'How many turns?', cells, reference: 'turns-1' };
  const path = join(folder, 'ablations', 'small');
  const directory = await AblationDirectory.open(path, { ...plan, compare: 'all' }, cells, [1], {});
  const [first, second] = directory.runs as [CellRun, CellRun];
  const begin = (run: CellRun) => runningRun(folder, { recipe: run.recipe, output: run.directory });
  const end = async (of: CellRun, { run, journal }: Folder, solved: number) => {
    const mean = { mean: solved / 10, low: 0, high: 1 };
    const success = { rate: solved / 10, low: 0, high: 1, episodes: 10, method: 'wilson' as const };
    const shares = { truncated: 0, invalid: 0, failed: 0 };
    const evaluation = { split: 'test' as const, temperature: 0, success, return: mean, turns: mean, ...shares };
    const outcomes = Array.from({ length: 10 }, (_, task) => ({
      task: `task-${task}`,
      attempts: [{ success: task < solved, return: Number(task < solved), turns: 1, truncated: false }],
    }));
    journal.evaluation({ stage: 'rl', step: 1, player: 'policy', evaluation, outcomes });
    journal.close();
    const spent = { ...spentTotals(nothingSpent({}, false)), seconds: 1 };
    const told = { spent, stages: [], starts: [], baselines: {}, evaluation, evaluations: [evaluation] };
    await run.finish({ formatVersion: 1, status: 'completed', run: run.path, seconds: 1, ...told });
    await directory.noteFinished(of);
  };
  return { folder, path, first, second, begin, end, release: () => directory.release() };
}

// Goes red when the manifest is read only once, or when started runs are not noticed. Goes red when an unchanged part
// is
// sent again (report-update.ts), or when the page differs from the report of `agentgym report`.
it('follows an ablation from its first second to its report, and sends of each run what is new', async () => {
  const { folder, path, first, second, begin, end, release } = await runningAblation();
  const { server, address } = await serve(folder);
  const page = listen(address('/events/ablations/small'));
  const updates = () => page.all<ReportUpdate>('report');
  const last = () => updates().at(-1)?.report;
  const statuses = () => last()?.cells.map(({ status }) => status);
  await expect.poll(statuses, soon).toEqual(['queued', 'queued']);
  expect(last()).toMatchObject({ kind: 'ablation', question: 'How many turns?', runs: [] });

  const one = await begin(first);
  step(one.journal, 1);
  one.journal.episodes('rl', 1, [episode('first')] as never);
  await expect.poll(statuses, soon).toEqual(['running', 'queued']);
  await expect.poll(() => last()?.runs[0]?.series?.step, soon).toEqual([1]);
  await end(first, one, 9);
  await expect.poll(statuses, soon).toEqual(['completed', 'queued']);
  expect(last()?.cells[0]?.success?.rate).toBeCloseTo(0.9, 12);
  expect(last()?.answer).toMatch(/^Only turns 1 \(90\.0 %\) has a result so far\./);

  const two = await begin(second);
  await expect.poll(statuses, soon).toEqual(['completed', 'running']);
  const before = updates().length;
  step(two.journal, 1);
  await expect.poll(() => last()?.runs[1]?.series?.step, soon).toEqual([1]);
  expect(server.followed).toEqual({ streams: 1, runs: 2 });
  for (const { report, episodes } of updates().slice(before)) {
    const [known] = report.runs;
    expect(known!.kept).toEqual(expect.arrayContaining(['series', 'evaluations', 'recipe', 'spent', 'summary']));
    expect(known).not.toHaveProperty('series');
    expect(Object.keys(episodes[known!.id]!.added)).toEqual([]);
  }
  await end(second, two, 2);
  release();
  await expect.poll(statuses, soon).toEqual(['completed', 'completed']);

  const assemble = reportAssembler();
  const { createdAt: _, ...shown } = updates().map(assemble).at(-1)!;
  const options = { episodes: 100, version: '0.1.0', measure: 'success', temperature: 0 } as const;
  const { createdAt: __, ...report } = await reportAblation(path, options);
  expect(shown).toEqual(JSON.parse(JSON.stringify(report)));
  expect(report.answer).toMatch(/^Success: turns 1 \(90\.0 %\); turns 5 \(20\.0 %\)/);
});

// Goes red when a run is not checked against its ablation (follow-ablation.ts), or is checked only for a new page.
it('says when a run of an ablation was changed after it was complete', async () => {
  const { folder, first, begin, end } = await runningAblation();
  const { address } = await serve(folder);
  const page = listen(address('/events/ablations/small'));
  const run = await begin(first);
  step(run.journal, 1);
  await end(first, run, 9);
  await expect.poll(() => page.all<ReportUpdate>('report').at(-1)?.report.cells[0]?.status, soon).toBe('completed');
  writeFileSync(join(first.directory, 'metrics.jsonl'), '');
  const message = () => page.all<{ message: string }>('problem').at(-1)?.message;
  await expect.poll(message, soon).toMatch(/turns-1.seed-1 was changed after it was complete/);
});

// Goes red when `rest` does not release readers, or when a listener remains after its page has left.
it('reads a run once for all pages, nothing when nobody listens, and ends with open pages', async () => {
  const { folder, run } = await runningRun();
  const { run: second } = await runningRun(folder);
  const { server, address } = await serve(folder);
  const [a, b] = [run.manifest.id, second.manifest.id];
  const pages = [`/events/runs/${a}`, `/events/runs/${a}`, `/events/compare?run=${a}&run=${b}`].map((path) =>
    listen(address(path)),
  );
  await expect.poll(() => pages.map((page) => page.all('report').length), soon).toEqual([1, 1, 1]);
  expect(server.followed).toEqual({ streams: 3, runs: 2 });
  expect(pages[2]!.all<ReportUpdate>('report')[0]!.report).toMatchObject({ kind: 'comparison' });
  pages[2]!.leave();
  await expect.poll(() => server.followed, soon).toEqual({ streams: 2, runs: 1 });
  for (const page of pages) page.leave();
  await expect.poll(() => server.followed, soon).toEqual({ streams: 0, runs: 0 });
  const open = listen(address(`/events/runs/${a}`));
  await expect.poll(() => open.all('report').length, soon).toBe(1);
  await server.close();
  await expect.poll(open.isOver, soon).toBe(true);
  expect(server.followed).toEqual({ streams: 0, runs: 0 });
  await expect(get(address('/'))).rejects.toThrow(/ECONNREFUSED/);
});

it('refuses a port that is taken, one run, and a token that can be guessed', async () => {
  const { folder, run } = await runningRun();
  const { address } = await serve(folder);
  const settings = { folder, port: Number(address('/').port), host: '127.0.0.1', version: '0.1.0' };
  await expect(serveRuns(settings)).rejects.toMatchObject({
    code: 'AG_SERVE_FAILED',
    hint: expect.stringContaining('--port'),
  });
  await expect(serveRuns({ ...settings, port: 0, folder: run.path })).rejects.toMatchObject({
    code: 'AG_SERVE_FAILED',
    hint: expect.stringContaining(`agentgym ui --runs ${folder}`),
  });
  await expect(serveRuns({ ...settings, port: 0, token: 'short' })).rejects.toMatchObject({ code: 'AG_SERVE_FAILED' });
});
