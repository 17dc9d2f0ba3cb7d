// Runs of an ablation share the games of experts: DIR/KEY/games.json records a collection, and DIR/KEY/N-games.jsonl
// holds the demonstrations of its first N games. A run that needs more games plays only these, and adds them.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import * as v from 'valibot';

import type { JsonObject } from '../contracts/json.js';
import type { DemonstrationHeader } from '../demonstrations/demonstration-header.js';
import { readEpisodes } from '../demonstrations/read-episodes.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { waitForProcessLock } from '../processes/process-lock.js';
import { makeFolder } from '../files/make-folder.js';
import type { CollectedDemonstrations, GameOutcome } from '../rollout/collect-demonstrations.js';
import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { writeJsonAtomically } from './durable-files.js';
import { readDocument } from './read-document.js';
import { differenceFrom, keepEpisodes } from './kept-demonstrations.js';

/** Everything that the games depend on, besides their number. Other games have another folder. */
export interface GameCollection {
  readonly header: DemonstrationHeader;
  /** Path of the random stream, below the seed of the header. */
  readonly stream: readonly string[];
  /** Settings of the recipe that change how the environment is played. */
  readonly settings: JsonObject;
}

const recordSchema = v.looseObject({
  formatVersion: v.literal(1),
  collection: v.looseObject({}),
  /** In the order of play. Only `kept` games are in the file. */
  outcomes: v.array(v.picklist(['kept', 'left out', 'failed'] satisfies GameOutcome[])),
  /** Its name beside the record. */
  file: v.pipe(v.string(), v.regex(/^\d+-games\.jsonl$/)),
  bytes: v.number(),
  sha256: v.string(),
});
type CollectionRecord = Omit<v.InferOutput<typeof recordSchema>, 'collection' | 'outcomes'> & {
  readonly collection: GameCollection;
  readonly outcomes: readonly GameOutcome[];
};

type Games = Pick<CollectedDemonstrations, 'episodes' | 'outcomes'>;

/**
 * The games from place `first` on, `count` of them, from the shared folder. Those that it lacks are played and added to
 * it. While one process plays, others that need games of the collection wait.
 *
 * @param play plays `count` games from a place on
 * @throws AG_ABLATION_CHANGED if a file differs from its record; the errors of `play`
 */
export async function shareGames(
  folder: string,
  collection: GameCollection,
  { first, count }: { readonly first: number; readonly count: number },
  play: (first: number, count: number) => Promise<Games>,
  signal: AbortSignal,
): Promise<Games> {
  const digest = createHash('sha256').update(JSON.stringify(collection)).digest('hex').slice(0, 16);
  const directory = join(folder, digest);
  await makeFolder(directory);
  const lock = await waitForProcessLock(directory, signal);
  try {
    let games = await readGames(directory);
    const end = first + count;
    const missing = end - games.outcomes.length;
    if (missing > 0) {
      const played = await play(games.outcomes.length, missing);
      games = {
        episodes: [...games.episodes, ...played.episodes],
        outcomes: [...games.outcomes, ...played.outcomes],
      };
      await writeGames(directory, collection, games);
    }
    const keptIn = (outcomes: readonly GameOutcome[]) => outcomes.filter((outcome) => outcome === 'kept').length;
    const outcomes = games.outcomes.slice(first, end);
    const before = keptIn(games.outcomes.slice(0, first));
    return { episodes: games.episodes.slice(before, before + keptIn(outcomes)), outcomes };
  } finally {
    lock.release();
  }
}

async function readGames(directory: string): Promise<Games> {
  const path = join(directory, 'games.json');
  if (!existsSync(path)) return { episodes: [], outcomes: [] };
  const record = await readRecord(directory);
  const file = join(directory, record.file);
  const problem = await differenceFrom(file, record);
  if (problem !== undefined) {
    throw new AgentgymError('AG_ABLATION_CHANGED', {
      message: `The demonstrations ${file} of the ablation are damaged: ${problem}.`,
      hint: `Restore the file, or remove ${directory}; the games are then played again.`,
      file,
    });
  }
  const episodes: DemonstratedEpisode[] = [];
  if (record.outcomes.includes('kept')) {
    for await (const { episode } of readEpisodes(file, 'agentgym')) episodes.push(episode);
  }
  return { episodes, outcomes: record.outcomes };
}

function readRecord(directory: string): Promise<v.InferOutput<typeof recordSchema>> {
  return readDocument(join(directory, 'games.json'), {
    schema: recordSchema,
    name: 'a record of demonstrations',
    code: 'AG_ABLATION_CHANGED',
    hint: `Restore it, or remove ${directory}; the games are then played again.`,
  });
}

/** The record replaces the one before it at once, so a process that is killed here leaves whole collections. */
async function writeGames(directory: string, collection: GameCollection, games: Games): Promise<void> {
  const file = `${games.outcomes.length}-games.jsonl`;
  const { bytes, sha256 } = await keepEpisodes(directory, join(directory, file), collection.header, games.episodes);
  const path = join(directory, 'games.json');
  const before = existsSync(path) ? await readRecord(directory) : undefined;
  const { outcomes } = games;
  const record: CollectionRecord = { formatVersion: 1, collection, outcomes, file, bytes, sha256 };
  await writeJsonAtomically(path, record);
  if (before !== undefined) await rm(join(directory, before.file), { force: true });
}
