// A generated game before it has words: `src/prose/` names its entities and describes them.
import type { Action, Fact, Logic } from '../logic/logic.js';

export interface EventDraft {
  readonly condition: readonly Fact[];
  /** Actions that lead to the event from the start; empty if they are not known. */
  readonly actions: readonly Action[];
}

export interface QuestDraft {
  readonly reward: number;
  readonly wins: readonly EventDraft[];
  readonly fails: readonly EventDraft[];
  readonly optional: boolean;
  readonly repeatable: boolean;
}

/** Words that a generator has decided by itself, such as the rooms of a fixed house; absent: prose decides. */
export interface FixedWords {
  readonly name?: string;
  readonly adjective?: string;
  readonly noun?: string;
  readonly description?: string;
  readonly indefinite?: string;
  readonly definite?: string;
  readonly synonyms?: readonly string[];
  readonly roomType?: string;
}

export interface GameDraft {
  readonly logic: Logic;
  /** In the order of the original: sorted by name of the fact, then by types and ids of its entities. */
  readonly facts: readonly Fact[];
  readonly quests: readonly QuestDraft[];
  /** By id of the entity. */
  readonly words: ReadonlyMap<string, FixedWords>;
  /**
   * What the player is told. `steps`: every action of the shortest plan in order, as for most games of the original;
   * a text: exactly this.
   */
  readonly objective: { readonly kind: 'steps' } | { readonly kind: 'text'; readonly text: string };
  /** Commands that win, where the generator knows them and the quests' actions do not tell; ids in braces. */
  readonly walkthrough?: readonly string[];
}
