// Estimates the memory of a recipe before anything is created: the policy's own estimate, and the host's episodes of a
// step.
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

import { settingPath, type RunPlan } from '../config/run-plan.js';
import { formatPath, type KeyPath } from '../config/recipe-layer.js';
import type { PolicyEstimate, PolicyLoad } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { formatBytes } from '../reporting/format-quantity.js';
import type { Splits } from '../rollout/world-handle.js';

/**
 * Memory in bytes of an episode with few turns until its step ends: turns, tokens, a row of the batch. Measured with
 * 80,000 episodes of four turns in guess-number.
 */
const bytesPerEpisode = 5000;

/** Episodes that are in memory at the same time. */
interface EpisodeLoad {
  /** Who holds them, for messages. */
  readonly whose: string;
  readonly episodes: number;
  /** Keys of the recipe that determine their number. */
  readonly keys: readonly KeyPath[];
}

/** The memory estimate of `train --check`, in bytes. */
export interface MemoryEstimate {
  /** Memory that it always needs. */
  readonly least: number;
  /** Including the additional memory of the policy. */
  readonly most: number;
  /**
   * Bytes by use: the policy's uses, if its plugin can tell, and `episodes` for those of the largest step or
   * evaluation.
   */
  readonly uses: { readonly [use: string]: number };
  /** Memory of the machine or its container. */
  readonly available: number;
}

/**
 * Estimates the memory of a run.
 *
 * @throws AG_MEMORY with the numbers if it cannot fit
 */
export function estimateMemory(plan: RunPlan, splits: Splits, policy: PolicyEstimate | undefined): MemoryEstimate {
  const available = memoryOfMachine();
  // Episodes are JavaScript objects, for which Node.js has a separate limit.
  const heap = Math.min(available, getHeapStatistics().heap_size_limit);
  let episodes = 0;
  for (const load of episodeLoads(plan, splits)) {
    const bytes = load.episodes * bytesPerEpisode;
    if (bytes > heap) throw tooManyEpisodes(load, bytes, heap);
    episodes = Math.max(episodes, bytes);
  }
  const { bytes = {}, mostBeside = {} } = policy ?? {};
  const least = sum(bytes) + episodes;
  if (policy !== undefined && least > available) throw tooLarge(policy, least, available);
  return { least, most: least + sum(mostBeside), uses: { ...bytes, ...mostBeside, episodes }, available };
}

/** Assumed number of tokens of an observation, and of the text before the first. */
const usualObservation = 16;
const usualPrompt = 64;

/** The largest concurrent load on the policy. */
export function policyLoad({ recipe, longestHorizon, transfer }: RunPlan): PolicyLoad {
  const { maxActionTokens } = recipe.policy.sampling;
  const turns = Math.max(longestHorizon, ...transfer.map(({ horizon }) => horizon));
  const tokens = usualPrompt + turns * (maxActionTokens + usualObservation);
  return { sequences: recipe.rollout.inFlight, tokens };
}

function sum(bytes: { readonly [use: string]: number }): number {
  return Object.values(bytes).reduce((total, size) => total + size, 0);
}

function episodeLoads({ recipe, funded }: RunPlan, splits: Splits): EpisodeLoad[] {
  const { every, split, tasks, episodesPerTask, final } = recipe.evaluation;
  const held = (name: keyof Splits, wanted: number | 'all'): number => {
    const { count } = splits[name];
    const there = count === 'unbounded' ? Infinity : count;
    return Math.min(there, wanted === 'all' ? Infinity : wanted);
  };
  const evaluation = (path: KeyPath, name: keyof Splits, wanted: number | 'all', each: number): EpisodeLoad => ({
    whose: 'an evaluation',
    episodes: held(name, wanted) * each,
    keys: [
      [...path, 'tasks'],
      [...path, 'episodesPerTask'],
    ],
  });
  const stages = funded.map((stage): EpisodeLoad => {
    const { name } = stage;
    if (stage.kind === 'rl') {
      const keys = [['stages', name, 'tasksPerStep'], settingPath(stage, ['algorithm', 'groupSize'])];
      return { whose: `a step of the stage \`${name}\``, episodes: stage.episodesPerStep, keys };
    }
    const { count, file } = stage.demonstrations;
    const keys = [['stages', name, 'demonstrations', 'count']];
    // The number of demonstrations in a file depends only on the file.
    return { whose: `the stage \`${name}\``, episodes: file === undefined ? count : 0, keys };
  });
  return [
    ...stages,
    ...(every > 0 ? [evaluation(['evaluation'], split, tasks, episodesPerTask)] : []),
    evaluation(['evaluation', 'final'], final.split, final.tasks, final.episodesPerTask),
  ];
}

/** Memory of the container, if there is one. */
function memoryOfMachine(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

function tooManyEpisodes({ whose, episodes, keys }: EpisodeLoad, bytes: number, heap: number): AgentgymError {
  const names = keys.map((key) => `\`${formatPath(key)}\``).join(' or ');
  return new AgentgymError('AG_MEMORY', {
    message: `${whose} holds ${episodes} episodes at once, about ${formatBytes(bytes)}; Node.js may use ${formatBytes(heap)} here`,
    hint: `Lower ${names}.`,
    path: formatPath(keys[0] ?? []),
  });
}

function tooLarge({ parameters, bytes }: PolicyEstimate, least: number, available: number): AgentgymError {
  const uses = Object.entries(bytes).map(([use, size]) => `${use} ${formatBytes(size)}`);
  return new AgentgymError('AG_MEMORY', {
    message: `the policy has ${parameters} parameters, and training needs at least ${formatBytes(least)} (${uses.join(', ')}); this machine has ${formatBytes(available)}`,
    hint: 'Use a smaller model, or fewer threads in `policy.options`.',
    path: 'policy',
  });
}
