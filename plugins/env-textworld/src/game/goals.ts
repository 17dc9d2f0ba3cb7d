import type { Fact } from '../logic/logic.js';
import { ActionTable } from './action-table.js';
import { ActionTrees, type ActionTree } from './action-tree.js';
import type { Game, GameEvent, Quest } from './game.js';
import type { Step } from './steps.js';

/** An event, made ready for `QuestProgress`. */
export interface EventGoal {
  /** Numbers of the facts that must hold. */
  readonly condition: readonly number[];
  /** Those of them that Inform has a sentence for; a compiled story looks at no others. */
  readonly told: readonly number[];
  readonly tree: ActionTree;
  readonly policy: readonly Step[];
}

export interface QuestGoal {
  readonly quest: Quest;
  readonly wins: readonly EventGoal[];
  readonly fails: readonly EventGoal[];
}

/** The quests of a game as numbers of facts, and the trees of their actions. */
export interface Goals {
  readonly table: ActionTable;
  readonly trees: ActionTrees;
  readonly quests: readonly QuestGoal[];
}

const known = new WeakMap<Game, Goals>();

/** The goals of a game; the same object at every call. */
export function goalsOf(game: Game): Goals {
  let goals = known.get(game);
  if (!goals) {
    goals = findGoals(game);
    known.set(game, goals);
  }
  return goals;
}

function findGoals(game: Game): Goals {
  const table = ActionTable.of(game);
  const trees = new ActionTrees(table);
  const number = (fact: Fact): number => table.facts.intern(fact).index;
  const goal = ({ condition, actions }: GameEvent): EventGoal => {
    const told = condition.filter((fact) => hasSentence(fact, game)).map(number);
    const policy =
      actions.length === 0 ? [] : [...actions.map((a) => trees.steps.of(a)), trees.steps.trigger(condition)];
    const numbers = condition.map(number);
    return { condition: numbers, told: told.length > 0 ? told : numbers, tree: trees.ofPolicy(policy), policy };
  };
  return {
    table,
    trees,
    quests: game.quests.map((quest) => ({ quest, wins: quest.wins.map(goal), fails: quest.fails.map(goal) })),
  };
}

/** Whether Inform can say the fact. */
function hasSentence({ name, entities }: Fact, { logic }: Game): boolean {
  return logic.inform.sentences.some(
    ({ pattern, sentence }) =>
      sentence !== '' &&
      pattern.name === name &&
      pattern.placeholders.length === entities.length &&
      pattern.placeholders.every(({ type }, index) => logic.types.isA(entities[index]?.type ?? '', type)),
  );
}
