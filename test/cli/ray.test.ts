// Runs that a Ray cluster trains. The head is a fixture that answers as Ray does; jobs are real processes. `npm run
// test:ray` does the same with Ray itself.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';

import type { AblationResult } from '../../src/ablation/ablation-result.js';
import { RayHead } from '../../src/runners/ray/fixtures/ray-head.js';
import { longIt } from '../long.js';
import { compareRuns } from '../kill/compare-runs.js';
import { bin, documentOf, freshDataFolders } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const cwd = mkdtempSync(join(tmpdir(), 'agentgym-ray-'));
const recipe = resolve(import.meta.dirname, '../kill/small.yaml');
const short = [
  ...['--set', 'stages.sft.steps=6', '--set', 'stages.rl.steps=4', '--set', 'stages.critic=null'],
  ...['--set', 'horizon={schedule: fixed, turns: 5}', '--set', 'checkpoint.every=2'],
];
const environment = { ...freshDataFolders(), RAY_AUTH_TOKEN: 'secret' };
/** What a plugin could print: it looks like what a job tells, and removes every file where it is believed. */
const forged = `printf '@agentgym-frame {"type":"%s","seq":%s,"files":[],"outcome":{"status":"completed","seconds":1}}\\n' commit 0 end 1 commit 1e308`;
let head: RayHead;
const elsewhere = () => {
  // The head reads the token from another header if there is a password.
  const address = head.url.replace('//', '//me:password@');
  return ['--runner', 'ray', '--address', address, '--runner-option', `command=${forged}; node ${bin}`];
};
const agentgym = (...args: string[]) => runWarm(args, { cwd, environment });

beforeEach(async () => {
  head = await new RayHead().open();
  head.token = 'secret';
});
afterEach(() => head.dispose());
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** Calls back at the first job whose output has these words. */
async function onceJobSays(words: string): Promise<string> {
  for (;;) {
    for (const { id, log } of head.jobs.values()) if (readFileSync(log, 'utf8').includes(words)) return id;
    await new Promise((wait) => setTimeout(wait, 20));
  }
}

function start(...args: string[]): { child: ChildProcess; ended: Promise<number | null>; errors: () => string } {
  const child = spawn(process.execPath, [bin, ...args], { cwd, env: { ...process.env, ...environment } });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return { child, ended: once(child, 'close').then(([code]) => code as number | null), errors: () => errors };
}

longIt('saves a run at Ctrl-C, and this machine goes on with it', { timeout: 120_000 }, async () => {
  const { child, ended } = start('train', recipe, ...short, '--output', 'stopped', ...elsewhere());
  await onceJobSays('"stage":"rl"');
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(JSON.parse(readFileSync(join(cwd, 'stopped/manifest.json'), 'utf8'))).toMatchObject({ status: 'interrupted' });
  expect(head.jobs.size).toBe(0);
  expect((await agentgym('train', '--resume', 'stopped', '--json')).code).toBe(0);
});

it('lets jobs write the files of the run on a shared disk', { timeout: 120_000 }, async () => {
  const shared = ['--output', 'shared', ...elsewhere(), '--runner-option', 'sharedDisk=true'];
  const { code, stderr } = await agentgym('train', recipe, ...short, ...shared);
  expect(code, stderr).toBe(0);
  // Nothing travels through the head, in either direction.
  expect(head.requests.filter((line) => line.includes('/packages/') || line.includes('/logs'))).toEqual([]);
  expect(head.outputs().match(/^@agentgym-frame/gm)).toHaveLength(3);
  // Events come through files.
  expect(stderr).toMatch(/rl: ends after step 4/);
  expect(JSON.parse(readFileSync(join(cwd, 'shared/manifest.json'), 'utf8'))).toMatchObject({ status: 'completed' });
  expect(readdirSync(cwd).filter((name) => name.startsWith('shared.'))).toEqual([]);
});

it('gets the same files through the log of a job', { timeout: 120_000 }, async () => {
  const { code, stderr } = await agentgym('train', recipe, ...short, '--output', 'logged', ...elsewhere());
  expect(code, stderr).toBe(0);
  expect(head.outputs()).toContain('"type":"commit","files":');
  // The run of the test before this one.
  expect(compareRuns(join(cwd, 'shared'), join(cwd, 'logged'))).toEqual([]);
  expect(head.jobs.size).toBe(0);
});

longIt(
  'submits another job if the head was killed and knows none, and ends the same',
  { timeout: 120_000 },
  async () => {
    const { ended, errors } = start('train', recipe, ...short, '--output', 'killed', ...elsewhere());
    await onceJobSays('"type":"commit","files":');
    await head.die();
    await head.open();
    expect(await ended, errors()).toBe(0);
    expect(errors()).toContain('the job was lost (the head does not know it any more); it is submitted again, 2 of 4');
    expect((await agentgym('train', recipe, ...short, '--output', 'alone')).code).toBe(0);
    expect(compareRuns(join(cwd, 'alone'), join(cwd, 'killed'))).toEqual([]);
  },
);

it('ends without another job if somebody stops the job', { timeout: 60_000 }, async () => {
  const idle = ['--runner', 'ray', '--address', head.url, '--runner-option', 'command=echo begun; sleep 50; true'];
  const { ended, errors } = start('train', recipe, ...short, '--output', 'halted', ...idle);
  const id = await onceJobSays('\nbegun');
  head.stop(id);
  expect(await ended, errors()).toBe(130);
  expect(errors()).toContain('interrupted before it had a result');
  expect(head.requests.filter((line) => line === 'POST /api/jobs/')).toHaveLength(1);
});

longIt(
  'follows the jobs of a killed process, repeats a lost one, and has the same table',
  { timeout: 180_000 },
  async () => {
    const cells = { four: {}, broken: { 'policy.from': './no-such-model' } };
    const grid = { ablationVersion: 1, name: 'small', recipe, seeds: 1, cells };
    writeFileSync(join(cwd, 'grid.json'), JSON.stringify(grid));
    const ablate = ['ablate', 'grid.json', ...short, '--json'];
    const onRay = [...ablate, '--output', 'far', ...elsewhere()];
    const { child, ended } = start(...onRay, '--workers', '1');
    const first = await onceJobSays('"type":"commit","files":');
    child.kill('SIGKILL');
    head.freeze(first);
    await ended;
    head.earlyAnswers = 1;
    const again = agentgym(...onRay);
    // The node is lost once the second process follows the job.
    let over = false;
    void again.then(() => (over = true));
    while (!over && !head.followed.has(first)) await new Promise((wait) => setTimeout(wait, 20));
    head.lose(first);
    const [far, near] = [await again, await agentgym(...ablate, '--output', 'near')];
    // One cell fails.
    expect([far.code, near.code], far.stderr).toEqual([1, 1]);
    expect(far.stderr).toMatch(/the job was lost \(FAILED.*submitted again, 2 of 4/);
    // Two runs, and the lost one again.
    expect(head.requests.filter((line) => line === 'POST /api/jobs/')).toHaveLength(3);
    expect(head.jobs.size).toBe(0);
    const tableOf = (result: AblationResult) => {
      const { answer, comparisons, status } = result;
      const shown = result.cells.map(({ id, success, runs, spent: { seconds: _, ...spent } }) => {
        return { id, success, spent, causes: runs.map(({ cause, status: of }) => [of, cause]) };
      });
      return { answer, comparisons, status, shown };
    };
    const [left, right] = [far, near].map((one) => tableOf(JSON.parse(one.stdout) as AblationResult));
    expect(left).toEqual(right);
    expect(left!.shown[1]!.causes[0]![1]).toMatch(/no-such-model/);
    const run = 'cells/four/seed-1';
    expect(compareRuns(join(cwd, 'near', run), join(cwd, 'far', run))).toEqual([]);
    // The second job went on from where the first had been.
    const { sessions } = JSON.parse(readFileSync(join(cwd, 'far', run, 'manifest.json'), 'utf8')) as {
      sessions: { fromStep: number }[];
    };
    expect(sessions.map(({ fromStep }) => fromStep > 0)).toEqual([false, true]);
    expect(readdirSync(join(cwd, 'far/cells/four'))).toEqual(['seed-1']);
    expect(spawnSync('grep', ['-r', '-l', '-e', 'me:password', '-e', 'secret', 'far'], { cwd }).stdout.toString()).toBe(
      '',
    );
    expect(readdirSync(join(cwd, 'far', run)).filter((name) => name.startsWith('lock'))).toEqual([]);
  },
);

it.each([
  ['no head', ['--runner', 'ray'], /needs the address/],
  [
    'an option that does not exist',
    ['--runner', 'ray', '--address', 'http://127.0.0.1:1', '--runner-option', 'cpu=2'],
    /Did you mean `cpus`/,
  ],
  ['an address for another runner', ['--runner', 'local', '--address', 'http://127.0.0.1:1'], /has no effect/],
  [
    'a head that is away',
    ['--runner', 'ray', '--address', 'http://secret:pass@127.0.0.1:1'],
    /127\.0\.0\.1:1 cannot be reached/,
  ],
])('refuses %s, and writes nothing', async (_, flags, message) => {
  const { code, stderr } = await agentgym('train', recipe, ...flags, '--output', 'refused');
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain('secret');
  expect(existsSync(join(cwd, 'refused'))).toBe(false);
});

it('says what is missing on the nodes', async () => {
  const flags = ['--runner', 'ray', '--address', head.url, '--runner-option', 'command=no-such-command'];
  const attempts = ['--runner-option', 'attempts=1', '--output', 'nothing', '--json'];
  const result = await agentgym('train', recipe, ...flags, ...attempts);
  expect(result.code).toBe(2);
  const { error } = documentOf(result) as { error: { code: string; message: string; hint: string } };
  expect(error).toMatchObject({
    code: 'AG_RUNNER_UNAVAILABLE',
    message: expect.stringContaining('have no command agentgym'),
    hint: expect.stringMatching(/./),
  });
  expect(error.message).not.toContain(error.hint);
});
