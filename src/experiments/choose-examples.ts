import type { ExampleSettings } from '../config/recipe-schema.js';
import { usualExamples, usualExpert } from '../config/run-plan.js';
import type { SplitName } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';
import { otherWorld } from '../demonstrations/other-world.js';
import { brokenLine, type ReadEpisode, readEpisodes } from '../demonstrations/read-episodes.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { collectDemonstrations } from '../rollout/collect-demonstrations.js';
import type { RolloutSettings } from '../rollout/collect-episodes.js';
import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { refuseEmptySplit } from '../rollout/refuse-empty-split.js';
import { allTasks } from '../rollout/task-order.js';
import { unlessAborted } from '../rollout/unless-aborted.js';
import type { WorldHandle } from '../rollout/world-handle.js';
import type { OpenEnvironment } from './open-environment.js';
import { isListed, knownEnvironment } from './other-environments.js';

/** A game to show, before it is written in an action format. */
export interface ChosenGame {
  readonly episode: DemonstratedEpisode & { readonly task: string };
  /** Where it comes from, for messages. */
  readonly place: string;
  /** Its place in a file. Absent: an expert played it. */
  readonly read?: Pick<ReadEpisode, 'line'> & { readonly file: string };
}

export interface ExampleContext {
  readonly environment: OpenEnvironment;
  /** Turns of an expert's game. */
  readonly horizon: number;
  readonly rollout: RolloutSettings;
  /** The root stream of the run or the command. */
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** An expert that loses gets other tasks: this many for each game that is wanted, and at least `leastTried`. */
const triedPerGame = 8;
const leastTried = 32;

/**
 * Games on different training tasks that were won: an expert's, in the order of its random stream, or the first of a file.
 *
 * @throws AG_NO_EXPERT; AG_DEMONSTRATION if there are too few, or if the file has games of another environment or of held-out tasks
 */
export function chooseExamples(settings: ExampleSettings, context: ExampleContext): Promise<readonly ChosenGame[]> {
  const { count = settings.file === undefined ? usualExamples : Infinity, expert = usualExpert, file } = settings;
  if (count === 0) return Promise.resolve([]);
  return file === undefined ? playExamples(expert, count, context) : readExamples(file, count, context);
}

async function playExamples(
  expert: string,
  count: number,
  { environment, horizon, rollout, random, signal }: ExampleContext,
): Promise<readonly ChosenGame[]> {
  const { pool, world } = environment;
  refuseEmptySplit(world, 'train');
  const { train } = world.splits;
  const enough = Math.max(leastTried, triedPerGame * count);
  const most = train.count === 'unbounded' ? enough : Math.min(train.count, enough);
  const won = new Map<string, ChosenGame>();
  let tried = 0;
  while (won.size < count && tried < most) {
    const many = Math.min(count - won.size, most - tried);
    const { episodes } = await collectDemonstrations({
      ...{ tasks: train, environments: pool, expert, first: tried, count: many, successOnly: true },
      ...{ horizon, rollout, signal, random: random.stream('prompt') },
    });
    tried += many;
    for (const episode of episodes) {
      const { task } = episode;
      if (task === undefined || won.has(task)) continue;
      won.set(task, { episode: { ...episode, task }, place: `the game of task "${task}"` });
    }
  }
  if (won.size === count) return [...won.values()];
  throw new AgentgymError('AG_DEMONSTRATION', {
    message: `The prompt needs ${count} won games of \`${expert}\`, but of ${tried} training tasks it won ${won.size}.`,
    hint: 'Ask for fewer games, or choose another expert.',
  });
}

async function readExamples(
  file: string,
  count: number,
  { environment, signal }: ExampleContext,
): Promise<readonly ChosenGame[]> {
  const { heldOut } = await knownEnvironment(environment.world);
  const chosen = new Map<string, ChosenGame>();
  let read = 0;
  for await (const one of readEpisodes(file, 'agentgym')) {
    signal.throwIfAborted();
    if (chosen.size === count) break;
    read += 1;
    const problem = otherWorld(one.header!, environment);
    if (problem !== undefined) {
      const hint = `Write games with \`agentgym demonstrate ${environment.name}\`, with its \`--option\`s and \`--split train\`.`;
      throw brokenLine(file, one, problem, hint);
    }
    const { task, success, turns } = one.episode;
    if (task === undefined) {
      const hint = 'Write the file with `agentgym demonstrate`, which names the task of each game.';
      throw brokenLine(file, one, 'it has no "task", so nobody can tell its split', hint);
    }
    if (heldOut.has(task)) throw heldOutTask(file, one, `its task "${task}" is in the validation or test split`);
    const isClean = turns.every(({ isContext, malformed }) => isContext !== true && malformed === undefined);
    if (success !== true || !isClean || chosen.has(task)) continue;
    chosen.set(task, { episode: { ...one.episode, task }, place: one.place, read: { file, line: one.line } });
  }
  const games = [...chosen.values()];
  if (games.length === 0 || (count < Infinity && games.length < count)) {
    throw new AgentgymError('AG_DEMONSTRATION', {
      message: `The prompt needs ${count === Infinity ? 'won games' : `${count} won games`} on different tasks, but ${file} has ${games.length} among ${read}.`,
      hint: 'Ask for fewer games, or write more with `agentgym demonstrate --filter success`.',
      file,
    });
  }
  await refuseHeldOutClusters(environment.world, games, signal);
  return games;
}

function heldOutTask(file: string, place: Pick<ReadEpisode, 'line'>, problem: string): AgentgymError {
  const hint = 'Remove the games of held-out tasks from the file: a prompt must not show what tests it.';
  return brokenLine(file, place, problem, hint);
}

/** Tasks that are asked about at a time. */
const askedAtOnce = 1000;

/** Tasks of one cluster are one puzzle. An id that the world does not know has no cluster. */
async function refuseHeldOutClusters(
  world: WorldHandle,
  games: readonly ChosenGame[],
  signal: AbortSignal,
): Promise<void> {
  if (!world.tells || world.sharesClusters) return;
  const own = new Map<string, ChosenGame>();
  for (const game of games) {
    const [facts] = await world.about([game.episode.task]).catch(() => []);
    if (facts?.cluster !== undefined) own.set(facts.cluster, game);
  }
  if (own.size === 0) return;
  for (const split of ['validation', 'test'] satisfies SplitName[]) {
    const tasks = isListed(world.splits[split]) ? await allTasks(world.splits[split]) : [];
    for (let first = 0; first < tasks.length; first += askedAtOnce) {
      await unlessAborted(Promise.resolve(), signal);
      for (const { cluster } of await world.about(tasks.slice(first, first + askedAtOnce))) {
        const { episode, read } = (cluster === undefined ? undefined : own.get(cluster)) ?? {};
        if (episode === undefined || read === undefined) continue;
        const problem = `its task "${episode.task}" belongs to the cluster "${cluster}", as tasks of the ${split} split do`;
        throw heldOutTask(read.file, read, problem);
      }
    }
  }
}
