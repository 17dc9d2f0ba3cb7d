// What a model plays in three worlds that it was not trained for, with and without worked games: success, and how often its
// first action is legal.
//   npm run bench -- zero-shot MODEL [--tasks N] [--only WORLD]...
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { UsageError } from '../sides/usage-error.js';
import { root } from '../sides/our-side.js';
import { wilsonInterval } from '../../dist/statistics/wilson-interval.js';

const options = (...all) => all.flatMap((one) => ['--option', one]);
/** No legal action has more tokens, and whatever is longer is no action. */
const longAction = ['--max-action-tokens', '24'];
/** Two games of ALFWorld are 4,000 tokens. A smaller cache computes those of most episodes again at every turn. */
const longGames = ['--policy-option', 'cacheMegabytes=10000'];

/** Worlds with the legal actions in the observation, short enough for a small model. */
const worlds = [
  { environment: 'guess-number', turns: 5, flags: ['--max-action-tokens', '8'] },
  {
    environment: 'textworld-custom',
    turns: 6,
    flags: [...longAction, ...options('rooms=2', 'objects=3', 'questLength=2', 'listActions=true')],
  },
  {
    environment: 'alfworld',
    turns: 8,
    flags: [...longAction, ...longGames, ...options('receptacles=6', 'objects=3', 'listActions=true')],
  },
];
const prompts = [
  { name: 'none', flags: [] },
  { name: '2 games', flags: ['--prompt-examples', '2', '--prompt-expert', 'oracle'] },
];

/** Plays at temperature 0, and prints a row for each world and prompt as it comes. Returns the exit code. */
export async function measure(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { tasks: { type: 'string', default: '40' }, only: { type: 'string', multiple: true } },
  });
  const [model] = positionals;
  if (model === undefined)
    throw new UsageError('Usage: npm run bench -- zero-shot MODEL [--tasks N] [--only WORLD]...');
  console.log('| world | prompt | tasks | success | 95 % | first action legal | 95 % |\n|---|---|--:|--:|---|--:|---|');
  for (const { environment, turns, flags } of worlds) {
    if (values.only !== undefined && !values.only.includes(environment)) continue;
    for (const prompt of prompts) {
      const own = ['--turns', `${turns}`, '--split', 'test', '--tasks', values.tasks, ...flags, ...prompt.flags];
      const { episodes } = await play([environment, '--policy', model, ...own]);
      const legal = episodes.filter((episode) => episode.turns[0]?.facts.invalid === false).length;
      const won = episodes.filter(({ success }) => success).length;
      const cells = [won, legal].map((count) => tell(count, episodes.length)).join(' | ');
      console.log(`| ${environment} | ${prompt.name} | ${episodes.length} | ${cells} |`);
    }
  }
  return 0;
}

function play(flags) {
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'bin/run.js'), 'play', ...flags, '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw new Error(`agentgym play ${flags.join(' ')} ended with ${status}: ${stdout}`);
  return JSON.parse(stdout);
}

function tell(count, all) {
  const { low, high } = wilsonInterval(count, all);
  const percent = (share) => (100 * share).toFixed(1);
  return `${percent(count / all)} % | ${percent(low)} to ${percent(high)}`;
}
