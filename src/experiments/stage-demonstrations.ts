import { isDeepStrictEqual } from 'node:util';

import type { DemonstrationsPlan, EntryPlan, SftStagePlan } from '../config/run-plan.js';
import type { ActionFormat } from '../contracts/format.js';
import type { Random } from '../contracts/random.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { Toolbox } from '../rollout/toolbox.js';
import type { WritingPolicy, WrittenDemonstration } from '../rollout/write-demonstration.js';
import type { StageRecord } from '../runs/kept-demonstrations.js';
import type { OpenEnvironment } from './open-environment.js';
import type { DemonstratedEnvironment } from './other-environments.js';

export interface DemonstrationContext {
  readonly entry: EntryPlan;
  readonly environment: OpenEnvironment;
  readonly format: ActionFormat;
  /** Tools that the policy may call. Absent: no tools. */
  readonly tools?: Toolbox | undefined;
  /** `prompt.system` of the recipe. Absent: the usual system text. */
  readonly system?: string | undefined;
  /** Folder in which runs share the games of their experts. Absent: this run shares none. */
  readonly sharedGames?: string | undefined;
  /** The run's root stream. */
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** What a stage learns from in one environment. */
export interface EntryStage extends Pick<SftStagePlan, 'name'> {
  readonly demonstrations: DemonstrationsPlan;
}

/** The context of demonstrations in a file, which may be of several environments. */
export interface FileContext extends DemonstrationContext {
  /** Opens another environment than the recipe's. */
  readonly openOther: (environment: DemonstratedEnvironment) => Promise<OpenEnvironment>;
  /** The other environments of the run, which learn from their own demonstrations in the file. */
  readonly siblings: readonly OpenEnvironment[];
  /** Whether demonstrations of environments outside the run are learned here, so that no others learn them again. */
  readonly takesOthers: boolean;
}

/** How the policy writes demonstrations of an environment with these instructions. */
export function writingIn(
  { format, tools, system }: Pick<DemonstrationContext, 'format' | 'tools' | 'system'>,
  instructions: string,
): WritingPolicy {
  return { format, tools, instructions, system };
}

/** A demonstration to learn from. */
export interface LearnedDemonstration extends WrittenDemonstration {
  /** Its environment, if that is not the recipe's own. */
  readonly other?: DemonstratedEnvironment;
}

/** The demonstrations that a run has already stored. */
export interface StoredDemonstrations {
  /** The run's folder. */
  readonly run: string;
  /** By `keptName`. */
  readonly records: { readonly [name: string]: StageRecord };
}

/** What a stage learns from, in numbers. */
export interface DemonstrationFacts {
  /** Number of demonstrations. */
  readonly learned: number;
  /** Number of paid demonstrations, including those that `successOnly` left out. */
  readonly bought: number;
  /** Tasks of the recipe's own environment. */
  readonly tasks: ReadonlySet<string>;
  /** Number of demonstrations whose task is not known. */
  readonly withoutTask: number;
  /** Number of texts that were not in the policy's action format, and were taken as actions. */
  readonly rendered: number;
  /** Demonstrations of other environments, which `learned` counts too. */
  readonly others: readonly OtherFacts[];
}

interface OtherFacts extends DemonstratedEnvironment {
  readonly episodes: number;
  readonly tasks: ReadonlySet<string>;
}

/** The data that an sft stage learns from. It is read from a file each time, unless it was just collected. */
export interface StageDemonstrations {
  /** As in `keptName`. */
  readonly name: string;
  readonly facts: DemonstrationFacts;
  /** The demonstrations to learn from. They are the same each time. */
  learned(): AsyncIterable<LearnedDemonstration>;
  /** The demonstrations from which a tokenizer is built. With a budget, they do not depend on its split. */
  corpus(): AsyncIterable<WrittenDemonstration>;
  /**
   * Stores them in the run's folder, unless they are there or in a file of the user, and returns their record. From then
   * on they are read from there.
   */
  keep(run: string): Promise<StageRecord['training']>;
}

/** Nothing is learned. */
export const noFacts: DemonstrationFacts = {
  learned: 0,
  bought: 0,
  tasks: new Set(),
  withoutTask: 0,
  rendered: 0,
  others: [],
};

/** The facts of demonstrations, each of which is written once. */
export async function factsOf(
  demonstrations: AsyncIterable<LearnedDemonstration>,
  bought: number,
): Promise<DemonstrationFacts> {
  const tasks = new Set<string>();
  const others: (DemonstratedEnvironment & { episodes: number; readonly tasks: Set<string> })[] = [];
  let [learned, withoutTask, rendered] = [0, 0, 0];
  for await (const { task, rendered: texts, other } of demonstrations) {
    learned += 1;
    rendered += texts;
    let ids = tasks;
    if (other !== undefined) {
      const { name, options } = other;
      let there = others.find((one) => one.name === name && isDeepStrictEqual(one.options, options));
      if (there === undefined) others.push((there = { name, options, episodes: 0, tasks: new Set() }));
      there.episodes += 1;
      ids = there.tasks;
    }
    if (task === undefined) withoutTask += 1;
    else ids.add(task);
  }
  return { learned, bought, tasks, withoutTask, rendered, others };
}

/** Every demonstration is longer than an episode may be. */
export function nothingFits(stage: string, maxTokens: number): AgentgymError {
  return new AgentgymError('AG_DEMONSTRATION', {
    message: `No demonstration of the stage \`${stage}\` fits into the ${maxTokens} tokens of an episode.`,
    hint: 'Raise `rollout.maxEpisodeTokens`, or use a policy with a longer context.',
    path: `stages.${stage}.demonstrations`,
  });
}

/** The error of a stage that has nothing to learn from. */
export function noDemonstrations(stage: string, why: string, hint: string): AgentgymError {
  return new AgentgymError('AG_DEMONSTRATION', {
    message: `The stage \`${stage}\` has no demonstrations: ${why}.`,
    hint,
    path: `stages.${stage}.demonstrations`,
  });
}
