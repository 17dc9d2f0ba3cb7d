import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import type { SplitName } from '../contracts/environment.js';
import { headerOf } from '../demonstrations/demonstration-header.js';
import type { JsonLinesWriter } from '../demonstrations/json-lines-writer.js';
import { openDemonstrations } from '../demonstrations/open-demonstrations.js';
import type { FileDigest } from '../demonstrations/file-digest.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { demonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { episodeKeys } from '../rollout/episode-keys.js';
import { FailureCount } from '../rollout/failures.js';
import { playInParts } from '../rollout/play-in-parts.js';
import { refuseEmptySplit } from '../rollout/refuse-empty-split.js';
import { chooseTasks } from '../rollout/task-order.js';
import { defaultRollout, openPlayer, type OpenPlayerRequest } from './open-player.js';

export interface DemonstrateRequest extends OpenPlayerRequest {
  readonly policy: string;
  readonly environment: string;
  readonly split: SplitName;
  /** Number of tasks, at most all of the split. */
  readonly tasks: number;
  readonly episodesPerTask: number;
  /** `success`: lost episodes are left out. */
  readonly filter?: 'success';
  /** File to write. */
  readonly output: string;
  /** Seed of the command, for the header. */
  readonly seed: number;
}

/** Demonstrations that were written, as `agentgym demonstrate --json` prints them. */
export interface WrittenFile extends FileDigest {
  /** Episodes to play. */
  readonly episodes: number;
  /** Completed episodes. */
  readonly played: number;
  readonly succeeded: number;
  /** Episodes in the file. */
  readonly kept: number;
  /** Episodes that an infrastructure failure broke. They are in no rate and not in the file. */
  readonly failed: number;
  readonly file: string;
  readonly environment: string;
  readonly player: string;
  readonly split: SplitName;
  /** Number of distinct tasks in the file. */
  readonly tasks: number;
  readonly turns: number;
  /** Share of the completed episodes that solved their task; 0 without any. */
  readonly success: number;
}

/**
 * Plays tasks and writes the episodes as demonstrations, a part at a time, so that memory does not grow with their
 * number. The file appears as a whole or not at all.
 *
 * @throws AG_OUTPUT_EXISTS, AG_DEMONSTRATION_WRITE; AG_DEMONSTRATION if no episode is kept; AG_EPISODES_FAILED,
 *   AG_INTERRUPTED, and the errors of `openPlayer`
 */
export async function demonstrate(request: DemonstrateRequest): Promise<WrittenFile> {
  const { output, split, filter, settings, progress } = request;
  refuseFile(output);
  const player = await openPlayer(request);
  let writer: JsonLinesWriter | undefined;
  try {
    const { actor, environment } = player;
    const { random, signal } = settings;
    refuseEmptySplit(environment.world, split);
    const chosen = await chooseTasks(environment.world.splits[split], request.tasks, random.stream('tasks', split));
    const { horizon, origin } = player;
    const temperature = actor.kind === 'model' ? (request.temperature ?? 0) : undefined;
    const header = headerOf(environment, { split, player: origin, temperature, horizon, seed: request.seed, filter });
    writer = await openDemonstrations(output, header);
    const { episodesPerTask } = request;
    const episodes = chosen.length * episodesPerTask;
    const keysAt = (first: number, many: number) => Promise.resolve(episodeKeys(chosen, episodesPerTask, first, many));
    progress?.begin(player.name);
    const tasks = new Set<string>();
    const failures = new FailureCount();
    let [played, succeeded, kept, turns] = [0, 0, 0, 0];
    for await (const part of playInParts(episodes, keysAt, {
      actor,
      environments: environment.pool,
      reward: player.reward,
      horizon,
      random: random.stream('episodes', split),
      rollout: defaultRollout,
      signal,
      ...(progress && { progress: (sofar) => progress.take(sofar) }),
    })) {
      failures.add(part);
      failures.refuse(defaultRollout.maxFailedShare, environment.world);
      for (const episode of part) {
        if (episode.status === 'failed') continue;
        played += 1;
        succeeded += Number(episode.success);
        if (filter === 'success' && !episode.success) continue;
        const demonstrated = demonstratedEpisode(episode, actor.kind !== 'environment');
        if (demonstrated === undefined) continue;
        await writer.write(demonstrated);
        kept += 1;
        turns += demonstrated.turns.length;
        tasks.add(episode.task);
      }
    }
    if (kept === 0) throw nothingKept(player.name, output, played, failures.failed);
    refuseFile(output);
    const digest = await writer.finish();
    const { file } = writer;
    writer = undefined;
    const counts = { episodes, played, succeeded, kept, failed: failures.failed };
    const own = { file, environment: environment.name, player: header.player, split };
    return { ...own, ...counts, success: succeeded / Math.max(1, played), tasks: tasks.size, turns, ...digest };
  } finally {
    await writer?.discard();
    await player.dispose();
  }
}

function refuseFile(output: string): void {
  if (!existsSync(output)) return;
  throw new AgentgymError('AG_OUTPUT_EXISTS', {
    message: `${resolve(output)} already exists.`,
    hint: 'Choose another file with `--output`, or remove that one.',
    file: resolve(output),
  });
}

function nothingKept(player: string, output: string, played: number, failed: number): AgentgymError {
  return new AgentgymError('AG_DEMONSTRATION', {
    message: `No episode of \`${player}\` was kept, so ${output} was not written: of ${played + failed} episodes, none succeeded and ${failed} failed.`,
    hint: 'Play more with `--tasks` or `--episodes-per-task`, choose a better player, or leave out `--filter`.',
  });
}
