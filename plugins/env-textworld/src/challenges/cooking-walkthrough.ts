// The plan that wins a cooking game: read the cookbook, collect, cook, cut, prepare and eat.
import type { Action, Entity, Rule } from '../logic/logic.js';
import type { Ingredient } from './cooking-ingredients.js';
import type { CookingOptions } from './cooking-options.js';
import { applyRule, Playthrough, type Placed } from './playthrough.js';
import { shortestWay } from './shortest-way.js';
import { MadeRoom, type MadeEntity, type WorldMaker } from './world-maker.js';

/** A rule to be applied to entities. */
interface Step {
  readonly rule: string;
  readonly placed: Placed;
}

/** The things that a plan deals with besides the ingredients. */
interface CookingScene {
  readonly world: WorldMaker;
  readonly kitchen: MadeRoom;
  readonly start: MadeRoom;
  readonly cookbook: MadeEntity;
  readonly meal: MadeEntity;
}

const heatSources = { fried: ['stove', 'stove'], roasted: ['oven', 'oven'], grilled: ['BBQ', 'toaster'] } as const;
/** Followed by the number of ingredients. */
const recipeRule = 'make/recipe/';
const cuttingRules = { chopped: 'chop', sliced: 'slice', diced: 'dice' } as const;

class Planner {
  readonly steps: Step[] = [];
  private room: MadeRoom;

  constructor(
    private readonly scene: CookingScene,
    private readonly ingredients: readonly Ingredient[],
    private readonly options: CookingOptions,
  ) {
    this.room = scene.start;
  }

  plan(): Step[] {
    const { kitchen, cookbook, world, meal } = this.scene;
    this.do('inventory');
    this.goTo(kitchen);
    this.do('examine/s', { o: cookbook, s: cookbook.holder });
    for (const thing of world.inventory.contents) {
      if (!this.ingredients.some(({ food }) => food === thing)) this.do('drop', { o: thing });
    }
    for (const { food } of this.ingredients) this.fetch(food);
    this.goTo(kitchen);
    if (this.options.cook) for (const ingredient of this.ingredients) this.cook(ingredient);
    if (this.options.cut) this.cutAll();
    const names = this.ingredients.map(({ food }, index) => ['f' + "'".repeat(index), food] as const);
    this.do(recipeRule, { ...Object.fromEntries(names), meal });
    this.do('eat', { f: meal });
    return this.steps;
  }

  /** Adds a step in the present room, which takes the place of `r`. */
  private do(rule: string, things: Readonly<Record<string, MadeEntity | undefined>> = {}): void {
    const placed: Record<string, Entity> = { r: this.room.entity };
    for (const [name, made] of Object.entries(things)) if (made) placed[name] = made.entity;
    this.steps.push({ rule, placed });
  }

  private goTo(room: MadeRoom): void {
    for (const passage of shortestWay(this.scene.world, this.room, room)) {
      const next = passage.beyond(this.room);
      if (passage.door) this.do('open/d', { d: passage.door, "r'": next });
      const exit = Array.from(this.room.exits).find(([, other]) => other === passage);
      this.do(`go/${exit?.[0]}`, { "r'": next });
      this.room = next;
    }
  }

  private fetch(food: MadeEntity): void {
    const { holder } = food;
    if (!holder || holder === this.scene.world.inventory) return;
    this.goTo((holder instanceof MadeRoom ? holder : holder.holder) as MadeRoom);
    if (holder.has('closed')) this.do('open/c', { c: holder });
    this.take(food, holder);
  }

  private take(thing: MadeEntity, holder: MadeEntity): void {
    if (holder instanceof MadeRoom) this.do('take', { o: thing });
    else if (holder.entity.type === 'c') this.do('take/c', { o: thing, c: holder });
    else this.do('take/s', { o: thing, s: holder });
  }

  private cook({ food, cooking }: Ingredient): void {
    if (cooking === 'raw') return;
    const [name, type] = heatSources[cooking];
    const source = this.scene.world.named(name);
    if (!source) return;
    this.goTo(source.holder as MadeRoom);
    const state = food.has('needs_cooking') ? 'needs_cooking' : 'raw';
    this.do(`cook/${type}/cooked/${state}`, { f: food, [type]: source });
    this.goTo(this.scene.kitchen);
  }

  private cutAll(): void {
    const knife = this.scene.world.named('knife');
    if (!knife) return;
    let holder = knife.holder as MadeEntity;
    this.ingredients.forEach(({ food, cutting }, index) => {
      if (cutting === 'uncut') return;
      const next = this.ingredients[(index + 1) % this.ingredients.length]?.food;
      const makesRoom = this.options.drop && next !== food;
      if (makesRoom) this.do('drop', { o: next });
      this.take(knife, holder);
      this.do(cuttingRules[cutting], { f: food, o: knife });
      this.do('drop', { o: knife });
      holder = this.scene.kitchen;
      if (makesRoom && next) this.take(next, holder);
    });
  }
}

/** What comes of a plan. */
interface CookingPlan {
  /** Undefined if a limited inventory keeps the plan from winning. */
  readonly commands: readonly string[] | undefined;
  readonly playthrough: Playthrough;
}

/** Plans a cooking game whose world is complete. */
export function planCooking(
  scene: CookingScene,
  ingredients: readonly Ingredient[],
  options: CookingOptions,
  rules: ReadonlyMap<string, Rule>,
): CookingPlan {
  const playthrough = new Playthrough(scene.world.facts());
  const slots = scene.world.ofType('slot').map(({ entity }) => entity);
  for (const { rule: name, placed } of new Planner(scene, ingredients, options).plan()) {
    // Rules for fewer ingredients have the same command. The one with most conditions counts.
    const names = name === recipeRule ? ingredients.map((_, index) => `${recipeRule}${index + 1}`).reverse() : [name];
    const actions = names.map((other) => {
      const rule = rules.get(other) as Rule;
      return applyRule(rule, { ...placed, ...chooseSlots(rule, slots, playthrough) });
    });
    playthrough.play(...(actions as [Action, ...Action[]]));
  }
  // Some commands may be refused, such as to open a door that is open; what counts is the end.
  const isWon = playthrough.holds(scene.world.fact('consumed', scene.meal));
  return { commands: isWon ? playthrough.commands : undefined, playthrough };
}

/** Slots of the inventory for a rule that fills or empties some: of the right state as long as there are any. */
function chooseSlots(rule: Rule, slots: readonly Entity[], playthrough: Playthrough): Record<string, Entity> {
  const chosen: Record<string, Entity> = {};
  for (const { name, type } of rule.placeholders) {
    if (type !== 'slot') continue;
    const left = slots.filter((slot) => !Object.values(chosen).includes(slot));
    const state = rule.before.find(({ placeholders }) => placeholders.some((other) => other.name === name))?.name;
    const fitting = left.find((slot) => state !== undefined && playthrough.holds({ name: state, entities: [slot] }));
    const slot = fitting ?? left[0];
    if (slot) chosen[name] = slot;
  }
  return chosen;
}
