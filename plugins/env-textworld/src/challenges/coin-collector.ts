// The coin collector: walk along a chain of rooms and take the coin at its end
// (`challenges/tw_coin_collector/coin_collector.py`).
import type { GameDraft } from '../generate/draft.js';
import type { Direction } from '../generate/make-map.js';
import { NumpyRandom } from '../generate/numpy-random.js';
import type { Seeds } from '../generate/seeds.js';
import { sortFacts } from '../generate/sort-facts.js';
import { houseLogic } from '../logic/house-logic.js';
import type { Rule } from '../logic/logic.js';
import { ChallengeError } from './challenge-error.js';
import { applyRule, Playthrough } from './playthrough.js';
import { WorldMaker, type MadeRoom } from './world-maker.js';

export interface CoinCollectorOptions {
  /**
   * 1 to 300. The last two digits are the length of the chain (00: 100). From 101 on there is one more room per room
   * of the chain that leads nowhere, from 201 on two.
   */
  readonly level: number;
  /**
   * Where the rooms that lead nowhere are from level 201 on. `textworld`: at the rooms of the chain in turn, as in the
   * original, whose comparison can never be true. `corrected`: anywhere, also behind each other, as its text says.
   */
  readonly compat: 'textworld' | 'corrected';
}

/**
 * Makes a coin collector game. The original refuses more than 100 rooms, because its compiled games cannot hold them;
 * here there is no such limit.
 *
 * @throws ChallengeError for a level that does not exist
 */
export function makeCoinCollector(seeds: Seeds, { level, compat }: CoinCollectorOptions): GameDraft {
  if (!Number.isInteger(level) || level < 1 || level > 300) {
    throw new ChallengeError(`level must be a whole number from 1 to 300, not ${level}.`);
  }
  const hundreds = Math.floor((level - 1) / 100);
  const length = ((level - 1) % 100) + 1;
  const roomCount = (hundreds + 1) * length;
  const isAnywhere = compat === 'corrected' && hundreds >= 2;

  const random = new NumpyRandom(seeds.map);
  const logic = houseLogic();
  const world = new WorldMaker(logic.types);
  const way: Direction[] = [];
  /** Makes a room behind a random free exit of another. */
  const addRoom = (from: MadeRoom): Direction => {
    const direction = random.choice(from.freeDirections());
    world.connect(from, direction, world.makeRoom());
    return direction;
  };
  world.makeRoom();
  while (world.rooms.length < length) way.push(addRoom(world.rooms.at(-1) as MadeRoom));
  const chain = world.rooms.slice();
  world.put(chain[0] as MadeRoom, world.player);
  const coin = world.make('o', { name: 'coin' });
  world.put(chain.at(-1) as MadeRoom, coin);
  while (world.rooms.length < roomCount) {
    const from = isAnywhere ? random.choice(world.rooms) : (chain[world.rooms.length % chain.length] as MadeRoom);
    if (from.freeDirections().length > 0) addRoom(from);
  }

  const facts = sortFacts(world.facts());
  const playthrough = new Playthrough(facts);
  way.forEach((direction, index) => {
    const placed = { r: (chain[index] as MadeRoom).entity, "r'": (chain[index + 1] as MadeRoom).entity };
    playthrough.play(applyRule(logic.rules.get(`go/${direction}`) as Rule, placed));
  });
  playthrough.play(
    applyRule(logic.rules.get('take') as Rule, { o: coin.entity, r: (chain.at(-1) as MadeRoom).entity }),
  );
  const held = world.fact('in', coin, world.inventory);
  return {
    logic,
    facts,
    quests: [
      {
        reward: 1,
        wins: [{ condition: [held], actions: playthrough.actionsTo(held) }],
        fails: [],
        optional: false,
        repeatable: false,
      },
    ],
    words: world.words(),
    objective: { kind: 'steps' },
  };
}
