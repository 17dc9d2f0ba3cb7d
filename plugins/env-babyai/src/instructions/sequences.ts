// Two instructions in one: `BeforeInstr`, `AfterInstr` and `AndInstr` of minigrid/envs/babyai/core/verifier.py.
import type { Thing } from '../world/thing.js';
import type { Action, WorldState } from '../world/world-state.js';
import type { Standpoint } from './description.js';
import type { Command, Instruction, GoalVerdict } from './instruction.js';

abstract class Pair implements Instruction {
  abstract readonly words: string;
  readonly ways: number;
  readonly commands: readonly Command[];

  constructor(
    /** In the order of the words. */
    readonly parts: readonly [Instruction, Instruction],
  ) {
    this.ways = parts[0].ways + parts[1].ways;
    this.commands = parts.flatMap(({ commands }) => commands);
  }

  abstract get open(): readonly Command[];
  abstract verify(given: Action, state: WorldState): GoalVerdict;
  abstract copy(copyOf: (thing: Thing) => Thing): Instruction;

  begin(from: Standpoint): void {
    for (const part of this.parts) part.begin(from);
  }

  followThings(state: WorldState): void {
    for (const part of this.parts) part.followThings(state);
  }

  key(state: WorldState): string {
    return `[${this.parts.map((part) => part.key(state)).join(' ')}]`;
  }

  protected copyParts(copyOf: (thing: Thing) => Thing): [Instruction, Instruction] {
    return [this.parts[0].copy(copyOf), this.parts[1].copy(copyOf)];
  }
}

/** One after the other. The second is not looked at before the first is done. */
export class Sequence extends Pair {
  #firstIsDone = false;
  readonly #first: Instruction;
  readonly #second: Instruction;

  /** `then`: the words name the first one first; `after you`: they name it last. */
  constructor(
    parts: readonly [Instruction, Instruction],
    readonly conjunction: 'then' | 'after you',
  ) {
    super(parts);
    [this.#first, this.#second] = conjunction === 'then' ? parts : [parts[1], parts[0]];
  }

  get words(): string {
    const [a, b] = this.parts;
    return this.conjunction === 'then' ? `${a.words}, then ${b.words}` : `${a.words} after you ${b.words}`;
  }

  get open(): readonly Command[] {
    return this.#firstIsDone ? this.#second.open : this.#first.open;
  }

  override begin(from: Standpoint): void {
    super.begin(from);
    this.#firstIsDone = false;
  }

  /** The step that completes the first may complete the second, too. By the original's rules it may also fail it. */
  verify(given: Action, state: WorldState): GoalVerdict {
    if (this.#firstIsDone) return this.#second.verify(given, state);
    const verdict = this.#first.verify(given, state);
    if (verdict !== 'success') return verdict;
    this.#firstIsDone = true;
    const second = this.#second.verify(given, state);
    return second === 'failure' && state.rules === 'fair' ? 'continue' : second;
  }

  override key(state: WorldState): string {
    return `${this.conjunction}${this.#firstIsDone ? '!' : ''}${super.key(state)}`;
  }

  copy(copyOf: (thing: Thing) => Thing): Sequence {
    const copied = new Sequence(this.copyParts(copyOf), this.conjunction);
    copied.#firstIsDone = this.#firstIsDone;
    return copied;
  }
}

/** Both, in any order. */
export class Both extends Pair {
  readonly #areDone = [false, false];

  get words(): string {
    return this.parts.map(({ words }) => words).join(' and ');
  }

  get open(): readonly Command[] {
    return this.parts.flatMap(({ open }, index) => (this.#areDone[index] ? [] : open));
  }

  override begin(from: Standpoint): void {
    super.begin(from);
    this.#areDone.fill(false);
  }

  /** The failure of a part does not count here, as in the original; no level has strict parts here. */
  verify(given: Action, state: WorldState): GoalVerdict {
    for (const [index, part] of this.parts.entries()) {
      if (!this.#areDone[index]) this.#areDone[index] = part.verify(given, state) === 'success';
    }
    return this.#areDone.every(Boolean) ? 'success' : 'continue';
  }

  copy(copyOf: (thing: Thing) => Thing): Both {
    const copied = new Both(this.copyParts(copyOf));
    for (const [index, isDone] of this.#areDone.entries()) copied.#areDone[index] = isDone;
    return copied;
  }
}
