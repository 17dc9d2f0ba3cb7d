// What happens when a deed is tried, and what the story says to it: Inform's checks in their order (`Standard Rules`),
// TextWorld's own rules (`world2inform7.py`) and those of its cooking games.
import { cook, drink, hasEverything, prepare, slice } from './cooking-deeds.js';
import { DeedContext, fixedKinds, type Situation } from './deed-context.js';
import type { Deed } from './grammar.js';
import { tryIdleDeed } from './idle-deeds.js';
import { contentsOf } from './printed-names.js';
import type { Story } from './story.js';
import { moveDoors } from './story-map.js';
import {
  ContainerKind,
  DirectionKind,
  DoorKind,
  FoodKind,
  player,
  type StoryObject,
  SupporterKind,
} from './story-object.js';
import { examineText, inventoryText, listed, roomText } from './surroundings.js';
import { Consumed, cuttings, Edible, Locked, NeedsCooking, Open, Visited } from './story-world.js';

const mostContents = 100;

/** Deeds whose nouns need not be within reach. */
const untouched: ReadonlySet<Deed> = new Set<Deed>(['examine', 'go', 'lookUnder']);
const secondUntouched: ReadonlySet<Deed> = new Set<Deed>(['show', 'throwAt', 'pushTo']);
const needsHeldNoun: ReadonlySet<Deed> = new Set<Deed>([
  'wear', 'give', 'show', 'throwAt', 'slice', 'dice', 'chop', 'cook', 'drinkHeld',
]); // prettier-ignore
const needsHeldSecond: ReadonlySet<Deed> = new Set<Deed>(['lock', 'unlock', 'slice', 'dice', 'chop']);

/** Tries a deed. Returns whether it was done. */
export function tryDeed(story: Story, situation: Situation, deed: Deed, noun: number, second: number): boolean {
  return new Attempt(story, situation).run(deed, noun, second);
}

class Attempt extends DeedContext {
  run(deed: Deed, noun: number, second: number): boolean {
    if (deed === 'go' && noun === 0) return this.refuse("You'll have to say which compass direction to go in.");
    if (deed === 'enter' && noun === 0) return this.refuse('You must supply a noun.');
    if (deed === 'remove' && second === 0) {
      const holder = this.world.parent(noun);
      if (!this.is(holder, ContainerKind | SupporterKind)) return this.run('take', noun, 0);
      second = holder;
    }
    const isDone = this.perform(deed, noun, second);
    if (isDone) this.situation.done(deed, noun, second);
    return isDone;
  }

  private perform(deed: Deed, noun: number, second: number): boolean {
    return this.passesRules(deed, noun, second) && this.isInReach(deed, noun, second) && this.act(deed, noun, second);
  }

  /** TextWorld's rules that come before all others. */
  private passesRules(deed: Deed, noun: number, second: number): boolean {
    const { story, world } = this;
    if (deed === 'go') {
      const door = this.is(noun, DirectionKind) ? this.exit(noun) : noun;
      if (this.is(door, DoorKind) && !world.has(door, Open)) {
        return this.refuse(`You have to open the ${this.name(door, 'none')} first.`);
      }
    } else if (deed === 'open' && this.is(noun, DoorKind | ContainerKind) && world.has(noun, Locked)) {
      const { key } = story.objects[noun] as StoryObject;
      const name = this.name(noun, 'none');
      return this.refuse(
        key === 0
          ? `The ${name} is welded shut.`
          : `You have to unlock the ${name} with the ${this.name(key, 'none')} first.`,
      );
    } else if (deed === 'slice' || deed === 'dice' || deed === 'chop') {
      if (this.is(noun, DirectionKind) || this.is(second, DirectionKind)) return true;
      if (!this.is(noun, FoodKind)) return this.refuse('Can only cut cuttable food.');
      if (world.cutting(noun) !== 0) {
        return this.refuse(`${this.name(noun, 'The')} is already ${cuttings[world.cutting(noun)]}.`);
      }
      if (!(story.objects[second] as StoryObject).sharp) return this.refuse('Cutting something requires a knife.');
    } else if (deed === 'prepare') return hasEverything(this);
    return true;
  }

  private isInReach(deed: Deed, noun: number, second: number): boolean {
    const isFar =
      (!untouched.has(deed) && this.is(noun, DirectionKind)) ||
      (!secondUntouched.has(deed) && this.is(second, DirectionKind));
    if (isFar) return this.refuse('You must name something more substantial.');
    if (needsHeldNoun.has(deed) && !this.isHeld(noun)) return this.refuseUnheld(noun);
    if (needsHeldSecond.has(deed) && !this.isHeld(second)) return this.refuseUnheld(second);
    return true;
  }

  private act(deed: Deed, noun: number, second: number): boolean {
    switch (deed) {
      case 'inventory':
        return this.tell(inventoryText(this.story, this.world));
      case 'look':
        this.world.set(this.world.parent(player), Visited, true);
        return this.tell(roomText(this.story, this.world, this.situation.brief === 'always'));
      case 'examine':
        return this.tell(examineText(this.story, this.world, noun));
      case 'take':
        return this.take(noun, 'take', noun, 0);
      case 'remove':
        return this.remove(noun, second);
      case 'drop':
        return this.drop(noun);
      case 'insert':
      case 'putOn':
        return this.put(deed, noun, second);
      case 'open':
        return this.open(noun);
      case 'close':
        return this.close(noun);
      case 'lock':
      case 'unlock':
        return this.lock(deed, noun, second);
      case 'go':
        return this.go(noun);
      case 'enter':
        return this.enter(noun);
      case 'eat':
        return this.eat(noun);
      case 'drinkHeld':
        return drink(this, noun);
      case 'cook':
        return cook(this, noun, second);
      case 'slice':
      case 'dice':
      case 'chop':
        return slice(this, deed, noun, second);
      case 'prepare':
        return prepare(this);
      default:
        return tryIdleDeed(this, deed, noun, second);
    }
  }

  private take(noun: number, deed: 'take' | 'remove', first: number, second: number): boolean {
    const { world, situation } = this;
    if (noun === player) return this.refuse('You are always self-possessed.');
    if (this.isHeld(noun)) return this.refuse('You already have that.');
    if (this.is(noun, fixedKinds)) return this.refuse("That's fixed in place.");
    if (contentsOf(world, player).length >= this.story.capacity) {
      return this.refuse("You're carrying too many things already.");
    }
    const holder = world.parent(noun);
    if (!this.isAllowed(deed, first, second)) return false;
    world.move(noun, player);
    if (holder === world.parent(player)) situation.say(`You pick up ${this.the(noun)} from the ground.`);
    else situation.say(`You take ${this.the(noun)} from ${this.the(holder)}.`);
    return true;
  }

  private remove(noun: number, second: number): boolean {
    const holder = this.world.parent(noun);
    if (holder !== second) {
      return this.refuse(noun === player ? "But you aren't there now." : "But it isn't there now.");
    }
    if (holder === player) return this.refuse(`You aren't wearing ${this.the(noun)}.`);
    return this.take(noun, 'remove', noun, second);
  }

  private drop(noun: number): boolean {
    const { world } = this;
    const room = world.parent(player);
    if (noun === player) return this.refuse('You lack the dexterity.');
    if (world.parent(noun) === room) return this.refuse(`${this.name(noun, 'The')} is already here.`);
    if (!this.isHeld(noun)) return this.refuse("You haven't got that.");
    if (!this.isAllowed('drop', noun, 0)) return false;
    world.move(noun, room);
    return this.tell(`You drop ${this.the(noun)} on the ground.`);
  }

  private put(deed: 'insert' | 'putOn', noun: number, second: number): boolean {
    const { world, situation } = this;
    if (!this.isHeld(noun)) return this.refuseUnheld(noun);
    const [place, preposition] = deed === 'putOn' ? ['on top of', 'on'] : ['inside', 'into'];
    if (noun === second) return this.refuse(`You can't put something ${place} itself.`);
    if (deed === 'putOn' && !this.is(second, SupporterKind)) {
      return this.refuse(`Putting things on ${this.the(second)} would achieve nothing.`);
    }
    if (deed === 'insert') {
      if (this.is(second, ContainerKind) && !world.has(second, Open)) {
        return this.refuse(`${this.name(second, 'The')} is closed.`);
      }
      if (!this.is(second, ContainerKind)) return this.refuse(`${those(second)} can't contain things.`);
    }
    if (contentsOf(world, second).length >= mostContents) {
      return this.refuse(`There is no more room ${deed === 'putOn' ? 'on' : 'in'} ${this.the(second)}.`);
    }
    if (!this.isAllowed(deed, noun, second)) return false;
    world.move(noun, second);
    if (situation.isOneOfMany) return this.tell('Done.');
    return this.tell(`You put ${this.the(noun)} ${preposition} ${this.the(second)}.`);
  }

  private open(noun: number): boolean {
    const { world } = this;
    if (!this.is(noun, DoorKind | ContainerKind)) return this.refuse(`${isNot(noun)} something you can open.`);
    if (world.has(noun, Open)) return this.refuse("That's already open.");
    if (!this.isAllowed('open', noun, 0)) return false;
    world.set(noun, Open, true);
    const opened = `You open ${this.the(noun)}`;
    if (!this.is(noun, ContainerKind) || world.child(noun) === 0) return this.tell(`${opened}.`);
    return this.tell(`${opened}, revealing ${listed(this.story, world, noun, 'a')}.`);
  }

  private close(noun: number): boolean {
    if (!this.is(noun, DoorKind | ContainerKind)) return this.refuse(`${isNot(noun)} something you can close.`);
    if (!this.world.has(noun, Open)) return this.refuse("That's already closed.");
    if (!this.isAllowed('close', noun, 0)) return false;
    this.world.set(noun, Open, false);
    return this.tell(`You close ${this.the(noun)}.`);
  }

  private lock(deed: 'lock' | 'unlock', noun: number, key: number): boolean {
    const { world } = this;
    const locks = deed === 'lock';
    if (!this.is(noun, DoorKind | ContainerKind)) {
      const seems = noun === player ? "You don't" : "That doesn't";
      return this.refuse(`${seems} seem to be something you can ${deed}.`);
    }
    if (world.has(noun, Locked) === locks) return this.refuse(`That's ${deed}ed at the moment.`);
    if (locks && world.has(noun, Open)) return this.refuse(`First you would have to close ${this.the(noun)}.`);
    if ((this.story.objects[noun] as StoryObject).key !== key) {
      return this.refuse(`${key === player ? "You don't" : "That doesn't"} seem to fit the lock.`);
    }
    if (!this.isAllowed(deed, noun, key)) return false;
    world.set(noun, Locked, locks);
    return this.tell(`You ${deed} ${this.the(noun)}.`);
  }

  private go(noun: number): boolean {
    const { story, world, situation } = this;
    const way = this.is(noun, DirectionKind) ? this.exit(noun) : noun;
    let room = way;
    if (this.is(way, DoorKind)) {
      const { sides } = story.objects[way] as StoryObject;
      room = (world.parent(player) === sides[0] ? sides[1] : sides[0]) ?? 0;
    }
    if (room === 0) return this.refuse("You can't go that way.");
    if (!this.isAllowed('go', noun, 0)) return false;
    world.move(player, room);
    moveDoors(world, story.objects, story.doors);
    const brief = situation.brief === 'always' || (situation.brief === 'again' && world.has(room, Visited));
    world.set(room, Visited, true);
    return this.tell(roomText(story, world, brief));
  }

  private enter(noun: number): boolean {
    if (this.is(noun, DoorKind)) return this.perform('go', noun, 0);
    const words = this.situation.command.split(/[\s.,]+/);
    const verb = words.includes('stand')
      ? 'stand on'
      : words.includes('sit')
        ? 'sit down on'
        : words.includes('lie')
          ? 'lie down on'
          : 'enter';
    return this.refuse(`${noun === player ? "You're" : "That's"} not something you can ${verb}.`);
  }

  private eat(noun: number): boolean {
    const { world, story } = this;
    if (story.cooks && this.is(noun, FoodKind) && !world.has(noun, Edible) && world.has(noun, NeedsCooking)) {
      return this.refuse(`You should cook ${this.the(noun)} first.`);
    }
    if (!world.has(noun, Edible)) {
      return this.refuse(`${noun === player ? "You're" : "That's"} plainly inedible.`);
    }
    if (!this.isHeld(noun)) return this.refuseUnheld(noun);
    if (!this.isAllowed('eat', noun, 0)) return false;
    world.move(noun, 0);
    if (story.cooks) world.set(noun, Consumed, true);
    return this.tell(`You eat ${this.the(noun)}. Not bad.`);
  }
}

function those(object: number): string {
  return object === player ? 'You' : 'That';
}

function isNot(object: number): string {
  return object === player ? "You aren't" : "It isn't";
}
