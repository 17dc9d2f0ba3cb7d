// Trains with a judge behind a server of this machine, which is killed and goes away.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ChatServer, startChatServer } from '../../plugins/policy-openai/src/fixtures/chat-server.js';
import { documentOf, freshDataFolders, runCli } from '../cli/run-cli.js';
import { runWarm } from '../cli/warm-cli.js';
import { compareRuns } from '../kill/compare-runs.js';
import { longIt } from '../long.js';
import { grade } from './grading-server.js';

const plugin = fileURLToPath(new URL('../../plugins/policy-openai', import.meta.url));
const script = fileURLToPath(new URL('../kill/kill-and-resume.js', import.meta.url));
const recipe = fileURLToPath(new URL('../kill/judged.yaml', import.meta.url));
const folders = freshDataFolders();
const cwd = mkdtempSync(join(tmpdir(), 'agentgym-judges-'));
let server: ChatServer;
let environment: Record<string, string>;

beforeAll(async () => {
  server = await startChatServer(grade);
  environment = { ...folders, JUDGE_BASE_URL: server.url };
  expect((await runWarm(['plugins', 'link', plugin], { cwd, environment })).code).toBe(0);
}, 60_000);

afterAll(async () => {
  await server.close();
  for (const folder of [cwd, folders.AGENTGYM_DATA_DIR]) rmSync(folder, { recursive: true });
});

const agentgym = (...args: string[]) => runWarm(args, { cwd, environment });
const train = (...args: string[]) => agentgym('train', ...args, '--json');

const linesOf = <Line>(run: string, file: string): Line[] => {
  const path = join(cwd, run, file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
};
interface KeptLine {
  readonly key: string;
  readonly judgements: readonly { readonly tokens: number }[];
}
const verdictsOf = (run: string) => linesOf<KeptLine>(run, 'verdicts.jsonl');
const keysOf = (run: string) =>
  verdictsOf(run)
    .map(({ key }) => key)
    .sort();
type Metrics = Readonly<Record<string, number>> & { readonly stage: string };
const metricsOf = (run: string) => linesOf<Metrics>(run, 'metrics.jsonl');
interface Recorded {
  readonly status: string;
  readonly return: number;
  readonly turns: readonly { readonly components: Readonly<Record<string, number>>; readonly reward: number }[];
  readonly verdicts?: readonly { readonly judge: string; readonly score: number; readonly tokens: number }[];
}

interface ScoredLog {
  readonly log: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly correlation: number | null;
  readonly terms: Readonly<Record<string, number>>;
}

async function score(
  run: string,
  reward: object,
  ...words: string[]
): Promise<{ readonly logs: readonly ScoredLog[] }> {
  writeFileSync(join(cwd, 'reward.json'), JSON.stringify(reward));
  const result = await agentgym('score', run, '--reward', 'reward.json', '--json', ...words);
  expect(result.code, result.stdout).toBe(0);
  return documentOf(result) as unknown as { readonly logs: readonly ScoredLog[] };
}

/** A server on the port of one that ended. */
async function serveAgain(url: string): Promise<ChatServer> {
  const chosen = await startChatServer(grade, Number(new URL(url).port));
  expect(chosen.url).toBe(url);
  return chosen;
}

describe('a judge behind a server', { timeout: 300_000 }, () => {
  it('is trained on: its numbers, its reasons and its tokens are in the run', async () => {
    const { code, stderr } = await train(recipe, '--output', 'whole');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('The run is not exactly repeatable: the judge judged is external.');
    const kept = verdictsOf('whole');
    expect(kept.length).toBe(server.asked.length);
    expect(new Set(keysOf('whole')).size).toBe(kept.length);
    const recorded = linesOf<Recorded>('whole', 'episodes/rl.jsonl');
    expect(recorded.length).toBeGreaterThan(100);
    for (const { status, turns, verdicts, return: total } of recorded) {
      expect(status).toBe('completed');
      const [verdict] = verdicts!;
      expect(verdict).toMatchObject({ judge: 'judged', reason: `It is worth ${10 * verdict!.score}.` });
      const parts = turns.map(({ components }) => components['judged']!);
      expect(parts.slice(0, -1).every((part) => part === 0)).toBe(true);
      expect(parts.at(-1)).toBeCloseTo(0.5 * verdict!.score, 12);
      expect(total).toBeCloseTo(
        turns.reduce((sum, { reward }) => sum + reward, 0),
        12,
      );
    }
    const last = metricsOf('whole').at(-1)!;
    // 4 tasks of 4 episodes in 24 steps, each judged; equal episodes are asked for once, and cost as much each time.
    expect(last['cost/episodes']).toBe(384);
    expect(last['cost/judge_tokens']).toBeGreaterThan(384 * 55);
    expect(last['cost/judge_tokens']).toBeLessThan(384 * 65);
    expect(last['cost/units']).toBeCloseTo(384 + 0.001 * last['cost/judge_tokens']!, 9);
    expect(last).toHaveProperty('rollout/reward/judged');
  });

  it('that goes away stops the run, which then goes on where it was', async () => {
    await server.close();
    server = await serveAgain(server.url);
    const running = runCli(['train', recipe, '--output', 'left', '--json'], { cwd, environment });
    await expect.poll(() => metricsOf('left').length, { timeout: 120_000, interval: 5 }).toBeGreaterThanOrEqual(12 + 7);
    await server.close();
    const left = await running;
    const before = metricsOf('left').length;
    expect(left.code).toBe(2);
    expect(documentOf(left)).toMatchObject({ error: { code: 'AG_REWARD_UNAVAILABLE' } });
    expect(before).toBeLessThan(12 + 24);
    // Without the server it repeats the steps after its checkpoint from what is kept, and stops at the same place.
    const again = await train('--resume', 'left');
    expect(documentOf(again)).toMatchObject({ error: { code: 'AG_REWARD_UNAVAILABLE' } });
    expect(metricsOf('left')).toHaveLength(before);
    // The server is back, elsewhere: how a judge is asked may change, and what it said before counts.
    server = await startChatServer(grade);
    environment = { ...folders, JUDGE_BASE_URL: '' };
    const options = `{model: tiny, rubric: 'Are the guesses near each other? {references}', retries: 1, address: '${server.url}'}`;
    const terms = `reward.terms=[{name: sparse}, {name: judged, weight: 0.5, options: ${options}}]`;
    const { code, stderr } = await train('--resume', 'left', '--set', terms);
    environment = { ...folders, JUDGE_BASE_URL: server.url };
    expect(code, stderr).toBe(0);
    expect(compareRuns(join(cwd, 'whole'), join(cwd, 'left'))).toEqual([]);
    expect(keysOf('left')).toEqual(keysOf('whole'));
  });

  it('has said of recorded episodes what `score` reads again, without a question', async () => {
    const asked = server.asked.length;
    const terms = [
      { name: 'sparse' },
      {
        name: 'judged',
        weight: 0.5,
        options: { model: 'tiny', rubric: 'Are the guesses near each other? {references}', retries: 0 },
      },
    ];
    const same = await score('whole', { reward: { terms } });
    expect(server.asked.length).toBe(asked);
    const rl = same.logs.find(({ log }) => log === 'rl')!;
    const recorded = linesOf<Recorded>('whole', 'episodes/rl.jsonl');
    expect(rl).toMatchObject({ scored: recorded.length, played: 384, failed: 0, unjudged: 0, leftOut: 0 });
    expect(rl.correlation).toBeCloseTo(1, 12);
    expect(rl.after).toBeCloseTo(rl.before!, 12);
    expect(rl.after).toBeCloseTo(recorded.reduce((sum, one) => sum + one.return, 0) / recorded.length, 9);
    expect(rl.terms['sparse']! + rl.terms['judged']!).toBeCloseTo(rl.after!, 9);
    expect(same.logs.find(({ log }) => log === 'evaluation.final')).toMatchObject({ scored: 8, played: 8 });
    // Another rubric is another question.
    const other = [{ name: 'judged', options: { model: 'tiny', rubric: 'Is it short?', retries: 0 } }];
    const asks = await score('whole', { reward: { terms: other } }, '--log', 'evaluation.final');
    expect(asks.logs).toHaveLength(1);
    expect(server.asked.length).toBeGreaterThan(asked);
    expect(verdictsOf('whole')).toHaveLength(new Set(keysOf('whole')).size);
  });

  it('is not needed to compare answers with right ones', async () => {
    const right = await score(
      'whole',
      { reward: { terms: [{ name: 'verified', options: { match: 'number' } }] } },
      '--log',
      'rl',
    );
    const recorded = linesOf<Recorded & { readonly success: boolean }>('whole', 'episodes/rl.jsonl');
    const successes = recorded.filter(({ success }) => success).length;
    expect(successes).toBeGreaterThan(0);
    // In guess-number the right number ends the game, so the rule and the world agree.
    expect(right.logs[0]).toMatchObject({
      afterSuccess: 1,
      afterFailure: 0,
      terms: { verified: right.logs[0]!.after },
    });
    expect(right.logs[0]!.after).toBeCloseTo(successes / recorded.length, 9);
    const told = await agentgym('score', 'whole', '--reward', 'reward.json', '--log', 'rl');
    expect(told.stdout).toMatch(/log +episodes +return +new return +correlation/);
    expect(told.stdout).toContain(`${recorded.length} of 384`);
  });

  it('that compares the episodes of a group scores groups that were recorded in whole', async () => {
    const project = join(cwd, 'project');
    mkdirSync(project);
    const plugin = { name: 'reward-shortest', version: '1.0.0', type: 'module', files: ['index.js'], oclif: {} };
    const agentgym = { apiVersion: 1, plugin: './index.js' };
    writeFileSync(join(project, 'package.json'), JSON.stringify({ ...plugin, agentgym }));
    // 1 for the fewest turns of a group.
    writeFileSync(
      join(project, 'index.js'),
      `const judge = (group) => {
        if (group.length !== 4) throw new Error('a group of ' + group.length);
        const fewest = Math.min(...group.map(({ turns }) => turns.length));
        return group.map(({ turns }) => ({ scores: turns.map((_, turn) => Number(turn === 0 && turns.length === fewest)) }));
      };
      const create = () => ({ density: 'outcome', bounds: () => ({ success: [0, 1], failure: [0, 1] }), judge });
      export default [{ kind: 'reward', name: 'shortest', summary: 'Few turns', options: {}, load: async () => ({ create }) }];`,
    );
    writeFileSync(join(project, 'shortest.json'), JSON.stringify({ reward: { terms: [{ name: 'shortest' }] } }));
    const words = ['score', join(cwd, 'whole'), '--reward', 'shortest.json', '--log', 'rl', '--json'];
    const result = await runWarm(words, { cwd: project, environment });
    expect(result.code, result.stdout).toBe(0);
    const [scored] = (
      documentOf(result) as unknown as { logs: readonly (ScoredLog & Readonly<Record<string, number>>)[] }
    ).logs;
    expect(scored!['scored']).toBeGreaterThanOrEqual(4 * 24);
    expect(scored!['leftOut']).toBeGreaterThan(0);
    expect(scored!['scored']! + scored!['leftOut']!).toBe(linesOf('whole', 'episodes/rl.jsonl').length);
    expect(scored).toMatchObject({ unjudged: 0 });
    expect(scored!.after).toBeGreaterThan(0.25);
  });

  it.each([
    ['no file', undefined, [], 'AG_RECIPE_NOT_FOUND'],
    ['a misspelt key', { reward: { terms: [{ nam: 'sparse' }] } }, [], 'AG_RECIPE_UNKNOWN_KEY'],
    ['another key of a recipe', { reward: { terms: [{ name: 'sparse' }] }, seed: 1 }, [], 'AG_RECIPE_UNKNOWN_KEY'],
    [
      'a permission that nothing needs',
      { reward: { terms: [{ name: 'sparse' }], allowInversion: true } },
      [],
      'AG_RECIPE_IDLE_SETTING',
    ],
    ['an unknown reward', { reward: { terms: [{ name: 'spars' }] } }, [], 'AG_CONTRIBUTION_UNKNOWN'],
    ['a wrong option', { reward: { terms: [{ name: 'dense', options: { share: 2 } }] } }, [], 'AG_OPTION_INVALID'],
    ['the same term twice', { reward: { terms: [{ name: 'sparse' }, { name: 'sparse' }] } }, [], 'AG_RECIPE_INVALID'],
    ['a log that is none', { reward: { terms: [{ name: 'sparse' }] } }, ['--log', 'sft'], 'AG_EPISODES_EXPORT'],
  ] as const)('is not asked for %s', async (_what, document, words, code) => {
    rmSync(join(cwd, 'reward.json'), { force: true });
    if (document !== undefined) writeFileSync(join(cwd, 'reward.json'), JSON.stringify(document));
    const result = await agentgym('score', 'whole', '--reward', 'reward.json', '--json', ...words);
    expect(documentOf(result)).toMatchObject({ error: { code } });
    expect(result.code).toBe(2);
  });

  const priced = 'budget={units: 9, costs: {demonstration: 0, episode: 1, judgeToken: 0.001}}';
  const judgedAlone = 'reward.terms=[{name: judged, options: {model: tiny}}]';
  it.each([
    [
      'a price of tokens without a judge',
      [priced, 'reward.terms=[{name: sparse}]'],
      'AG_RECIPE_IDLE_SETTING',
      'budget.costs.judgeToken',
    ],
    ['a judge that pays failures like successes', [judgedAlone], 'AG_REWARD_INVERSION', 'reward.terms'],
    [
      'a judge without a model',
      ['reward.terms=[{name: sparse}, {name: judged, weight: 0.5}]'],
      'AG_RECIPE_INVALID',
      'reward.terms[1].options.model',
    ],
    [
      'right answers that a world does not tell',
      [
        'environment.name=textcraft',
        'environment.options={}',
        'reward={terms: [{name: verified}], allowInversion: true}',
        'budget=null',
      ],
      'AG_RECIPE_INVALID',
      'reward.terms[0].name',
    ],
    ['exact runs with a judge on a server', ['exact=true'], 'AG_RUN_INEXACT', 'exact'],
  ] as const)('is refused by a recipe with %s', async (_what, settings, code, path) => {
    const result = await train(recipe, '--check', ...settings.flatMap((setting) => ['--set', setting]));
    expect(documentOf(result), result.stderr).toMatchObject({ error: { code, path } });
    expect(result.code).toBe(2);
  });

  it('is told by a check, which asks nothing', async () => {
    const asked = server.asked.length;
    const { code, stdout } = await train(recipe, '--check');
    expect(code, stdout).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ external: ['the judge judged is external'] });
    expect(server.asked.length).toBe(asked);
  });

  it('may be the reward of one environment of several', async () => {
    const judgeOf = { model: 'tiny', retries: 0 };
    const own = { reward: { terms: [{ name: 'sparse' }, { name: 'judged', weight: 0.5, options: judgeOf }] } };
    const several = {
      extends: fileURLToPath(new URL('../kill/several.yaml', import.meta.url)),
      environments: { near: own },
      stages: { rl: { steps: 3 } },
      evaluation: { every: 0, tasks: null, before: { tasks: 0 } },
    };
    writeFileSync(join(cwd, 'several.json'), JSON.stringify(several));
    const { code, stderr } = await train('several.json', '--output', 'several');
    expect(code, stderr).toBe(0);
    const recorded = linesOf<Recorded & { readonly entry: string }>('several', 'episodes/rl.jsonl');
    expect(new Set(recorded.map(({ entry }) => entry)).size).toBe(3);
    for (const { entry, verdicts } of recorded) expect(verdicts?.length, entry).toBe(entry === 'near' ? 1 : undefined);
  });

  it('makes failed episodes where it fails, and no zeros', async () => {
    const failing = await startChatServer((asked, index) => (index % 4 === 0 ? { status: 500 } : grade(asked)));
    const run = [
      'train',
      recipe,
      '--output',
      'failing',
      '--set',
      'rollout.retries=0',
      '--set',
      'rollout.maxFailedShare=1',
    ];
    const sets = [
      '--set',
      'evaluation.every=0',
      '--set',
      'evaluation.before={tasks: 0}',
      '--set',
      'evaluation.tasks=null',
    ];
    const where = { ...environment, JUDGE_BASE_URL: failing.url };
    const { code, stderr } = await runWarm([...run, ...sets, '--set', 'budget=null'], { cwd, environment: where });
    await failing.close();
    expect(code, stderr).toBe(0);
    const recorded = linesOf<Recorded & { readonly failure?: object }>('failing', 'episodes/rl.jsonl');
    const failed = recorded.filter(({ status }) => status === 'failed');
    expect(failed.length).toBeGreaterThan(5);
    for (const { failure } of failed)
      expect(failure).toMatchObject({ phase: 'judge', message: expect.stringContaining('answered 500') as string });
    const steps = metricsOf('failing').filter(({ stage }) => stage === 'rl');
    expect(steps.reduce((sum, step) => sum + 16 * step['rollout/failed']!, 0)).toBeCloseTo(failed.length, 6);
  });

  // Goes red when tokens cost something only where a verdict is new, or when questions depend on what is kept.
  longIt('ends a run that was killed ten times and resumed as one that was left alone', async () => {
    const words = ['--kills', '10', '--seed', '3', '--recipe', recipe, '--folder', join(cwd, 'kills')];
    const env = { ...process.env, ...environment };
    const before = server.asked.length;
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...words], { env });
    expect(stdout).toContain('the same logs and the same weights after 10 kills in all');
    expect(server.asked.length).toBeGreaterThan(before);
  });
});
