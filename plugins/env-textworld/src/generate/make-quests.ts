import type { Action } from '../logic/logic.js';
import type { ChainStep, QuestChain } from './chain-options.js';
import type { EventDraft, QuestDraft } from './draft.js';

/** Happens when what the last of the actions makes holds, with all that it needs and keeps. */
export function eventAfter(actions: readonly Action[]): EventDraft {
  return { condition: actions.at(-1)?.after ?? [], actions: [...actions] };
}

/**
 * The quests of chains (`make_quest` of `generator/__init__.py`): one for each chain, and one wherever another branch of
 * a chain begins. The actions of a quest are those of all quests before it and its own.
 *
 * @param chains in the order in which they were drawn: each ends in the world where the one before it begins
 */
export function makeQuests(chains: readonly QuestChain[]): QuestDraft[] {
  const actions: Action[] = [];
  const quests: QuestDraft[] = [];
  for (const { steps } of chains.toReversed()) {
    steps.forEach(({ action, breadth }: ChainStep, index) => {
      actions.push(action);
      const next = steps[index + 1];
      if (next?.breadth === breadth) return;
      quests.push({ reward: 1, wins: [eventAfter(actions)], fails: [], optional: false, repeatable: false });
    });
  }
  return quests;
}
