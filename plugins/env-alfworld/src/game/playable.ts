import type { GroundAction } from '../engine/actions.js';
import type { Deed } from '../plan/house.js';
import { Planner } from '../plan/planner.js';
import type { Compat } from './compat.js';
import type { Game } from './game.js';
import { GameError } from './game-error.js';
import { Session } from './session.js';

/** A game that can be won, and how long that takes. */
export interface PlayableGame {
  readonly game: Game;
  /** Turns of a shortest plan. */
  readonly planLength: number;
}

/** Throws a `GameError` that says why if the game cannot be won, or is already won at the start. */
export function checkPlayable(game: Game, compat: Compat): PlayableGame {
  const session = new Session(game, compat);
  session.start();
  if (session.isWon())
    throw new GameError('the game is already won at the start: its goal holds before the first turn');
  const planner = new Planner(session.state);
  const { errands } = planner;
  if (errands === undefined)
    throw new GameError(
      "the goal is not one of ALFWorld's six kinds of tasks, so it is unknown whether it can be reached",
    );
  const plan = planner.plan();
  if (plan === undefined) {
    throw new GameError(
      errands.length === 0
        ? 'the game cannot be won: no thing and receptacle in it are of the kinds that its goal asks for'
        : 'the game cannot be won: what its goal asks for cannot be brought where it has to be',
    );
  }
  for (const deed of plan.deeds) {
    const action = actionFor(deed, session.applicable());
    if (action === undefined) break;
    session.perform(action);
  }
  if (!session.isWon())
    throw new GameError('the rules of this game are not those of ALFWorld: a plan does not reach the goal');
  return { game, planLength: plan.deeds.length };
}

/** The possible action that a deed is. */
export function actionFor(
  { schema, thing, receptacle }: Deed,
  applicable: readonly GroundAction[],
): GroundAction | undefined {
  return applicable.find(
    (action) =>
      action.schema === schema &&
      schema.parameters.every(({ type }, place) => {
        if (type === 'object') return action.things[place] === thing;
        return type !== 'receptacle' || action.things[place] === receptacle;
      }),
  );
}
