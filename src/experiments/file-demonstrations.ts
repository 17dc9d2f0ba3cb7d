import { setImmediate } from 'node:timers/promises';

import { fileDigest } from '../demonstrations/file-digest.js';
import type { DemonstrationHeader } from '../demonstrations/demonstration-header.js';
import { otherWorld } from '../demonstrations/other-world.js';
import { brokenLine, type ReadEpisode, readEpisodes } from '../demonstrations/read-episodes.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { unlessAborted } from '../rollout/unless-aborted.js';
import { writeDemonstration, type WrittenDemonstration } from '../rollout/write-demonstration.js';
import { differenceFrom, keptName, type StageRecord } from '../runs/kept-demonstrations.js';
import { type KnownEnvironment, knownEnvironment, OtherEnvironments } from './other-environments.js';
import {
  type EntryStage,
  factsOf,
  type FileContext,
  type LearnedDemonstration,
  noFacts,
  type StageDemonstrations,
  writingIn,
} from './stage-demonstrations.js';

/** Demonstrations in a file that the recipe names. The file stays where it is, and is read each time. */
export class FileDemonstrations implements StageDemonstrations {
  readonly name: string;
  facts = noFacts;
  #own: Promise<KnownEnvironment> | undefined;
  readonly #others: OtherEnvironments;
  /** Lines that the last pass read, including those that `successOnly` left out. */
  #read = 0;
  #record: StageRecord['training'] | undefined;

  constructor(
    private readonly file: string,
    private readonly own: EntryStage,
    private readonly context: FileContext,
  ) {
    this.name = keptName(own.name, own.demonstrations.entry);
    this.#others = new OtherEnvironments(context.openOther);
  }

  /** Checks that the file is the one that a run began with. Throws AG_DEMONSTRATION. */
  async restore(record: StageRecord['training']): Promise<void> {
    const difference = await differenceFrom(this.file, record);
    if (difference !== undefined) {
      throw new AgentgymError('AG_DEMONSTRATION', {
        message: `${this.file} changed since the run began: ${difference}.`,
        hint: 'Restore the file from a copy, or start a new run.',
        file: this.file,
      });
    }
    this.#record = record;
  }

  /**
   * Reads all lines to learn from once, so that every error appears before training.
   *
   * @throws AG_DEMONSTRATION with file and line
   */
  async prepare(): Promise<void> {
    this.facts = await factsOf(this.learned(), 0);
    this.facts = { ...this.facts, bought: this.#read };
    // A file of several environments may have none of this one.
    if (this.facts.learned > 0 || this.context.siblings.length > 0) return this.#refuseIdleSetting();
    throw new AgentgymError('AG_DEMONSTRATION', {
      message: `The stage \`${this.own.name}\` has no demonstrations: none of the ${this.#read} in ${this.file} succeeded.`,
      hint: 'Remove `successOnly`, or choose another file.',
      file: this.file,
    });
  }

  #refuseIdleSetting(): void {
    const isAsked = this.own.demonstrations.otherEnvironments && this.context.takesOthers;
    const isIdle = isAsked && this.facts.others.length === 0;
    if (!isIdle) return;
    throw new AgentgymError('AG_DEMONSTRATION', {
      message: `\`otherEnvironments\` has no effect: no demonstration of ${this.file} says that it is of another environment.`,
      hint: 'Remove the key. Only the layout `agentgym` names the environment of a demonstration.',
      file: this.file,
    });
  }

  learned(): AsyncIterable<LearnedDemonstration> {
    return this.#first(this.own.demonstrations.count);
  }

  corpus(): AsyncIterable<WrittenDemonstration> {
    return this.#first(this.own.demonstrations.countUnpaid);
  }

  async keep(): Promise<StageRecord['training']> {
    if (this.#record !== undefined) return this.#record;
    const { learned, bought, tasks, withoutTask, others } = this.facts;
    const elsewhere = others.map(({ tasks: ids, ...other }) => ({ ...other, tasks: ids.size }));
    const counts = {
      ...{ episodes: learned, learned, bought, tasks: tasks.size, withoutTask },
      ...(elsewhere.length > 0 && { others: elsewhere }),
    };
    this.#record = { file: this.file, ...(await fileDigest(this.file)), ...counts };
    return this.#record;
  }

  async *#first(count: number): AsyncGenerator<LearnedDemonstration> {
    const { environment, signal } = this.context;
    const { fileFormat, successOnly } = this.own.demonstrations;
    this.#own ??= knownEnvironment(environment.world);
    const own = await this.#own;
    let [read, bought] = [0, 0];
    for await (const one of readEpisodes(this.file, fileFormat)) {
      if (signal.aborted) await unlessAborted(setImmediate(), signal);
      const { episode } = one;
      const other = this.#otherOf(one);
      read += 1;
      if (other === 'elsewhere') {
        if (read === count) return;
        continue;
      }
      const world = other === undefined ? own : await this.#others.about(other);
      this.#refuse(one, world.heldOut);
      // With other options, the same environment may train on tasks that the recipe's own holds out.
      if (other?.environment.name === environment.name) this.#refuse(one, own.heldOut);
      const policy = writingIn(this.context, world.instructions);
      const written = this.#atLine(one, () => writeDemonstration(episode, policy, one.place));
      if (one.layout === 'texts' && written.rendered > 0) {
        throw brokenLine(this.file, one, 'a text is not an action in the action format of the recipe');
      }
      if (!successOnly || episode.success === true) yield { ...written, ...(other && { other: other.environment }) };
      bought += 1;
      this.#read = bought;
      if (read === count) return;
    }
  }

  /**
   * The header of an episode of another environment. Undefined: it is of this one; `elsewhere`: another environment of the
   * run learns from it. Refuses others without `otherEnvironments`, and tasks of another split than `train`.
   */
  #otherOf({ header, ...place }: ReadEpisode): DemonstrationHeader | 'elsewhere' | undefined {
    const { environment, siblings, takesOthers } = this.context;
    const problem = header && otherWorld(header, environment);
    if (header === undefined || problem === undefined) return undefined;
    if (siblings.some((sibling) => otherWorld(header, sibling) === undefined)) return 'elsewhere';
    if (!takesOthers) return 'elsewhere';
    if (this.own.demonstrations.otherEnvironments && header.split === 'train') return header;
    throw brokenLine(
      this.file,
      place,
      header.split === 'train' ? problem : `its tasks are of the ${header.split} split`,
      'Write demonstrations of this environment with `agentgym demonstrate`, with its `--option`s and `--split train`. To learn from other environments too, set `otherEnvironments: true` beside `file`.',
    );
  }

  /** Refuses an episode of a held-out task, and one whose needed outcome is not known. */
  #refuse({ episode, ...place }: ReadEpisode, heldOut: ReadonlySet<string>): void {
    const { task, success } = episode;
    if (task !== undefined && heldOut.has(task)) {
      const hint = 'Remove the episodes of held-out tasks from the file: a policy must not learn what tests it.';
      throw brokenLine(this.file, place, `its task "${task}" is in the validation or test split`, hint);
    }
    if (this.own.demonstrations.successOnly && success === undefined) {
      const hint = 'Remove `successOnly`, or add `"success": true` or `false` to each episode.';
      throw brokenLine(this.file, place, 'it does not say whether it succeeded, which `successOnly` needs', hint);
    }
  }

  /** Adds the place to an error about an episode. */
  #atLine<T>({ line }: ReadEpisode, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof AgentgymError) || error.line !== undefined) throw error;
      throw new AgentgymError(error.code, { ...error, message: error.message, file: this.file, line });
    }
  }
}
