// Follows in TextWorld's facts what is done in the story's world, as the original's `StateTracking`
// (`envs/wrappers/tw_inform7.py`) does.
import type { GameAction } from '../game/action-table.js';
import type { GameState } from '../game/game-state.js';
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

/** What is known of the actions of a game, by number of the action. */
class ActionNames {
  private readonly deeds: (DeedOfAction | null)[] = [];
  private readonly events: string[] = [];

  constructor(private readonly story: Story) {}

  /** The deed that the action stands for; null for an action of a logic that is not TextWorld's own. */
  deedOf(action: GameAction): DeedOfAction | null {
    const known = this.deeds[action.index];
    if (known !== undefined) return known;
    const deed = this.readDeed(action);
    this.deeds[action.index] = deed;
    return deed;
  }

  /** How the original writes the action that it looks for in the trace; in lower case. */
  eventOf(action: GameAction): string {
    return (this.events[action.index] ??= this.fill(
      action,
      (id) => this.story.game.infos.get(id)?.name ?? id,
    ).toLowerCase());
  }

  private readDeed(action: GameAction): DeedOfAction | null {
    const text = this.fill(action, (id) => `{${this.story.numbers.get(id) ?? 0}}`);
    const going = /^going (\w+)$/.exec(text);
    if (going !== null) {
      const direction = directions.findIndex(([word]) => word === going[1]);
      return direction === -1 ? null : { deed: 'go', noun: direction + 1, second: 0 };
    }
    for (const [deed, [first, between]] of Object.entries(deedWords) as [Deed, readonly [string, string?]][]) {
      if (text === first) return { deed, noun: 0, second: 0 };
      if (!text.startsWith(`${first} `)) continue;
      const rest = text.slice(first.length + 1).replaceAll('the ', '');
      const match = /^\{(\d+)\}(?: (\w+) \{(\d+)\})?$/.exec(rest);
      if (match === null || match[2] !== between) continue;
      return { deed, noun: Number(match[1]), second: Number(match[3] ?? 0) };
    }
    return null;
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
    return this.best((action) => {
      const meant = this.names.deedOf(action);
      return meant !== null && meant.deed === deed && meant.noun === noun && meant.second === second;
    });
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
    return this.best((action) => this.names.eventOf(action) === event);
  }

  private traced(world: StoryWorld, deed: Deed, object: number): string {
    const article = deed === 'go' ? 'none' : 'the';
    return nameWithArticle(this.story, world, object, article, prepared.has(deed));
  }

  private best(isMeant: (action: GameAction) => boolean): GameAction | undefined {
    let found: GameAction | undefined;
    for (const action of this.state.actions()) {
      if (isMeant(action) && (found === undefined || action.before.length > found.before.length)) found = action;
    }
    return found;
  }
}
