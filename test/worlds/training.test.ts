// Agents are trained in the worlds of the guide on slow worlds, in both isolations; what breaks in the middle ends or spoils nothing.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type CliResult, documentOf, runCli } from '../cli/run-cli.js';
import { compareRuns } from '../kill/compare-runs.js';
import { awaitProcesses, findProcesses } from './find-processes.js';
import { type GameServer, startServer } from './game-server.js';
import { makeProject } from './make-project.js';
import { withoutPython } from './python.js';

const project = makeProject();
const programs = ['child.js', 'games.py'].map((name) => join(project, 'programs', name));
let server: GameServer;
beforeAll(async () => {
  server = await startServer(project);
});
afterAll(async () => {
  await server.kill();
  rmSync(project, { recursive: true });
});

const runOf = (name: string) => join(project, 'runs', name);
const url = () => `environment.options.url=${server.url}`;

/** Trains by the guide's recipe. */
function train(name: string, settings: readonly string[]): Promise<CliResult> {
  const sets = settings.flatMap((setting) => ['--set', setting]);
  return runCli(['train', 'guess.yaml', '--output', runOf(name), '--json', ...sets], { cwd: project });
}

const resume = (name: string) => runCli(['train', '--resume', runOf(name), '--json'], { cwd: project });

/** Waits until a run has written so many lines of metrics. */
async function awaitSteps(name: string, lines: number): Promise<void> {
  const file = join(runOf(name), 'metrics.jsonl');
  const written = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0);
  await expect.poll(written, { timeout: 120_000, interval: 5 }).toBeGreaterThanOrEqual(lines);
}

async function trainToTheEnd(name: string, settings: readonly string[]): Promise<void> {
  const { code, stderr } = await train(name, settings);
  expect(code, stderr).toBe(0);
  expect(programs.flatMap(findProcesses)).toEqual([]);
  expect(await server.leased()).toBe(0);
}

/** The one run that the others are compared with. */
beforeAll(() => trainToTheEnd('child', []), 300_000);

/** The 30 steps on demonstrations come before: these are in the middle of reinforcement learning. */
const IN_THE_MIDDLE = 33;

describe('an agent is trained, to the same bytes, by', { timeout: 300_000 }, () => {
  it.each([
    [
      'a process for every episode, in threads',
      'child-threads',
      () => ['environment.workers=2', 'environment.thread=worker'],
    ],
    ['leases of a server', 'leased', () => ['environment.name=leased-game', url()]],
    [
      'leases of a server, in a thread',
      'leased-thread',
      () => ['environment.name=leased-game', 'environment.thread=worker', url()],
    ],
  ])('%s', async (_title, name, settings) => {
    await trainToTheEnd(name, settings());
    expect(compareRuns(runOf('child'), runOf(name))).toEqual([]);
  });

  it.skipIf(withoutPython).each([
    ['games in one Python process', 'python', []],
    [
      'games in a Python process of each thread',
      'python-threads',
      ['environment.thread=worker', 'environment.workers=2'],
    ],
  ])('%s', async (_title, name, settings) => {
    await trainToTheEnd(name, ['environment.name=python-game', ...settings]);
    expect(compareRuns(runOf('child'), runOf(name))).toEqual([]);
  });
});

describe('in the middle of a training', { timeout: 300_000 }, () => {
  it('a process that is killed fails its episode, which is played again', async () => {
    const trained = train('child-killed', []);
    await awaitSteps('child-killed', IN_THE_MIDDLE);
    const [pid = 0] = await awaitProcesses(programs[0]!);
    process.kill(pid, 'SIGKILL');
    const { code, stderr } = await trained;
    expect(code, stderr).toBe(0);
    expect(findProcesses(programs[0]!)).toEqual([]);
  });

  it.each([
    ['', []],
    [', in a thread', ['environment.thread=worker']],
  ])('a server that is killed ends it; once it is back it goes on to the same bytes%s', async (_title, settings) => {
    const name = `leased-killed-${settings.length}`;
    const own = await startServer(project);
    const trained = train(name, ['environment.name=leased-game', `environment.options.url=${own.url}`, ...settings]);
    await awaitSteps(name, IN_THE_MIDDLE);
    await own.kill();
    const result = await trained;
    expect(result.code, result.stderr).toBe(2);
    expect(documentOf(result)).toMatchObject({ error: { code: 'AG_WORLD_UNAVAILABLE' } });
    expect((await resume(name)).code).toBe(2);

    const again = await startServer(project, ['--port', new URL(own.url).port]);
    const { code, stderr } = await resume(name);
    await again.kill();
    expect(code, stderr).toBe(0);
    expect(compareRuns(runOf('child'), runOf(name))).toEqual([]);
  });

  it.skipIf(withoutPython).each([
    ['', []],
    [', in a thread', ['environment.thread=worker']],
  ])('Python that is killed ends it; it goes on to the same bytes%s', async (_title, settings) => {
    const name = `python-killed-${settings.length}`;
    const trained = train(name, ['environment.name=python-game', ...settings]);
    await awaitSteps(name, IN_THE_MIDDLE);
    for (const pid of await awaitProcesses(programs[1]!)) process.kill(pid, 'SIGKILL');
    const result = await trained;
    expect(result.code, result.stderr).toBe(2);
    expect(documentOf(result)).toMatchObject({ error: { code: 'AG_WORLD_UNAVAILABLE' } });

    const { code, stderr } = await resume(name);
    expect(code, stderr).toBe(0);
    expect(compareRuns(runOf('child'), runOf(name))).toEqual([]);
    expect(findProcesses(programs[1]!)).toEqual([]);
  });
});
