import type { Article } from './description.js';
import type { Deed } from './grammar.js';
import { nameWithArticle } from './printed-names.js';
import type { Story } from './story.js';
import { ContainerKind, DoorKind, player, type StoryObject, SupporterKind } from './story-object.js';
import type { StoryWorld } from './story-world.js';

/** Kinds of things that cannot be taken. */
export const fixedKinds = ContainerKind | SupporterKind | DoorKind;

/** What a deed needs to know of the session. */
export interface Situation {
  readonly world: StoryWorld;
  /** The words of the command, for replies that depend on them. */
  readonly command: string;
  /** Whether the deed is one of several of the same command. */
  readonly isOneOfMany: boolean;
  /** Whether rooms are described when the player comes again, and for the first time. */
  readonly brief: 'never' | 'again' | 'always';
  /** Told before the world changes; if it returns a text, nothing changes, and the text is the reply. */
  allow(deed: Deed, noun: number, second: number): string | undefined;
  /** Told what is talked about, for `it`. */
  notice(object: number): void;
  say(text: string): void;
  /** Told when something was done, for TextWorld's tracker. */
  done(deed: Deed, noun: number, second: number): void;
}

/** What the parts of a deed share: the world, names, and ways to answer. */
export class DeedContext {
  readonly world: StoryWorld;

  constructor(
    readonly story: Story,
    readonly situation: Situation,
  ) {
    this.world = situation.world;
  }

  isAllowed(deed: Deed, noun: number, second: number): boolean {
    const refusal = this.situation.allow(deed, noun, second);
    return refusal === undefined || this.refuse(refusal);
  }

  /** TextWorld takes nothing by itself. */
  refuseUnheld(object: number): boolean {
    if (this.is(object, fixedKinds)) return this.refuse(`The ${this.name(object, 'none')} is fixed in place.`);
    this.situation.say(`You need to take the ${this.name(object, 'none')} first.`);
    this.situation.notice(object);
    return false;
  }

  refuse(text: string): false {
    this.situation.say(text);
    return false;
  }

  tell(text: string): true {
    this.situation.say(text);
    return true;
  }

  exit(direction: number): number {
    return (this.story.objects[this.world.parent(player)] as StoryObject).exits[direction - 1] ?? 0;
  }

  isHeld(object: number): boolean {
    return object !== 0 && this.world.parent(object) === player;
  }

  is(object: number, kinds: number): boolean {
    return ((this.story.objects[object] as StoryObject).kinds & kinds) !== 0;
  }

  the(object: number): string {
    return this.name(object, 'the');
  }

  name(object: number, article: Article): string {
    return nameWithArticle(this.story, this.world, object, article, false);
  }
}
