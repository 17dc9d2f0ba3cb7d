// What a cooking game rewards and what loses it.
import type { EventDraft, QuestDraft } from '../generate/draft.js';
import type { Fact } from '../logic/logic.js';
import type { Ingredient } from './cooking-ingredients.js';
import type { Playthrough } from './playthrough.js';
import type { MadeEntity, WorldMaker } from './world-maker.js';

const cookings = ['fried', 'roasted', 'grilled'];
const cuttings = ['chopped', 'sliced', 'diced'];

const quest = (wins: EventDraft[], fails: EventDraft[]): QuestDraft => ({
  reward: wins.length > 0 ? 1 : 0,
  wins,
  fails,
  optional: false,
  repeatable: false,
});

/**
 * Makes the quests: hold, cook and cut each ingredient, hold the meal, eat it. Food that is burned, eaten, or cooked or
 * cut in a wrong way loses the game.
 */
export function cookingQuests(
  world: WorldMaker,
  meal: MadeEntity,
  ingredients: readonly Ingredient[],
  playthrough: Playthrough | undefined,
): QuestDraft[] {
  const win = (fact: Fact): EventDraft => ({ condition: [fact], actions: playthrough?.actionsTo(fact) ?? [] });
  const fail = (name: string, thing: MadeEntity): EventDraft => ({ condition: [world.fact(name, thing)], actions: [] });
  const quests: QuestDraft[] = [];
  for (const { food, cooking, cutting } of ingredients) {
    quests.push(quest([], [fail('burned', food)]));
    if (food.holder !== world.inventory) quests.push(quest([win(world.fact('in', food, world.inventory))], []));
    for (const [wanted, all] of [
      [cooking, cookings],
      [cutting, cuttings],
    ] as const) {
      const wins = all.includes(wanted) && !food.has(wanted) ? [win(world.fact(wanted, food))] : [];
      const wrong = all.filter((name) => name !== wanted).map((name) => fail(name, food));
      quests.push(quest(wins, [fail('consumed', food), ...wrong]));
    }
  }
  const eaten = ingredients.map(({ food }) => fail('consumed', food));
  quests.push(quest([win(world.fact('in', meal, world.inventory))], eaten));
  quests.push(quest([win(world.fact('consumed', meal))], [fail('burned', meal)]));
  return quests;
}
