// A model in a folder has no recipe, so the command says how it answers: in which format, and how long.
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { tinyRecipe } from './fixtures/tiny-recipe.js';
import { documentOf } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const home = mkdtempSync(join(tmpdir(), 'agentgym-model-folders-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

beforeAll(async () => {
  writeFileSync(join(home, 'recipe.yaml'), tinyRecipe);
  const made = await runWarm(['train', 'recipe.yaml', '--output', 'run', '--json'], { cwd: home });
  expect(documentOf(made)).toMatchObject({ status: 'completed' });
  const [checkpoint] = readdirSync(join(home, 'run', 'checkpoints'))
    .sort()
    .reverse();
  cpSync(join(home, 'run', 'checkpoints', checkpoint!), join(home, 'model'), { recursive: true });
}, 60_000);

const cli = (...given: string[]) => runWarm([...given, '--json'], { cwd: home });
const world = ['--option', 'width=[4, 6]', '--turns', '2'];

interface Played {
  readonly episodes: readonly {
    readonly turns: readonly { readonly action: string; readonly observation: string }[];
  }[];
}

async function firstTurn(...given: string[]) {
  const result = await cli('play', 'guess-number', ...world, ...given);
  expect(result.code, result.stdout).toBe(0);
  return (documentOf(result) as unknown as Played).episodes[0]!.turns[0]!;
}

it.each(['./model', './run'])(
  '%s is evaluated, played and demonstrated in any format, with its options',
  async (policy) => {
    const boxed = ['--format', 'boxed', '--format-option', 'onMalformed=explain'];
    const evaluated = await cli(
      'evaluate',
      policy,
      '--environment',
      'guess-number',
      '--tasks',
      '3',
      ...world,
      ...boxed,
    );
    expect(documentOf(evaluated)).toMatchObject({
      evaluation: { success: { rate: 0, episodes: 3 }, invalid: 1, cut: expect.any(Number) as number },
      time: { seconds: expect.any(Number) as number, tokensPerSecond: expect.any(Number) as number },
    });
    expect((await firstTurn('--policy', policy, ...boxed)).observation).toMatch(/^Malformed: no closed \\boxed\{\}/);
    const output = `${policy.slice(2)}.jsonl`;
    const written = await cli(
      'demonstrate',
      'guess-number',
      '--policy',
      policy,
      '--tasks',
      '2',
      ...world,
      ...boxed,
      '--output',
      output,
    );
    expect(documentOf(written)).toMatchObject({ played: 2, kept: 2, success: 0 });
  },
  60_000,
);

it('writes answers up to the length that the command gives', async () => {
  const long = await firstTurn('--policy', './model', '--max-action-tokens', '40', '--temperature', '4');
  const short = await firstTurn('--policy', './model', '--max-action-tokens', '1', '--temperature', '4');
  expect(short.action.length).toBeLessThan(long.action.length);
  const own = await firstTurn('--policy', './run', '--max-action-tokens', '1', '--temperature', '4');
  expect(own.action).toBe(short.action);
}, 60_000);

it.each<[string, string[], string, RegExp]>([
  ['random', ['--format', 'boxed'], 'AG_COMMAND_USAGE', /`--format boxed` has no effect: `random` is not a model/],
  ['oracle', ['--format-option', 'thought=plan'], 'AG_COMMAND_USAGE', /`--format-option thought` has no effect/],
  ['random', ['--max-action-tokens', '3'], 'AG_COMMAND_USAGE', /`--max-action-tokens 3` has no effect/],
  ['./model', ['--max-action-tokens', '4096'], 'AG_COMMAND_USAGE', /leaves no room for a prompt.*at most \d+ tokens/],
  ['./model', ['--format', 'boxed', '--format-option', 'thoughts=plan'], 'AG_OPTION_INVALID', /Did you mean `thought`/],
  ['./model', ['--format', 'bxoed'], 'AG_CONTRIBUTION_UNKNOWN', /`boxed`/],
])('%s with %j ends with exit code 2', async (policy, flags, code, words) => {
  const result = await cli('play', 'guess-number', '--policy', policy, ...flags);
  expect(result.code).toBe(2);
  const { error } = documentOf(result) as { error: { code: string; message: string; hint: string } };
  expect(error.code).toBe(code);
  expect(`${error.message} ${error.hint}`).toMatch(words);
});
