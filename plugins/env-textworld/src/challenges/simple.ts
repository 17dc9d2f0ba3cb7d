// The simple game: leave a locked bedroom, find a food and put it on the stove (`challenges/tw_simple/simple.py`).
import type { EventDraft, GameDraft, QuestDraft } from '../generate/draft.js';
import { NumpyRandom } from '../generate/numpy-random.js';
import type { Seeds } from '../generate/seeds.js';
import { sortFacts } from '../generate/sort-facts.js';
import { houseLogic } from '../logic/house-logic.js';
import type { Fact, Rule } from '../logic/logic.js';
import { ChallengeError } from './challenge-error.js';
import { applyRule, Playthrough } from './playthrough.js';
import { WorldMaker, type MadeEntity, type MadeRoom, type Passage } from './world-maker.js';

export interface SimpleOptions {
  /** How many of the steps are rewarded. */
  readonly rewards: 'dense' | 'balanced' | 'sparse';
  /** How much the player is told at the start: every step, which food is wanted, or nothing. */
  readonly goal: 'detailed' | 'brief' | 'none';
  /** Whether the wanted food has a name that does not occur in other games. */
  readonly test: boolean;
}

const testFoods = ['garlic', 'kiwi', 'carrot'];

/**
 * Makes a simple game.
 *
 * @throws ChallengeError for an option that does not exist
 */
export function makeSimple(seeds: Seeds, options: SimpleOptions): GameDraft {
  check('rewards', options.rewards, ['dense', 'balanced', 'sparse']);
  check('goal', options.goal, ['detailed', 'brief', 'none']);
  const random = new NumpyRandom(seeds.quest);
  const logic = houseLogic();
  const house = buildHouse(new WorldMaker(logic.types));
  const { world } = house;

  const names = house.foods.map(({ name }) => name);
  random.shuffle(names);
  house.foods.forEach((food, index) => (food.words = { name: names[index] as string }));
  const key = world.make('k', { name: 'old key' });
  world.addFact('match', key, house.bedroomDoor.door as MadeEntity);
  const keyHolder = random.random() > 0.5 ? house.drawer : house.trunk;
  world.put(keyHolder, key);
  const food = random.choice(house.foods);
  if (options.test) food.words = { name: random.choice(testFoods) };

  const text = `Dinner is nearly ready. All it still needs is a grilled ${food.name}.`;
  world.put(house.island, world.make('o', { name: 'note', description: text }));
  const facts = sortFacts(world.facts());
  const playthrough = playSimple(house, key, keyHolder, food, facts, logic.rules);
  const objective = { detailed: undefined, brief: text, none: '' }[options.goal];
  return {
    logic,
    facts,
    quests: simpleQuests(house, key, keyHolder, food, options.rewards, playthrough),
    words: world.words(),
    objective: objective === undefined ? { kind: 'steps' } : { kind: 'text', text: objective },
    walkthrough: playthrough.commands,
  };
}

function check(name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new ChallengeError(`${name} must be ${allowed.join(', ')}, not ${JSON.stringify(value)}.`);
}

interface House {
  readonly world: WorldMaker;
  readonly bedroom: MadeRoom;
  readonly kitchen: MadeRoom;
  readonly livingRoom: MadeRoom;
  readonly backyard: MadeRoom;
  readonly garden: MadeRoom;
  readonly bedroomDoor: Passage;
  readonly backDoor: Passage;
  readonly drawer: MadeEntity;
  readonly trunk: MadeEntity;
  readonly stove: MadeEntity;
  readonly island: MadeEntity;
  readonly foods: readonly MadeEntity[];
}

/** The house is the same in all games but for the names of the foods and the place of the key. */
function buildHouse(world: WorldMaker): House {
  const bedroom = world.makeRoom({ name: 'bedroom' });
  const kitchen = world.makeRoom({ name: 'kitchen' });
  const livingRoom = world.makeRoom({ name: 'living room' });
  const bathroom = world.makeRoom({ name: 'bathroom' });
  const backyard = world.makeRoom({ name: 'backyard' });
  const garden = world.makeRoom({ name: 'garden' });
  const bedroomDoor = world.connect(bedroom, 'east', kitchen);
  world.connect(kitchen, 'north', bathroom);
  world.connect(kitchen, 'south', livingRoom);
  const backDoor = world.connect(kitchen, 'east', backyard);
  world.connect(backyard, 'south', garden);
  world.makeDoor(bedroomDoor, 'wooden door', 'locked');
  world.makeDoor(backDoor, 'screen door', 'closed');

  const add = (holder: MadeEntity, type: string, name: string): MadeEntity => {
    const properties = { c: ['closed'], f: ['edible'] }[type] ?? [];
    const thing = world.make(type, { name }, ...properties);
    world.put(holder, thing);
    return thing;
  };
  const drawer = add(bedroom, 'c', 'chest drawer');
  const trunk = add(bedroom, 'c', 'antique trunk');
  add(bedroom, 's', 'king-size bed');
  add(kitchen, 's', 'counter');
  const stove = add(kitchen, 's', 'stove');
  const island = add(kitchen, 's', 'kitchen island');
  const refrigerator = add(kitchen, 'c', 'refrigerator');
  const apple = add(refrigerator, 'f', 'apple');
  const milk = add(refrigerator, 'f', 'milk');
  add(bathroom, 'c', 'toilet');
  const sink = add(bathroom, 's', 'sink');
  const bath = add(bathroom, 'c', 'bath');
  add(sink, 'o', 'toothbrush');
  add(bath, 'o', 'soap bar');
  const couch = add(livingRoom, 's', 'couch');
  const lowTable = add(livingRoom, 's', 'low table');
  add(livingRoom, 's', 'tv');
  add(lowTable, 'o', 'remote');
  const chips = add(couch, 'f', 'half of a bag of chips');
  for (const name of ['bbq', 'patio table', 'set of chairs']) add(backyard, 's', name);
  add(garden, 'o', 'shovel');
  const plants = ['tomato plant', 'bell pepper', 'lettuce'].map((name) => add(garden, 'f', name));
  world.put(bedroom, world.player);
  return {
    ...{ world, bedroom, kitchen, livingRoom, backyard, garden, bedroomDoor, backDoor, drawer, trunk, stove, island },
    foods: [apple, milk, chips, ...plants],
  };
}

/** Plays the shortest way to put the food on the stove. */
function playSimple(
  house: House,
  key: MadeEntity,
  keyHolder: MadeEntity,
  food: MadeEntity,
  facts: readonly Fact[],
  rules: ReadonlyMap<string, Rule>,
): Playthrough {
  const { bedroom, kitchen, livingRoom, backyard, garden } = house;
  const playthrough = new Playthrough(facts);
  const play = (rule: string, things: Readonly<Record<string, MadeEntity>>): void => {
    const placed = Object.entries(things).map(([name, made]) => [name, made.entity] as const);
    playthrough.play(applyRule(rules.get(rule) as Rule, Object.fromEntries(placed)));
  };
  const go = (direction: string, from: MadeRoom, to: MadeRoom): void => play(`go/${direction}`, { r: from, "r'": to });
  const openDoor = ({ door, from, to }: Passage): void => play('open/d', { d: door as MadeEntity, r: from, "r'": to });

  play('open/c', { c: keyHolder, r: bedroom });
  play('take/c', { o: key, c: keyHolder, r: bedroom });
  play('unlock/d', { d: house.bedroomDoor.door as MadeEntity, k: key, r: bedroom, "r'": kitchen });
  openDoor(house.bedroomDoor);
  go('east', bedroom, kitchen);
  const holder = food.holder as MadeEntity;
  if (holder === garden) {
    openDoor(house.backDoor);
    go('east', kitchen, backyard);
    go('south', backyard, garden);
    play('take', { o: food, r: garden });
    go('north', garden, backyard);
    go('west', backyard, kitchen);
  } else if (holder.holder === livingRoom) {
    go('south', kitchen, livingRoom);
    play('take/s', { o: food, s: holder, r: livingRoom });
    go('north', livingRoom, kitchen);
  } else {
    play('open/c', { c: holder, r: kitchen });
    play('take/c', { o: food, c: holder, r: kitchen });
  }
  play('put', { o: food, s: house.stove, r: kitchen });
  return playthrough;
}

function simpleQuests(
  { world, kitchen, livingRoom, backyard, garden, bedroomDoor, backDoor, stove }: House,
  key: MadeEntity,
  keyHolder: MadeEntity,
  food: MadeEntity,
  rewards: SimpleOptions['rewards'],
  playthrough: Playthrough,
): QuestDraft[] {
  const quests: QuestDraft[] = [];
  const reward = (name: string, ...things: (MadeEntity | undefined)[]): void => {
    const condition = [world.fact(name, ...(things as MadeEntity[]))] as const;
    const win: EventDraft = { condition, actions: playthrough.actionsTo(condition[0]) };
    quests.push({ reward: 1, wins: [win], fails: [], optional: false, repeatable: false });
  };
  const isInGarden = food.holder === garden;
  const isInLivingRoom = food.holder?.holder === livingRoom;
  const rooms = isInGarden ? [backyard, garden] : isInLivingRoom ? [livingRoom] : [];
  if (rewards === 'dense') {
    reward('open', keyHolder);
    reward('in', key, world.inventory);
    reward('closed', bedroomDoor.door);
    reward('open', bedroomDoor.door);
  }
  if (rewards !== 'sparse') {
    reward('at', world.player, kitchen);
    if (isInGarden) reward('open', backDoor.door);
  }
  if (rewards === 'dense') for (const room of rooms) reward('at', world.player, room);
  if (rewards !== 'sparse') reward('in', food, world.inventory);
  reward('on', food, stove);
  const eaten: EventDraft = { condition: [world.fact('eaten', food)], actions: [] };
  quests.push({ reward: 0, wins: [], fails: [eaten], optional: false, repeatable: false });
  return quests;
}
