// Follows in TextWorld's facts what is done in the story's world, as the original's `StateTracking`
// (`envs/wrappers/tw_inform7.py`) does.
import type { ActionTable, GameAction } from '../game/action-table.js';
import type { GameState } from '../game/game-state.js';
import type { Logic } from '../logic/logic.js';
import { type Deed, directions } from './grammar.js';
import { nameWithArticle } from './printed-names.js';
import type { Story } from './story.js';
import type { StoryWorld } from './story-world.js';

/** What a deed does, as the story's trace of actions says it: before the noun, and before the second noun. */
const deedWords: Readonly<Partial<Record<Deed, readonly [string, string?]>>> = {
  close: ['closing'],
  cook: ['cooking', 'with'],
  chop: ['chopping', 'with'],
  dice: ['dicing', 'with'],
  drinkHeld: ['drinking'],
  drop: ['dropping'],
  eat: ['eating'],
  examine: ['examining'],
  go: ['going'],
  insert: ['inserting', 'into'],
  inventory: ['taking inventory'],
  lock: ['locking', 'with'],
  look: ['looking'],
  open: ['opening'],
  prepare: ['preparing meal'],
  putOn: ['putting', 'on'],
  remove: ['removing', 'from'],
  slice: ['slicing', 'with'],
  take: ['taking'],
  unlock: ['unlocking', 'with'],
};

/** Deeds in whose trace foods have the words for how they were prepared. */
const prepared: ReadonlySet<Deed> = new Set<Deed>(['examine', 'inventory', 'look']);

/** What an action of the logic is in the story. */
export interface DeedOfAction {
  readonly deed: Deed;
  readonly noun: number;
  readonly second: number;
}

/** What an action of a rule is in the story: the names of placeholders, or ids, that are its nouns. */
interface DeedOfRule {
  readonly deed: Deed;
  /** Number of the direction of a walk; 0 for other deeds. */
  readonly direction: number;
  readonly nouns: readonly string[];
}

const deedsByLogic = new WeakMap<Logic, ReadonlyMap<string, DeedOfRule>>();

/** By name of the rule; rules of a logic that is not TextWorld's own may be missing. */
function deedsOf(logic: Logic): ReadonlyMap<string, DeedOfRule> {
  let deeds = deedsByLogic.get(logic);
  if (deeds === undefined) {
    deeds = new Map(
      [...logic.inform.events].flatMap(([rule, event]) => {
        const deed = readDeed(event);
        return deed === undefined ? [] : [[rule, deed]];
      }),
    );
    deedsByLogic.set(logic, deeds);
  }
  return deeds;
}

/** Reads how a story traces the actions of a rule: `inserting the {o} into the {c}`. */
function readDeed(event: string): DeedOfRule | undefined {
  const going = /^going (\w+)$/.exec(event);
  if (going !== null) {
    const direction = directions.findIndex(([word]) => word === going[1]);
    return direction === -1 ? undefined : { deed: 'go', direction: direction + 1, nouns: [] };
  }
  for (const [deed, [first, between]] of Object.entries(deedWords) as [Deed, readonly [string, string?]][]) {
    if (event === first) return { deed, direction: 0, nouns: [] };
    if (!event.startsWith(`${first} `)) continue;
    const rest = event.slice(first.length + 1).replaceAll('the ', '');
    const match = /^\{([^{}]*)\}(?: (\w+) \{([^{}]*)\})?$/.exec(rest);
    if (match === null || match[2] !== between) continue;
    const [, noun = '', , second] = match;
    return { deed, direction: 0, nouns: second === undefined ? [noun] : [noun, second] };
  }
  return undefined;
}

/** What is known of the actions of a game, by number of the action. */
class ActionNames {
  private readonly deeds: (DeedOfAction | null)[] = [];
  private readonly events: string[] = [];
  /** Actions by what they are in the story, in the order in which they were found. */
  private readonly meaning = new Map<Deed, Map<number, GameAction[]>>();
  private listed = 0;

  constructor(private readonly story: Story) {}

  /** The deed that the action stands for; null for an action of a logic that is not TextWorld's own. */
  deedOf(action: GameAction): DeedOfAction | null {
    const known = this.deeds[action.index];
    if (known !== undefined) return known;
    const deed = this.findDeed(action);
    this.deeds[action.index] = deed;
    return deed;
  }

  /** The actions of a table that mean a deed. */
  meaningOf({ actions }: ActionTable, deed: Deed, noun: number, second: number): readonly GameAction[] {
    for (; this.listed < actions.length; this.listed++) {
      const action = actions[this.listed] as GameAction;
      const meant = this.deedOf(action);
      if (meant === null) continue;
      let ofDeed = this.meaning.get(meant.deed);
      if (ofDeed === undefined) this.meaning.set(meant.deed, (ofDeed = new Map<number, GameAction[]>()));
      const key = this.keyOf(meant.noun, meant.second);
      const same = ofDeed.get(key);
      if (same === undefined) ofDeed.set(key, [action]);
      else same.push(action);
    }
    return this.meaning.get(deed)?.get(this.keyOf(noun, second)) ?? [];
  }

  private keyOf(noun: number, second: number): number {
    return noun * this.story.objects.length + second;
  }

  /** How the original writes the action that it looks for in the trace; in lower case. */
  eventOf(action: GameAction): string {
    return (this.events[action.index] ??= this.fill(
      action,
      (id) => this.story.game.infos.get(id)?.name ?? id,
    ).toLowerCase());
  }

  private findDeed(action: GameAction): DeedOfAction | null {
    const { logic } = this.story.game;
    const read = deedsOf(logic).get(action.rule);
    if (read === undefined) return null;
    const { deed, direction, nouns } = read;
    const { placeholders = [] } = logic.rules.get(action.rule) ?? {};
    const [noun = direction, second = 0] = nouns.map((name) => {
      const place = placeholders.findIndex((placeholder) => placeholder.name === name);
      return this.story.numbers.get(action.entities[place]?.id ?? name) ?? 0;
    });
    return { deed, noun, second };
  }

  private fill(action: GameAction, write: (id: string) => string): string {
    const { logic } = this.story.game;
    const { placeholders = [] } = logic.rules.get(action.rule) ?? {};
    return (logic.inform.events.get(action.rule) ?? '').replace(/\{([^{}]*)\}/g, (_, name: string) => {
      const place = placeholders.findIndex((placeholder) => placeholder.name === name);
      return write(action.entities[place]?.id ?? name);
    });
  }
}

const namesByStory = new WeakMap<Story, ActionNames>();

export class Tracker {
  private readonly names: ActionNames;

  constructor(
    private readonly story: Story,
    readonly state: GameState,
  ) {
    let names = namesByStory.get(story);
    if (names === undefined) namesByStory.set(story, (names = new ActionNames(story)));
    this.names = names;
  }

  deedOf(action: GameAction): DeedOfAction | null {
    return this.names.deedOf(action);
  }

  /** The possible action that a deed means; of several, the one that needs most. */
  find(deed: Deed, noun: number, second: number): GameAction | undefined {
    const { state } = this;
    return state.neediest(this.names.meaningOf(state.table, deed, noun, second));
  }

  /** The possible action that the original recognises in the trace of what was done. */
  recognise(world: StoryWorld, deed: Deed, noun: number, second: number): GameAction | undefined {
    const words = deedWords[deed];
    if (words === undefined) return undefined;
    // In the trace, drinking has the name that the source of cooking games gives it, which no rule has.
    let event = deed === 'drinkHeld' ? 'drinking carried thing' : words[0];
    if (noun !== 0) event += ` ${this.traced(world, deed, noun)}`;
    if (second !== 0) event += ` ${words[1] ?? ''} ${this.traced(world, deed, second)}`;
    event = event.toLowerCase();
    return this.state.neediest(this.state.actions().filter((action) => this.names.eventOf(action) === event));
  }

  private traced(world: StoryWorld, deed: Deed, object: number): string {
    const article = deed === 'go' ? 'none' : 'the';
    return nameWithArticle(this.story, world, object, article, prepared.has(deed));
  }
}
