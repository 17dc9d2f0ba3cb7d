import { houseLogic } from '../logic/house-logic.js';
import type { Fact } from '../logic/logic.js';
import type { ChainOptions, QuestChain } from './chain-options.js';
import { chainQuest, rulesStarting } from './chain-quest.js';
import type { GameDraft } from './draft.js';
import { makeMap } from './make-map.js';
import { makeQuests } from './make-quests.js';
import { NumpyRandom } from './numpy-random.js';
import { populate } from './populate.js';
import { QuestGenerationError } from './quest-generation-error.js';
import { subSeeds, type Seeds } from './seeds.js';
import { sortFacts } from './sort-facts.js';
import { mapFacts, playerEntity, worldEntities, worldRooms } from './world-facts.js';

/** The options of `tw-make custom` that shape the world and the quests, with the defaults of the original. */
export interface CustomOptions {
  /** Number of rooms, 1 to 100 (5). */
  readonly rooms?: number;
  /** Number of things that are neither rooms nor doors, 0 to 1000 (10). There are more if the quest needs more. */
  readonly objects?: number;
  /** Quests without a common goal, 1 to 10 (1). */
  readonly parallelQuests?: number;
  /** Stands for `minimumLength`, `maximumLength` and `maximumDepth`. */
  readonly questLength?: number;
  /** Stands for `minimumBreadth` and `maximumBreadth`. */
  readonly questBreadth?: number;
  /** Number of actions of a quest, 1 to 100 (1 to 5). */
  readonly minimumLength?: number;
  readonly maximumLength?: number;
  /** Number of actions of a branch of a quest, 1 to 100 (1 to 5). */
  readonly minimumDepth?: number;
  readonly maximumDepth?: number;
  /** Number of branches of a quest, 1 to 100 (1 to 5). */
  readonly minimumBreadth?: number;
  readonly maximumBreadth?: number;
}

const ranges = {
  rooms: [1, 100],
  objects: [0, 1000],
  parallelQuests: [1, 10],
  questLength: [1, 100],
  questBreadth: [1, 100],
  minimumLength: [1, 100],
  maximumLength: [1, 100],
  minimumDepth: [1, 100],
  maximumDepth: [1, 100],
  minimumBreadth: [1, 100],
  maximumBreadth: [1, 100],
} as const;

/**
 * Generates a custom game: the same world and quests as `tw-make custom` makes from the same seed.
 *
 * @param seed a seed as `subSeeds` takes it, or the four seeds themselves
 * @throws RangeError for an option or seed out of range
 * @throws QuestGenerationError if no quest exists with these options, or if the search for one was given up
 */
export function generateCustom(options: CustomOptions, seed: number | Seeds): GameDraft {
  checkRanges(options);
  const seeds = typeof seed === 'number' ? subSeeds(seed) : seed;
  const logic = houseLogic();
  const map = mapFacts(makeMap(new NumpyRandom(seeds.map), options.rooms ?? 5));
  const start = worldRooms(map, logic.types)[0] ?? { id: 'r_0', type: 'r' };

  const chaining = chainOptions(options);
  checkQuestExists(chaining);
  const random = new NumpyRandom(seeds.quest);
  const chains: QuestChain[] = [];
  let facts: readonly Fact[] = [...map, { name: 'at', entities: [playerEntity, start] }];
  for (let count = options.parallelQuests ?? 1; count > 0; count--) {
    const chain = chainQuest(facts, logic, chaining, random);
    chains.push(chain);
    facts = chain.facts;
  }

  const things = worldEntities(facts, logic.types).filter(({ type }) => !['r', 'd', 'I', 'P'].includes(type));
  const missing = (options.objects ?? 10) - things.length;
  if (missing > 0) facts = [...facts, ...populate(facts, missing, logic.types, new NumpyRandom(seeds.objects))];
  return {
    logic,
    facts: sortFacts(facts),
    quests: makeQuests(chains),
    words: new Map(),
    objective: { kind: 'steps' },
  };
}

function chainOptions(options: CustomOptions): ChainOptions {
  const { questLength, questBreadth } = options;
  return {
    minimumLength: questLength ?? options.minimumLength ?? 1,
    maximumLength: questLength ?? options.maximumLength ?? 5,
    minimumDepth: options.minimumDepth ?? 1,
    maximumDepth: questLength ?? options.maximumDepth ?? 5,
    minimumBreadth: questBreadth ?? options.minimumBreadth ?? 1,
    maximumBreadth: questBreadth ?? options.maximumBreadth ?? 5,
    createsEntities: true,
    canCreate: (type) => type !== 'r' && type !== 'd',
    // The last action is not a mere look or walk.
    rulesPerDepth: [rulesStarting(houseLogic(), [''], ['go', 'examine', 'look', 'inventory'])],
  };
}

/** The original searches all that there is before it finds out. */
function checkQuestExists(chaining: ChainOptions): void {
  for (const measure of ['Length', 'Depth', 'Breadth'] as const) {
    const [lowest, highest] = [chaining[`minimum${measure}`], chaining[`maximum${measure}`]];
    if (lowest <= highest) continue;
    const name = measure.toLowerCase();
    throw new QuestGenerationError(`No quest has a ${name} of at least ${lowest} and at most ${highest}`, 'exhausted');
  }
}

function checkRanges(options: CustomOptions): void {
  for (const [name, [lowest, highest]] of Object.entries(ranges)) {
    const value = options[name as keyof typeof ranges];
    if (value === undefined) continue;
    if (!Number.isInteger(value) || value < lowest || value > highest) {
      throw new RangeError(`${name} must be a whole number from ${lowest} to ${highest}, not ${String(value)}`);
    }
  }
}
