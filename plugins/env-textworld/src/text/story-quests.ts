// Quests as a compiled story follows them: after each turn it looks at its world, not at TextWorld's facts.
import type { Game, GameEvent } from '../game/game.js';
import type { Fact } from '../logic/logic.js';
import { cookings, cuttings, Locked, Open, stateBits, type StoryWorld } from './story-world.js';

/** A condition on a world. */
type Test =
  | { readonly kind: 'inside'; readonly object: number; readonly holder: number }
  | { readonly kind: 'state'; readonly object: number; readonly bit: number; readonly value: boolean }
  | { readonly kind: 'cooking' | 'cutting'; readonly object: number; readonly value: number }
  | { readonly kind: 'constant'; readonly value: boolean };

export interface StoryQuest {
  readonly wins: readonly (readonly Test[])[];
  readonly fails: readonly (readonly Test[])[];
  readonly reward: number;
  readonly repeatable: boolean;
  /** The story is won when all such quests are completed. */
  readonly isNeeded: boolean;
}

/** How far the quests are. */
export interface StoryProgress {
  score: number;
  /** By quest. */
  readonly completed: boolean[];
}

/** @param numbers Objects of the story by id of the entity. */
export function compileQuests(game: Game, numbers: ReadonlyMap<string, number>): readonly StoryQuest[] {
  // Inform knows no sentence for some facts, for instance that a way is free; a story does not ask for them.
  const said = new Set<string>();
  for (const { pattern, sentence } of game.logic.inform.sentences) if (sentence !== '') said.add(pattern.name);
  const atStart = new Set(game.facts.map(keyOf));

  function testsOf({ condition }: GameEvent): readonly Test[] {
    return condition.flatMap((fact) => (said.has(fact.name) ? testsOfFact(fact) : []));
  }

  function testsOfFact(fact: Fact): readonly Test[] {
    const [object = 0, holder = 0] = fact.entities.map(({ id }) => numbers.get(id) ?? 0);
    const { name } = fact;
    const state = (bit: number, value: boolean): Test => ({ kind: 'state', object, bit, value });
    if (name === 'at' || name === 'in' || name === 'on') return [{ kind: 'inside', object, holder }];
    // What was eaten is nowhere.
    if (name === 'eaten') return [{ kind: 'inside', object, holder: 0 }];
    if (name === 'open') return [state(Open, true)];
    if (name === 'locked') return [state(Locked, true)];
    if (name === 'closed') return [state(Open, false), state(Locked, false)];
    const bit = stateBits.get(name);
    if (bit !== undefined) return [state(bit, true)];
    const cooking = cookings.findIndex((value) => value === name);
    if (cooking !== -1) return [{ kind: 'cooking', object, value: cooking }];
    const cutting = cuttings.findIndex((value) => value === name);
    if (cutting !== -1) return [{ kind: 'cutting', object, value: cutting }];
    return [{ kind: 'constant', value: atStart.has(keyOf(fact)) }];
  }

  return game.quests.map(({ wins, fails, reward, repeatable, optional }) => ({
    wins: wins.map(testsOf),
    fails: fails.map(testsOf),
    reward,
    repeatable,
    isNeeded: !optional && wins.length > 0,
  }));
}

/**
 * Looks at all quests at the end of a turn, in their order. Returns whether one of them failed, which ends the story;
 * the quests after it are not looked at.
 */
export function followQuests(quests: readonly StoryQuest[], progress: StoryProgress, world: StoryWorld): boolean {
  for (let index = 0; index < quests.length; index++) {
    if (progress.completed[index] === true) continue;
    const quest = quests[index] as StoryQuest;
    for (const tests of quest.fails) if (allHold(tests, world)) return true;
    for (const tests of quest.wins) {
      if (!allHold(tests, world)) continue;
      progress.score += quest.reward;
      if (!quest.repeatable) progress.completed[index] = true;
      break;
    }
  }
  return false;
}

/** Whether all quests that are needed are completed; never, if none is needed. */
export function areWon(quests: readonly StoryQuest[], { completed }: StoryProgress): boolean {
  let needed = 0;
  for (let index = 0; index < quests.length; index++) {
    if (!(quests[index] as StoryQuest).isNeeded) continue;
    if (completed[index] !== true) return false;
    needed++;
  }
  return needed > 0;
}

function allHold(tests: readonly Test[], world: StoryWorld): boolean {
  for (const test of tests) {
    if (test.kind === 'inside') {
      if (world.parent(test.object) !== test.holder) return false;
    } else if (test.kind === 'state') {
      if (world.has(test.object, test.bit) !== test.value) return false;
    } else if (test.kind === 'cooking') {
      if (world.cooking(test.object) !== test.value) return false;
    } else if (test.kind === 'cutting') {
      if (world.cutting(test.object) !== test.value) return false;
    } else if (!test.value) {
      return false;
    }
  }
  return true;
}

function keyOf({ name, entities }: Fact): string {
  return `${name}(${entities.map(({ id }) => id).join()})`;
}
