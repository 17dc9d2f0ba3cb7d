// The table of docs/rewards.md, measured in play: `npm run reference` writes it, and a test compares it. Plugins are
// imported from their sources, so no build is needed.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { parse } from 'yaml';

import * as guessNumber from '../plugins/env-guess-number/src/guess-number.js';
import { options as guessNumberOptions } from '../plugins/env-guess-number/src/options.js';
import { options as textcraftOptions } from '../plugins/env-textcraft/src/options.js';
import * as textcraft from '../plugins/env-textcraft/src/textcraft.js';
import * as balanced from '../plugins/reward-standard/src/balanced.js';
import * as dense from '../plugins/reward-standard/src/dense.js';
import { wayOptions } from '../plugins/reward-standard/src/options.js';
import * as progress from '../plugins/reward-standard/src/progress.js';
import * as sparse from '../plugins/reward-standard/src/sparse.js';
import type { World } from '../src/contracts/environment.js';
import type { RewardScheme } from '../src/contracts/reward.js';
import type { CompletedEpisode } from '../src/contracts/trajectory.js';
import { planWorld } from '../src/experiments/open-environment.js';
import { createRandom } from '../src/random/create-random.js';
import { collectEpisodes } from '../src/rollout/collect-episodes.js';
import { composeReward, type ComposedReward } from '../src/rollout/compose-reward.js';
import { EnvironmentPool } from '../src/rollout/environment-pool.js';
import { localWorld } from '../src/rollout/local-world.js';
import { randomPlayer } from '../src/rollout/players.js';
import { rewardDensity } from '../src/rollout/reward-density.js';
import { chooseTasks } from '../src/rollout/task-order.js';
import { optionDefaults } from '../src/testing/option-defaults.js';

export const rewardsPage = fileURLToPath(new URL('../docs/rewards.md', import.meta.url));
const [begin, end] = ['<!-- density: begin -->', '<!-- density: end -->'];

/** Number of training tasks. Each player plays each task once. */
const tasks = 200;

interface Column {
  readonly name: string;
  readonly world: World;
  readonly horizon: number;
}

/** The page with the newly measured table. */
export async function measuredRewardsPage(): Promise<string> {
  const page = readFileSync(rewardsPage, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${rewardsPage} has no place for the table`);
  return `${page.slice(0, from + begin.length)}\n\n${await densityTable()}\n\n${page.slice(to)}`;
}

async function densityTable(): Promise<string> {
  const defaults = optionDefaults(wayOptions);
  const schemes: Record<string, RewardScheme> = {
    sparse: sparse.create(),
    balanced: balanced.create(defaults),
    dense: dense.create(defaults),
    progress: progress.create(defaults),
  };
  const reward = composeReward(Object.entries(schemes).map(([name, scheme]) => ({ name, weight: 1, scheme })));
  const columns: [string, readonly CompletedEpisode[]][] = [];
  for (const column of measured()) {
    columns.push([`${column.name}: oracle`, await play(column, reward, 'oracle')]);
    columns.push(['random', await play(column, reward, randomPlayer)]);
  }
  return [
    `| turns per reward | ${columns.map(([title]) => title).join(' | ')} |`,
    `|---|${'---:|'.repeat(columns.length)}`,
    ...Object.keys(schemes).map((name) => {
      const cells = columns.map(([, episodes]) => stepsPerReward(episodes, name));
      return `| \`${name}\` | ${cells.join(' | ')} |`;
    }),
  ].join('\n');
}

/** Plays episodes with every scheme as a term of the reward, so that all schemes share them. */
async function play(
  { name, world, horizon }: Column,
  reward: ComposedReward,
  player: string,
): Promise<readonly CompletedEpisode[]> {
  const random = createRandom(1);
  const { signal } = new AbortController();
  const settings = { ...planWorld({}, {}), title: name, signal };
  const environments = new EnvironmentPool(localWorld(world, settings), Infinity);
  const chosen = await chooseTasks(environments.world.splits.train, tasks, random.stream('tasks'));
  const episodes = await collectEpisodes(
    chosen.map((task, group) => ({ iteration: 0, task, group, member: 0 })),
    {
      actor: { kind: 'environment', player },
      environments,
      reward,
      horizon,
      random: random.stream('episodes'),
      rollout: { inFlight: 64, retries: 0, maxFailedShare: 0, playerMilliseconds: 60_000 },
      signal,
    },
  );
  await environments.dispose();
  const completed = episodes.filter((episode) => episode.status === 'completed');
  if (completed.length < episodes.length) throw new Error(`an episode of ${player} failed`);
  return completed;
}

/** The density of one term. */
function stepsPerReward(episodes: readonly CompletedEpisode[], term: string): string {
  const alone = episodes.map((episode) => ({
    ...episode,
    turns: episode.turns.map((turn) => ({ ...turn, components: { [term]: turn.components[term] ?? 0 } })),
  }));
  return rewardDensity(alone).stepsPerReward?.toFixed(1) ?? 'never';
}

/** The environments of two recipes, and TextCraft with its larger depths. */
function measured(): Column[] {
  const guess = { ...optionDefaults(guessNumberOptions), ...recipeOptions('quickstart') };
  const shallow = { ...optionDefaults(textcraftOptions), ...recipeOptions('textcraft') };
  const deep = { ...shallow, depths: [3, 4] };
  return [
    { name: '`quickstart`', world: guessNumber.open(guess), horizon: 5 },
    { name: '`textcraft`', world: textcraft.open(shallow), horizon: 12 },
    { name: 'the same, depths 3 and 4', world: textcraft.open(deep), horizon: 48 },
  ];
}

/** Options of the environment in a built-in recipe. */
function recipeOptions(recipe: string): object {
  const file = new URL(`../recipes/${recipe}/recipe.yaml`, import.meta.url);
  return (parse(readFileSync(file, 'utf8')) as { environment: { options: object } }).environment.options;
}
