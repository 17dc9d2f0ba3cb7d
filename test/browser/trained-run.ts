import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { runWarm } from '../cli/warm-cli.js';

/**
 * A recipe that trains for a few seconds with everything that a report shows: two stages, evaluations during training,
 * recorded episodes.
 */
export const recipe = `recipeVersion: 1
name: browsed
environment: { name: guess-number, options: { width: [4, 9] } }
policy:
  name: transformer
  preset: pico
  sampling: { maxActionTokens: 4 }
  options: { threads: 1 }
algorithm: { name: grpo, groupSize: 4 }
horizon: { schedule: scaling-inter, turns: [3, 5], every: 4 }
stages:
  sft: { kind: sft, demonstrations: { expert: demonstrator, count: 100 }, batchSize: 16, steps: 10 }
  rl: { kind: rl, tasksPerStep: 4, steps: 8 }
evaluation: { every: 4, tasks: 20, temperatures: [0, 1], final: { tasks: 30 } }
record: { episodes: 16 }
`;

/**
 * Trains with the command line, as a user does, when a test first asks for this seed (all tests of a test run share a
 * folder for temporary files, see temporary-folder.ts). Returns the folder of a copy.
 */
export async function trainRun(seed: number): Promise<string> {
  const shared = join(tmpdir(), `trained-${seed}`);
  const outcome = join(shared, 'outcome.txt');
  // `mkdirSync` returns undefined if the folder existed: then another test trains.
  if (mkdirSync(shared, { recursive: true }) !== undefined) {
    const file = join(shared, 'recipe.yaml');
    writeFileSync(file, recipe);
    const { code, stderr } = await runWarm(['train', file, '--output', join(shared, 'run'), '--set', `seed=${seed}`]);
    writeFileSync(outcome, code === 0 ? 'trained' : `training ended with ${code}: ${stderr}`);
  }
  while (!existsSync(outcome) || readFileSync(outcome, 'utf8') === '') await sleep(100);
  const said = readFileSync(outcome, 'utf8');
  if (said !== 'trained') throw new Error(said);
  const run = join(mkdtempSync(join(tmpdir(), 'agentgym-page-')), 'run');
  cpSync(join(shared, 'run'), run, { recursive: true });
  return run;
}

/** The part of a line of an episode log that tests read and change. */
export interface RecordedEpisode {
  stage: string;
  runStep: number;
  task: string;
  success?: boolean;
  artifacts?: { turn?: number; name: string; mediaType: string; bytes: number; sha256?: string }[];
  turns: { observation: string; text: string; action?: string; malformed?: string; sampled: [number, number] }[];
  sequences: [
    {
      tokens: number[];
      mask: number[];
      logprobs: number[];
      pieces?: string[];
      advantages?: number[];
      kl?: number[];
      values?: number[];
    },
  ];
}

/** All recorded episodes of a run, read from its logs. */
export function recordedEpisodes(run: string): RecordedEpisode[] {
  const folder = join(run, 'episodes');
  return readdirSync(folder).flatMap((name) => readLog(join(folder, name)));
}

/** A copy of a run with changed recorded episodes. */
export function copyRun(run: string, change: (episode: RecordedEpisode, index: number) => RecordedEpisode): string {
  const copy = join(mkdtempSync(join(tmpdir(), 'agentgym-page-')), 'run');
  cpSync(run, copy, { recursive: true });
  const folder = join(copy, 'episodes');
  for (const name of readdirSync(folder)) {
    const changed = readLog(join(folder, name)).map(change);
    writeFileSync(join(folder, name), changed.map((episode) => `${JSON.stringify(episode)}\n`).join(''));
  }
  return copy;
}

function readLog(file: string): RecordedEpisode[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as RecordedEpisode);
}
