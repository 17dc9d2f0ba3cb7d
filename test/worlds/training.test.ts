// Trains agents in the worlds of the guide on slow worlds, on the main thread and in threads. Failures in the middle
// must not change the result.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type CliResult, documentOf, runCli } from '../cli/run-cli.js';
import { runWarm } from '../cli/warm-cli.js';
import { compareRuns } from '../kill/compare-runs.js';
import { findProcesses } from '../kill/find-processes.js';
import { isLong, longIt } from '../long.js';
import { awaitProcesses } from './await-processes.js';
import { type GameServer, startServer } from './game-server.js';
import { makeProject, removeProject } from './make-project.js';
import { withoutPython } from './python.js';

const project = makeProject();
const child = join(project, 'programs/child.js');
const python = join(project, 'programs/games.py');
let server: GameServer;
beforeAll(async () => {
  server = await startServer(project);
});
afterAll(() => removeProject(project));

/** Each thread compiles the graphs again, which costs more than a short training. */
const ONE_THREAD = 'policy.options.threads=1';
/** Smaller values than in the guide's recipe: a few steps of each kind, and few episodes. */
const FEW_STEPS = [
  ONE_THREAD,
  'stages.sft.demonstrations.count=5',
  'stages.sft.batchSize=5',
  'stages.sft.steps=3',
  'algorithm.groupSize=2',
  'stages.rl.tasksPerStep=2',
  'stages.rl.steps=7',
  'evaluation.final.tasks=1',
];
/** Number of lines of metrics after which reinforcement learning is running. */
const IN_THE_MIDDLE = 5;

const runOf = (name: string) => join(project, 'runs', name);

function train(name: string, settings: readonly string[], runs = runWarm): Promise<CliResult> {
  const sets = settings.flatMap((setting) => ['--set', setting]);
  return runs(['train', 'recipe.yaml', '--output', runOf(name), '--json', ...sets], { cwd: project });
}

const resume = (name: string) => runWarm(['train', '--resume', runOf(name), '--json'], { cwd: project });

/** Checks that a run is complete, and left no process and no lease. */
async function expectCompleted({ code, stderr }: CliResult): Promise<void> {
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain('Warning');
  expect([child, python].flatMap(findProcesses)).toEqual([]);
  expect(await server.leased()).toBe(0);
}

const linesOf = (name: string): string[] => {
  const file = join(runOf(name), 'metrics.jsonl');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
};

const untilInTheMiddle = (name: string) =>
  expect.poll(() => linesOf(name).length, { timeout: 120_000, interval: 5 }).toBeGreaterThanOrEqual(IN_THE_MIDDLE);

const leased = () => ['environment.name=leased-game', `environment.options.url=${server.url}`];
const inPython = () => ['environment.name=python-game'];
const inThread = () => ['environment.thread=worker'];
const inThreads = () => ['environment.thread=worker', 'environment.workers=2'];

/** The ways to train an agent: name of the run -> settings of the recipe. */
const ways = {
  child: [],
  'child-threads': [inThreads],
  leased: [leased],
  'leased-thread': [leased, inThread],
  python: [inPython],
  'python-threads': [inPython, inThreads],
} satisfies Record<string, readonly (() => readonly string[])[]>;

type Way = keyof typeof ways;

const settingsOf = (way: Way) => [...FEW_STEPS, ...ways[way].flatMap((settings) => settings())];

describe('an agent is trained', { timeout: 300_000 }, () => {
  const trained = new Map<Way, Promise<void>>();
  /** The folder of an undisturbed run. */
  const undisturbed = async (way: Way): Promise<string> => {
    if (!trained.has(way)) trained.set(way, train(way, settingsOf(way)).then(expectCompleted));
    await trained.get(way);
    return runOf(way);
  };

  const trainsTheSame = async (way: Way) => {
    const differences = compareRuns(await undisturbed('child'), await undisturbed(way));
    // The state of the trainer contains the recipe, which names the world.
    expect(differences.filter((text) => !text.includes('trainer.json'))).toEqual([]);
  };
  const pythonWays = isLong ? (['python', 'python-threads'] as const) : (['python-threads'] as const);
  it('to the same bytes: leased', () => trainsTheSame('leased'));
  longIt.each(['child-threads', 'leased-thread'] as const)('to the same bytes: %s', trainsTheSame);
  it.skipIf(withoutPython).each(pythonWays)('to the same bytes: %s', trainsTheSame);

  longIt('on, where a process is killed: its episode is played again', async () => {
    const running = train('child-killed', settingsOf('child'));
    await untilInTheMiddle('child-killed');
    for (const pid of await awaitProcesses(child)) process.kill(pid, 'SIGKILL');
    await expectCompleted(await running);
    const retries = linesOf('child-killed').map((line) => (JSON.parse(line) as Metrics)['rollout/retries'] ?? 0);
    expect(retries.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  });

  it('until the server is killed, and on when it is back', async () => {
    const running = train('leased-killed', settingsOf('leased'));
    await untilInTheMiddle('leased-killed');
    await server.kill();
    const ended = await running;
    // The server is still down.
    const again = await resume('leased-killed');
    server = await startServer(project, ['--port', new URL(server.url).port]);
    expectUnavailable(ended);
    expectUnavailable(again);
    await expectCompleted(await resume('leased-killed'));
    expect(compareRuns(await undisturbed('leased'), runOf('leased-killed'))).toEqual([]);
  });

  it.runIf(isLong && !withoutPython).each(pythonWays)(
    'until Python is killed, and on when it is resumed: %s',
    async (way) => {
      const name = `${way}-killed`;
      const running = train(name, settingsOf(way));
      await untilInTheMiddle(name);
      for (const pid of await awaitProcesses(python)) process.kill(pid, 'SIGKILL');
      expectUnavailable(await running);
      await expectCompleted(await resume(name));
      expect(compareRuns(await undisturbed(way), runOf(name))).toEqual([]);
    },
  );

  it.runIf(isLong && !withoutPython)('until it is killed itself, which ends Python', async () => {
    const name = 'killed';
    const running = train(name, settingsOf('python-threads'), runCli);
    await untilInTheMiddle(name);
    for (const pid of findProcesses(runOf(name))) process.kill(pid, 'SIGKILL');
    expect((await running).code).toBe(null);
    await expect.poll(() => findProcesses(python), { timeout: 10_000 }).toEqual([]);
    await expectCompleted(await resume(name));
    expect(compareRuns(await undisturbed('python-threads'), runOf(name))).toEqual([]);
  });
});

// Goes red when the games leave nothing to learn. The recipe is the guide's, without cuts. One seed gains 0.06 to 0.17
// (eight seeds), and another processor's last bits give other runs. So the gain is the mean of three seeds: 0.10, standard
// error 0.02. Without learning it is 0, standard error 0.014.
it.runIf(isLong && !withoutPython)('what is learnt is the game', { timeout: 300_000 }, async () => {
  const gains: number[] = [];
  for (const seed of [1, 2, 3]) {
    const evaluation = ['evaluation.final.episodesPerTask=64', 'evaluation.final.temperatures=[1]'];
    const settings = [ONE_THREAD, `seed=${seed}`, ...evaluation, ...inPython()];
    const result = await train(`learnt-${seed}`, settings);
    await expectCompleted(result);
    const { starts, evaluations } = documentOf(result) as Record<'starts' | 'evaluations', readonly Outcome[]>;
    gains.push(evaluations[0]!.success.rate - starts[0]!.success.rate);
  }
  expect(gains.reduce((sum, gain) => sum + gain, 0) / gains.length).toBeGreaterThan(0.04);
});

function expectUnavailable(result: CliResult): void {
  expect(result.code, result.stderr).toBe(2);
  expect(documentOf(result)).toMatchObject({ error: { code: 'AG_WORLD_UNAVAILABLE' } });
}

interface Metrics {
  readonly 'rollout/retries'?: number;
}

interface Outcome {
  readonly success: { readonly rate: number };
}
