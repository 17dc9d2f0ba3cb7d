import { type DeedContext, fixedKinds } from './deed-context.js';
import type { Deed } from './grammar.js';
import { ContainerKind, player, SupporterKind } from './story-object.js';
import { contents, examineText, inventoryText } from './surroundings.js';
import { Open } from './story-world.js';

/** Deeds that only say something, which is the same for all things. */
const plainReplies: Readonly<Partial<Record<Deed, string>>> = {
  answer: 'There is no reply.',
  ask: 'There is no reply.',
  attack: "Violence isn't the answer to this one.",
  burn: 'This dangerous act would achieve little.',
  buy: 'Nothing is on sale.',
  climb: 'Little is to be achieved by that.',
  drink: "There's nothing suitable to drink here.",
  exit: "But you aren't in anything at the moment.",
  jump: 'You jump on the spot.',
  kiss: "You don't get much from that.",
  listen: 'You hear nothing unexpected.',
  lookUnder: 'You find nothing of interest.',
  no: 'That was a rhetorical question.',
  sleep: "You aren't feeling especially drowsy.",
  smell: 'You smell nothing unexpected.',
  sorry: "Oh, don't apologise.",
  swing: "There's nothing sensible to swing here.",
  takeAll: 'You have to be more specific!',
  taste: 'You taste nothing unexpected.',
  tell: 'You talk to yourself a while.',
  think: 'What a good idea.',
  tie: 'You would achieve nothing by this.',
  wait: 'Time passes.',
  wake: 'The dreadful truth is, this is not a dream.',
  wakeOther: 'That seems unnecessary.',
  waveHands: 'You wave.',
  yes: 'That was a rhetorical question.',
};
/** Those of them that the story does not refuse. */
const doneReplies: ReadonlySet<Deed> = new Set<Deed>(['listen', 'smell', 'taste', 'wait', 'waveHands', 'jump']);

/** Deeds that change nothing. */
export function tryIdleDeed(context: DeedContext, deed: Deed, noun: number, second: number): boolean {
  const isSelf = noun === player;
  switch (deed) {
    case 'askFor':
      return context.tell(inventoryText(context.story, context.world));
    case 'consult':
      return context.tell(`You discover nothing of interest in ${context.the(noun)}.`);
    case 'cut':
      if (!context.story.cooks) return context.refuse(`Cutting ${isSelf ? 'you' : 'it'} up would achieve little.`);
      return context.refuse(
        `You need to specify how you want to cut ${context.the(noun)}. Either slice, dice, or chop it.`,
      );
    case 'getOff':
      return context.refuse(`But you aren't on ${context.the(noun)} at the moment.`);
    case 'give':
      return context.refuse(`You can't give ${context.the(noun)} to yourself.`);
    case 'show':
      return second === player
        ? context.tell(examineText(context.story, context.world, noun))
        : context.refuse('You are unimpressed.');
    case 'throwAt':
      return context.refuse(second === player ? 'You lack the nerve when it comes to the crucial moment.' : 'Futile.');
    case 'takeOff':
      return context.refuse(`You aren't wearing ${context.the(noun)}.`);
    case 'wear':
      return context.refuse("You can't wear that!");
    case 'touch':
      return context.tell(isSelf ? 'You achieve nothing by this.' : 'You feel nothing unexpected.');
    case 'wave':
      if (!context.isHeld(noun)) return context.refuse(`But you aren't holding ${isSelf ? 'you' : 'that'}.`);
      return context.tell(`You wave ${context.the(noun)}.`);
    case 'rub':
      return context.tell(`You rub ${context.the(noun)}.`);
    case 'squeeze':
      return isSelf ? context.refuse('You might not like that.') : context.tell('You achieve nothing by this.');
    case 'pull':
    case 'push':
    case 'turn':
      if (context.is(noun, fixedKinds)) return context.refuse('It is fixed in place.');
      return isSelf ? context.refuse('You might not like that.') : context.tell('Nothing obvious happens.');
    case 'pushTo':
      return context.refuse(`${isSelf ? 'You' : context.name(noun, 'The')} cannot be pushed from place to place.`);
    case 'search':
      return search(context, noun);
    case 'setTo':
      return context.refuse(`No, you can't set ${isSelf ? 'you' : 'that'} to anything.`);
    case 'switchOff':
    case 'switchOn':
      return context.refuse(`${isNot(noun)} something you can switch.`);
    default:
      context.situation.say(plainReplies[deed] ?? 'Nothing happens.');
      return doneReplies.has(deed);
  }
}

function search(context: DeedContext, noun: number): boolean {
  const { world } = context;
  if (!context.is(noun, ContainerKind | SupporterKind)) return context.refuse('You find nothing of interest.');
  if (context.is(noun, ContainerKind)) {
    if (!world.has(noun, Open)) return context.refuse(`You can't see inside, since ${context.the(noun)} is closed.`);
    if (world.child(noun) === 0) return context.tell(`${context.name(noun, 'The')} is empty.`);
    return context.tell(contents(context.story, world, noun, 'In', false));
  }
  if (world.child(noun) === 0) return context.tell(`There is nothing on ${context.the(noun)}.`);
  return context.tell(contents(context.story, world, noun, 'On', false));
}

function isNot(object: number): string {
  return object === player ? "You aren't" : "It isn't";
}
