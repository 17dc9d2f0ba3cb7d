import type { Action } from '../logic/logic.js';
import { ActionTable } from './action-table.js';
import { GameError } from './game-error.js';
import { GameState } from './game-state.js';
import type { Game } from './game.js';
import { PlanningTask } from './planning-task.js';
import { QuestProgress } from './quest-progress.js';

/** States that are looked at for a game whose walkthrough and policy do not win. */
const searchLimit = 3_000;

/**
 * Refuses a game that cannot be won: nothing must be completed, a fact can never hold, or everything that could help
 * was tried. A winning walkthrough or policy is proof enough; where a search is given up, the game is accepted.
 */
export function checkQuests(game: Game): void {
  if (!game.quests.some(({ optional, wins }) => !optional && wins.length > 0))
    throw new GameError('quests: nothing must be completed, so the game can never be won');
  if (ActionTable.of(game).isCutShort) throw new GameError('world: too many actions are possible at the start');
  if (winsByWalkthrough(game) || winsByPolicy(game)) return;
  const result = PlanningTask.of(game, 'story').search(GameState.start(game), [], searchLimit);
  if (result.kind === 'impossible') throw new GameError(result.reason);
}

const withoutPolicy = { backend: 'story', policy: false } as const;

function winsByWalkthrough(game: Game): boolean {
  const state = GameState.start(game);
  const progress = QuestProgress.start(game, withoutPolicy);
  for (const command of game.walkthrough ?? []) {
    const action = state.actionFor(command);
    // Such a command is refused, and nothing happens.
    if (!action) continue;
    state.apply(action);
    progress.update(action, state);
    if (progress.done) break;
  }
  return progress.won;
}

function winsByPolicy(game: Game): boolean {
  const state = GameState.start(game);
  const progress = QuestProgress.start(game, withoutPolicy);
  const policy: readonly Action[] = QuestProgress.start(game).winningPolicy() ?? [];
  for (const action of policy) {
    if (!state.apply(action)) return false;
    progress.update(action, state);
    if (progress.done) break;
  }
  return progress.won;
}
