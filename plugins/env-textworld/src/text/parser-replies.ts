// What the parser says about commands that it does not understand (Inform's Standard Rules, `PARSER_ERROR_INTERNAL_R`).
import type { Misunderstanding } from './order.js';
import { nameWithArticle, numberInWords } from './printed-names.js';
import type { Refusal } from './refusal.js';
import { isSeeThrough } from './scope.js';
import type { Story } from './story.js';
import { ContainerKind, PlayerKind, type StoryObject, SupporterKind } from './story-object.js';
import type { StoryWorld } from './story-world.js';

/** In the order of the original: of the errors of several lines of the grammar, the highest is told. */
export const ParserError = {
  Stuck: 1,
  Upto: 2,
  Animate: 4,
  CannotSee: 5,
  Multi: 8,
  Vague: 10,
  Verb: 12,
  ItGone: 14,
  TooFew: 16,
  Nothing: 17,
  NotInContext: 19,
  Blank: 20,
  AgainAddressed: 21,
  BeginsWithComma: 22,
  MissingPerson: 23,
  CannotListen: 24,
  ToTalk: 25,
} as const;

export type ParserError = (typeof ParserError)[keyof typeof ParserError];

const texts = {
  [ParserError.Stuck]: "I didn't understand that sentence.",
  [ParserError.Animate]: 'You can only do that to something animate.',
  [ParserError.CannotSee]: "You can't see any such thing.",
  [ParserError.Multi]: "You can't use multiple objects with that verb.",
  [ParserError.Verb]: "That's not a verb I recognise.",
  [ParserError.NotInContext]: 'That noun did not make sense in this context.',
  [ParserError.Blank]: 'I beg your pardon?',
  [ParserError.AgainAddressed]: 'To repeat a command like "frog, jump", just say "again", not "frog, again".',
  [ParserError.BeginsWithComma]: "You can't begin with a comma.",
  [ParserError.MissingPerson]: "You seem to want to talk to someone, but I can't see whom.",
  [ParserError.ToTalk]: 'To talk to someone, try "someone, hello" or some such.',
} as const;

/** What errors are about. */
export interface ErrorDetails {
  /** The part of the command that was understood. */
  readonly soFar: string;
  readonly pronoun: string;
  /** What the pronoun means; 0: nothing. */
  readonly pronounObject: number;
  /** What was talked to. */
  readonly person: number;
  /** What things should have been taken from; 0: nothing. */
  readonly holder: number;
  /** How many things there were. */
  readonly had: number;
}

export function errorReply(
  story: Story,
  world: StoryWorld,
  error: ParserError,
  details: ErrorDetails,
): Misunderstanding {
  const name = (object: number, article: 'the' | 'The'): string =>
    nameWithArticle(story, world, object, article, false);
  const reply = (text: string, refusal: Refusal = 'not understood'): Misunderstanding => ({
    kind: 'error',
    text,
    refusal,
  });
  const { pronoun, pronounObject, holder, had } = details;
  switch (error) {
    case ParserError.Upto:
      return reply(`I only understood you as far as wanting to ${details.soFar}.`);
    case ParserError.Vague:
      return reply(`I'm not sure what '${pronoun}' refers to.`, 'not visible');
    case ParserError.ItGone: {
      if (pronounObject === 0) return reply(`I'm not sure what '${pronoun}' refers to.`, 'not visible');
      // The compiled story looks at the wrong variable, which is empty.
      const gone = story.corrections.namesWhatIsGone ? name(pronounObject, 'the') : 'nothing';
      return reply(`You can't see '${pronoun}' (${gone}) at the moment.`, 'not visible');
    }
    case ParserError.CannotListen:
      return reply(`You can't talk to ${name(details.person, 'the')}.`);
    case ParserError.TooFew: {
      const number = had === 0 ? 'None' : `Only ${numberInWords(had)}`;
      return reply(`${number} of those ${had > 1 ? 'are' : 'is'} available.`);
    }
    case ParserError.Nothing: {
      const text = holder === 0 ? undefined : nothingIn(story, world, holder, name(holder, 'The'));
      return reply(text ?? 'There are none at all available!', 'not possible');
    }
    case ParserError.Verb:
      return reply(texts[error], 'not a verb');
    case ParserError.CannotSee:
      return reply(texts[error], 'not visible');
    case ParserError.Blank:
      return reply(texts[error], 'empty');
    default:
      return reply(texts[error]);
  }
}

/** Why nothing can be taken from something; undefined if it has no reason by itself. */
function nothingIn(story: Story, world: StoryWorld, holder: number, name: string): string | undefined {
  const { kinds } = story.objects[holder] as StoryObject;
  if ((kinds & PlayerKind) !== 0) return 'You seem to belong to yourself.';
  if ((kinds & (ContainerKind | SupporterKind)) === 0) return "That can't contain things.";
  if (!isSeeThrough(story.objects, world, holder)) return `${name} isn't open.`;
  return world.child(holder) === 0 ? `${name} is empty.` : undefined;
}

export function questionWhich(names: readonly string[]): string {
  return `Which do you mean, ${names.slice(0, -1).join(', ')} or ${names.at(-1)}?`;
}

export function questionWhat(command: string, person: boolean): string {
  return `${person ? 'Whom' : 'What'} do you want to ${command}?`;
}
