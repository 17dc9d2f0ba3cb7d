import type { ActionTree, ActionTrees } from './action-tree.js';
import type { GameState } from './game-state.js';
import type { EventGoal, QuestGoal } from './goals.js';
import { mayShorten, shortenPolicy } from './shorten-policy.js';
import type { Step } from './steps.js';

/** How far an event has come (`EventProgression` of `generator/game.py`). */
export interface EventTrack {
  readonly goal: EventGoal;
  tree: ActionTree;
  /** What to do; may differ from what the tree says. */
  policy: readonly Step[];
  /** The tree was looked at in the present state, and nothing can be left out of its policy. */
  isShort: boolean;
  triggered: boolean;
  /** Something was done that no rule undoes; the way to the event is not known any more. */
  lost: boolean;
}

export interface QuestTrack {
  readonly goal: QuestGoal;
  readonly wins: readonly EventTrack[];
  readonly fails: readonly EventTrack[];
  completions: number;
}

/** The quest at the start, before anything was looked at. */
export const startQuest = (goal: QuestGoal): QuestTrack => ({
  goal,
  wins: goal.wins.map(startEvent),
  fails: goal.fails.map(startEvent),
  completions: 0,
});

const startEvent = (goal: EventGoal): EventTrack => ({
  goal,
  tree: goal.tree,
  policy: goal.policy,
  isShort: false,
  triggered: false,
  lost: false,
});

/** A track of its own, equal to this one. */
export const copyQuest = ({ goal, wins, fails, completions }: QuestTrack): QuestTrack => ({
  goal,
  wins: wins.map((event) => ({ ...event })),
  fails: fails.map((event) => ({ ...event })),
  completions,
});

/** Completed, failed, or not to be finished as far as is known. */
const isQuestDone = ({ wins, fails }: QuestTrack): boolean =>
  wins.some(({ triggered, lost }) => triggered || lost) || fails.some(({ triggered }) => triggered);

/** The tree of the event with the fewest actions left. */
export function shortestTree(events: readonly EventTrack[]): ActionTree | undefined {
  let shortest: ActionTree | undefined;
  let shortestLength = Infinity;
  for (const { tree, policy, triggered, lost } of events) {
    if (triggered || lost) continue;
    let length = 0;
    for (const { isTrigger } of policy) if (!isTrigger) length++;
    if (length === 0 || length >= shortestLength) continue;
    shortest = tree;
    shortestLength = length;
  }
  return shortest;
}

/**
 * Takes account of a step, which is done already, or of the start (`QuestProgression.update`). Returns whether the winning policy may have become another one.
 */
export function updateQuest(track: QuestTrack, step: Step | undefined, state: GameState, trees: ActionTrees): boolean {
  if (isQuestDone(track)) return false;
  let isOther = false;
  for (const event of track.wins) if (updateEvent(event, step, state, trees)) isOther = true;
  for (const event of track.fails) if (updateEvent(event, step, state, trees)) isOther = true;
  if (!track.wins.some(({ triggered }) => triggered)) return isOther;
  track.completions++;
  if (track.goal.quest.repeatable) for (const event of track.wins) event.triggered = false;
  return true;
}

/** `EventProgression.update`. */
function updateEvent(event: EventTrack, step: Step | undefined, state: GameState, trees: ActionTrees): boolean {
  if (event.triggered || event.lost) return false;
  if (event.goal.condition.every((fact) => state.holds(fact))) {
    event.triggered = true;
    return true;
  }
  const { tree } = event;
  if (tree.isEmpty) return false;
  if (step && event.isShort && tree.policy) event.isShort = !mayShorten(tree.policy, step);
  const shorter = event.isShort || !tree.policy ? undefined : shortenPolicy(tree.policy, state);
  event.isShort = true;
  if (shorter) {
    event.policy = shorter;
    event.tree = trees.ofPolicy(shorter);
    event.isShort = false;
    return true;
  }
  if (!step) return false;
  const { tree: next, changed, isReversible } = tree.after(step);
  if (next === tree && !changed) return false;
  event.tree = next;
  event.isShort = false;
  if (changed && isReversible && next.policy) event.policy = next.policy;
  else if (changed) event.lost = true;
  return true;
}
