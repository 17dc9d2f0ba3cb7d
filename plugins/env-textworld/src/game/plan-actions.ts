import type { Action } from '../logic/logic.js';
import type { GameAction } from './action-table.js';
import type { GameState } from './game-state.js';
import { PlanningTask } from './planning-task.js';
import type { QuestProgress } from './quest-progress.js';

/** States that a search looks at before it gives up. */
const defaultLimit = 20_000;

/**
 * Actions that win the game from here; none if it is won, undefined if no way was found or it is lost. The policy that
 * the progress keeps is taken if it wins, without actions that change nothing; else the game is searched. The result
 * is the same for the same game and state. Neither `state` nor `progress` is changed.
 */
export function planActions(
  state: GameState,
  progress: QuestProgress,
  limit = defaultLimit,
): readonly GameAction[] | undefined {
  if (progress.won) return [];
  if (progress.lost) return undefined;
  const policy = progress.winningPolicy();
  const followed = policy && follow(policy, state, progress);
  if (followed) return followed;
  const task = PlanningTask.of(state.game, progress.backend);
  const found = task.search(state, progress.completedQuests, limit);
  return found.kind === 'found' ? follow(withoutDetours(found.actions, state, progress), state, progress) : undefined;
}

/** The actions as far as the game is won, without those that change nothing; undefined if they do not win. */
function follow(
  actions: readonly Action[],
  state: GameState,
  progress: QuestProgress,
): readonly GameAction[] | undefined {
  const played = state.copy();
  const judged = progress.copyWithoutPolicy();
  const done: GameAction[] = [];
  for (const action of actions) {
    const known = played.table.intern(action);
    if (!known || !played.isApplicable(known)) return undefined;
    const isIdle = known.adds.length === 0 && known.removes.length === 0;
    if (isIdle && actions.length > 1) continue;
    played.apply(known);
    judged.update(known, played);
    done.push(known);
    if (judged.done) break;
  }
  return judged.won ? done : undefined;
}

/** Leaves out actions, one after the other and with those that then become impossible, as long as the rest wins. */
function withoutDetours(actions: readonly Action[], state: GameState, progress: QuestProgress): readonly Action[] {
  let best = actions;
  for (let index = best.length - 1; index >= 0; index--) {
    const shorter = follow(possibleWithout(best, index, state), state, progress);
    if (shorter) best = shorter;
  }
  return best;
}

function possibleWithout(actions: readonly Action[], index: number, state: GameState): readonly Action[] {
  const played = state.copy();
  return actions.filter((action, number) => number !== index && played.apply(action));
}
