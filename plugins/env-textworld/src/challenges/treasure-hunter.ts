// The treasure hunter: find one thing in a maze and take it, but not another one
// (`challenges/tw_treasure_hunter/treasure_hunter.py`).
import type { ChainOptions, QuestChain } from '../generate/chain-options.js';
import { chainQuest, rulesStarting } from '../generate/chain-quest.js';
import type { GameDraft } from '../generate/draft.js';
import { makeMap } from '../generate/make-map.js';
import { eventAfter } from '../generate/make-quests.js';
import { NumpyRandom } from '../generate/numpy-random.js';
import { populateWith } from '../generate/populate.js';
import { QuestGenerationError } from '../generate/quest-generation-error.js';
import type { Seeds } from '../generate/seeds.js';
import { sortFacts } from '../generate/sort-facts.js';
import { EntityNumbers, sampleType } from '../generate/type-sampling.js';
import { inventory, mapFacts, playerEntity, worldEntities, worldRooms } from '../generate/world-facts.js';
import { houseLogic } from '../logic/house-logic.js';
import type { Fact } from '../logic/logic.js';
import { ChallengeError } from './challenge-error.js';

export interface TreasureHunterOptions {
  /**
   * 1 to 30: ten levels each with nothing but rooms, with closed containers, and with doors and containers to unlock.
   * The quest becomes longer within each ten.
   */
  readonly level: number;
}

const modes = [
  { rooms: 5, shortest: 1, longest: 5, furniture: 0, hasDoors: false, hasKeys: false },
  { rooms: 10, shortest: 2, longest: 10, furniture: 10, hasDoors: true, hasKeys: false },
  { rooms: 20, shortest: 3, longest: 20, furniture: 20, hasDoors: true, hasKeys: true },
] as const;

/**
 * Makes a treasure hunter game.
 *
 * @throws ChallengeError for a level that does not exist
 * @throws QuestGenerationError if the world of this seed has no quest of that length, as the original finds too
 */
export function makeTreasureHunter(seeds: Seeds, { level }: TreasureHunterOptions): GameDraft {
  if (!Number.isInteger(level) || level < 1 || level > 30) {
    throw new ChallengeError(`level must be a whole number from 1 to 30, not ${level}.`);
  }
  const mode = modes[Math.floor((level - 1) / 10)] as (typeof modes)[number];
  const { shortest, longest } = mode;
  const length = Math.round(shortest + ((longest - shortest) * ((level - 1) % 10)) / 9);
  const mapRandom = new NumpyRandom(seeds.map);
  const objectRandom = new NumpyRandom(seeds.objects);
  const logic = houseLogic();
  const { types } = logic;

  const facts = mapFacts(makeMap(mapRandom, mode.rooms, mode.hasDoors ? ['open'] : []));
  const rooms = worldRooms(facts, types);
  const numbers = new EntityNumbers(worldEntities(facts, types));
  // The quest is made from its end: the player has the treasure already.
  const treasure = numbers.make(sampleType(types, 'o', objectRandom, { orItself: true }));
  facts.push({ name: 'in', entities: [treasure, inventory] });
  const furniture = Array.from({ length: mode.furniture }, () => numbers.make(objectRandom.choice(['c', 's'])));
  facts.push(...populateWith(facts, furniture, types, objectRandom));
  const decoy = numbers.make(sampleType(types, 'o', objectRandom, { orItself: true }));
  facts.push(...populateWith(facts, [decoy], types, objectRandom));

  const take = rulesStarting(logic, ['take']);
  const others = rulesStarting(logic, ['take', 'go', 'open', 'unlock']);
  const options: ChainOptions = {
    ...{ minimumLength: length, maximumLength: length, minimumDepth: 1, maximumDepth: length },
    ...{ minimumBreadth: 1, maximumBreadth: 1 },
    createsEntities: mode.hasKeys,
    canCreate: (type) => type === 'k',
    rulesPerDepth: [take, ...new Array<readonly string[]>(length - 1).fill(others)],
  };
  mapRandom.shuffle(rooms);
  const questRandom = new NumpyRandom(seeds.quest);
  const chain = firstChain(
    rooms.map((room) => [...facts, { name: 'at', entities: [playerEntity, room] }]),
    options,
    questRandom,
  );
  return {
    logic,
    facts: sortFacts(chain.facts),
    quests: [
      {
        reward: 1,
        wins: [eventAfter(chain.steps.map(({ action }) => action))],
        fails: [{ condition: [{ name: 'in', entities: [decoy, inventory] }], actions: [] }],
        optional: false,
        repeatable: false,
      },
    ],
    words: new Map(),
    objective: { kind: 'steps' },
  };
}

/** A quest in the first of the worlds that has one; they differ in where the quest ends. */
function firstChain(worlds: readonly (readonly Fact[])[], options: ChainOptions, random: NumpyRandom): QuestChain {
  for (const facts of worlds) {
    try {
      return chainQuest(facts, houseLogic(), options, random);
    } catch (error) {
      if (!(error instanceof QuestGenerationError) || error.reason !== 'exhausted') throw error;
    }
  }
  throw new QuestGenerationError(`This world has no quest of ${options.minimumLength} actions.`, 'exhausted');
}
