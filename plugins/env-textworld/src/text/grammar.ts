// The verbs of a compiled story and what may follow them: Inform's Standard Rules, TextWorld's additions, and those of
// its cooking games (`generator/inform7/world2inform7.py`, `challenges/tw_cooking/textworld_data/logic/`).
import { PrepositionWord, VerbWord, Vocabulary } from './vocabulary.js';

/** What a command can ask for. */
export type Deed =
  | 'answer' | 'ask' | 'askFor' | 'attack' | 'burn' | 'buy' | 'chop' | 'climb' | 'close' | 'consult' | 'cook' | 'cut'
  | 'dice' | 'drink' | 'drinkHeld' | 'drop' | 'eat' | 'enter' | 'examine' | 'exit' | 'getOff' | 'give' | 'go' | 'help'
  | 'insert' | 'inventory' | 'jump' | 'kiss' | 'listen' | 'lock' | 'look' | 'lookUnder' | 'modeBrief' | 'modeLong'
  | 'modeShort' | 'no' | 'notifyOff' | 'notifyOn' | 'objective' | 'open' | 'prepare' | 'pronouns' | 'pull' | 'push'
  | 'pushTo' | 'putOn' | 'remove' | 'rub' | 'score' | 'search' | 'setTo' | 'show' | 'sleep' | 'slice' | 'smell'
  | 'sorry' | 'squeeze' | 'swing' | 'switchOff' | 'switchOn' | 'take' | 'takeAll' | 'takeOff' | 'taste' | 'tell'
  | 'think' | 'throwAt' | 'tie' | 'touch' | 'turn' | 'unavailable' | 'unlock' | 'wait' | 'wake' | 'wakeOther' | 'wave'
  | 'waveHands' | 'wear' | 'yes'; // prettier-ignore

/** A place in a line for a name. `multi` takes several things, `held` prefers what the player holds. */
export type Slot =
  | 'noun' | 'held' | 'multi' | 'multiheld' | 'multiexcept' | 'multiinside' | 'creature' | 'topic' | 'direction'
  | 'switched'; // prettier-ignore

/** A slot, or words of which one must stand there. */
export type Token =
  | { readonly slot: Slot; readonly words?: undefined }
  | { readonly slot?: undefined; readonly words: readonly number[] };

export interface Line {
  readonly tokens: readonly Token[];
  readonly deed: Deed;
  /** The first name is the second noun. */
  readonly reversed: boolean;
  readonly slots: number;
}

export interface Grammar {
  readonly vocabulary: Vocabulary;
  /** Lines by number of the verb, in the order in which they are tried. */
  readonly lines: ReadonlyMap<number, readonly Line[]>;
}

/** Verbs; then lines. A line: slots in brackets, words with `/` between those of which one must stand, the deed. */
const standardVerbs = `
take carry hold: inventory > inventory; all > takeAll; each > takeAll; everything > takeAll; [noun] > remove;
  [multi] > take; off [noun] > takeOff; [noun] off > takeOff; [multiinside] from [noun] > remove;
  [multiinside] off [noun] > remove
get: out/off/down/up > exit; in/on > enter; all > takeAll; each > takeAll; everything > takeAll; [multi] > take;
  in/into/on/onto [noun] > enter; off/down [noun] > getOff; [multiinside] from [noun] > remove
pick: up all > takeAll; up each > takeAll; up everything > takeAll; up [multi] > take; [multi] up > take
stand: > exit; up > exit; on [noun] > enter
remove: [held] > takeOff; [multiinside] from [noun] > remove
shed doff disrobe: [held] > takeOff
wear don: [held] > wear
put: on [held] > wear; [held] on > wear; down [multiheld] > drop; [multiheld] down > drop;
  [multiexcept] in/inside/into [noun] > insert; [multiexcept] on/onto [noun] > putOn
insert: [multiexcept] in/into [noun] > insert
drop throw discard: [multiheld] > drop; [held] at/against [noun] > throwAt;
  [multiexcept] in/into/down [noun] > insert; [multiexcept] on/onto [noun] > putOn
give pay offer feed: [creature] [held] > give reversed; [held] to [creature] > give
show present display: [creature] [held] > show reversed; [held] to [creature] > show
go walk run: > go; [direction] > go; [noun] > enter; into/in/inside/through [noun] > enter
inventory i inv: > inventory
look l: > look; [noun] > examine; at [noun] > examine; inside/in/into/through [noun] > search;
  under [noun] > lookUnder; up [topic] in [noun] > consult reversed
consult: [noun] on/about [topic] > consult
open unwrap uncover: [noun] > open; [noun] with [held] > unlock
close shut cover: [noun] > close; up [noun] > close; off [noun] > switchOff
enter cross: > enter; [noun] > enter
sit: on/in/inside [noun] > enter; on top of [noun] > enter
exit leave out: > exit
examine x watch describe check: [noun] > examine
read: [noun] > examine; about [topic] in [noun] > consult reversed; [topic] in [noun] > consult reversed
yes y: > yes
no: > no
sorry: > sorry
search: [noun] > search
wave: > waveHands; [noun] > wave
set adjust: [noun] to [topic] > setTo
pull drag: [noun] > pull
push move shift clear press: [noun] > push; [noun] [direction] > pushTo; [noun] to [direction] > pushTo
turn rotate twist unscrew screw: [noun] > turn; [noun] on > switchOn; on [noun] > switchOn; [noun] off > switchOff;
  off [noun] > switchOff
switch: [switched] > switchOff; [noun] > switchOn; on [noun] > switchOn; [noun] on > switchOn; [noun] off > switchOff;
  off [noun] > switchOff
lock: [noun] with [held] > lock
unlock: [noun] with [held] > unlock
attack break smash hit fight torture wreck crack destroy murder kill punch thump: [noun] > attack
wait z: > wait
answer say shout speak: [topic] to [creature] > answer reversed
tell: [creature] about [topic] > tell
ask: [creature] for [noun] > askFor; [creature] about [topic] > ask
eat: [held] > eat
sleep nap: > sleep
climb scale: [noun] > climb; up/over [noun] > climb
buy purchase: [noun] > buy
squeeze squash: [noun] > squeeze
swing: [noun] > swing; on [noun] > swing
wake awake awaken: > wake; up > wake; [creature] > wakeOther; [creature] up > wakeOther; up [creature] > wakeOther
kiss embrace hug: [creature] > kiss
think: > think
smell sniff: > smell; [noun] > smell
listen: > listen; to [noun] > listen
hear: [noun] > listen
taste: [noun] > taste
touch feel: [noun] > touch
rub shine polish sweep clean dust wipe scrub: [noun] > rub
tie attach fasten: [noun] to [noun] > tie
burn light: [noun] > burn
jump skip hop: > jump
score: > score
quit q save restart restore verify version: > unavailable
script transcript: > unavailable; on > unavailable; off > unavailable
superbrief short: > modeShort
verbose long: > modeLong
brief normal: > modeBrief
nouns pronouns: > pronouns
notify: > notifyOn; on > notifyOn; off > notifyOff
goal: > objective
help: > help`;

const plainVerbs = `
drink swallow sip: [noun] > drink
cut slice prune chop: [noun] > cut`;

const cookingVerbs = `
drink swallow sip: [noun] > drinkHeld
cut: [noun] > cut
prepare: meal > prepare
slice: [noun] with/using [noun] > slice
dice: [noun] with/using [noun] > dice
chop: [noun] with/using [noun] > chop
cook: [noun] with/in/on/using [noun] > cook`;

/** Words that mean something wherever they stand. */
export const specialWords = {
  again: ['again', 'g'],
  oops: ['oops', 'o'],
  undo: ['undo'],
  all: ['all', 'each', 'every', 'everything', 'both'],
  and: ['and'],
  but: ['but', 'except'],
  me: ['me', 'myself', 'self'],
  of: ['of'],
  other: ['another', 'other'],
  then: ['then', '.'],
  comma: [','],
} as const;

export const pronounWords = ['it', 'him', 'her', 'them'] as const;

/** Numbers that may stand before a name, from one to thirty. */
export const numberWords =
  `one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
  nineteen twenty twenty-one twenty-two twenty-three twenty-four twenty-five twenty-six twenty-seven twenty-eight
  twenty-nine thirty`.split(/\s+/);

/**
 * Words before a name: whose thing it is, an article, or its light. `plural`: things are meant; `one`: one thing, `any`:
 * either.
 */
export const descriptors: readonly {
  readonly word: string;
  readonly count: 'one' | 'plural' | 'any';
  readonly kind: 'mine' | 'here' | 'owner' | 'definite' | 'indefinite' | 'lit' | 'unlit';
  /** The pronoun of the owner. */
  readonly owner?: (typeof pronounWords)[number];
}[] = [
  { word: 'my', count: 'any', kind: 'mine' },
  { word: 'this', count: 'any', kind: 'mine' },
  { word: 'these', count: 'plural', kind: 'mine' },
  { word: 'that', count: 'any', kind: 'here' },
  { word: 'those', count: 'plural', kind: 'here' },
  { word: 'his', count: 'any', kind: 'owner', owner: 'him' },
  { word: 'her', count: 'any', kind: 'owner', owner: 'her' },
  { word: 'their', count: 'any', kind: 'owner', owner: 'them' },
  { word: 'its', count: 'any', kind: 'owner', owner: 'it' },
  { word: 'the', count: 'any', kind: 'definite' },
  { word: 'a', count: 'one', kind: 'indefinite' },
  { word: 'an', count: 'one', kind: 'indefinite' },
  { word: 'some', count: 'plural', kind: 'indefinite' },
  { word: 'lit', count: 'any', kind: 'lit' },
  { word: 'lighted', count: 'any', kind: 'lit' },
  { word: 'unlit', count: 'any', kind: 'unlit' },
];

/** Directions in the order of Inform, with the words for them. */
export const directions = [
  ['north', 'n'],
  ['northeast', 'ne'],
  ['northwest', 'nw'],
  ['south', 's'],
  ['southeast', 'se'],
  ['southwest', 'sw'],
  ['east', 'e'],
  ['west', 'w'],
  ['up', 'u'],
  ['down', 'd'],
  ['inside', 'in'],
  ['outside', 'out'],
] as const;

/** What all directions together are called. */
export const everyDirection = 'directions';

function makeGrammar(text: string): Grammar {
  const vocabulary = new Vocabulary();
  const lines = new Map<number, Line[]>();
  for (const words of Object.values(specialWords)) for (const word of words) vocabulary.add(word);
  for (const word of [...pronounWords, ...numberWords, ...descriptors.map((each) => each.word)]) vocabulary.add(word);
  for (const word of directions.flat()) vocabulary.add(word);
  vocabulary.add(everyDirection);
  for (const entry of text.trim().split(/\n(?! )/)) {
    const [verbs = '', rest = ''] = entry.split(':');
    const parsed = rest.split(';').map((line) => parseLine(line, vocabulary));
    for (const verb of verbs.split(' ')) lines.set(vocabulary.add(verb, VerbWord), parsed);
  }
  return { vocabulary, lines };
}

function parseLine(text: string, vocabulary: Vocabulary): Line {
  const [pattern = '', result = ''] = text.split('>').map((part) => part.trim());
  const [deed, reversed] = result.split(' ');
  const tokens = pattern
    .split(/\s+/)
    .filter((token) => token !== '')
    .map((token): Token => {
      if (token.startsWith('[')) return { slot: token.slice(1, -1) as Slot };
      return { words: token.split('/').map((word) => vocabulary.add(word, PrepositionWord)) };
    });
  return {
    tokens,
    deed: deed as Deed,
    reversed: reversed !== undefined,
    slots: tokens.filter((token) => token.slot !== undefined).length,
  };
}

export const standardGrammar = makeGrammar(standardVerbs + plainVerbs);
export const cookingGrammar = makeGrammar(standardVerbs + cookingVerbs);
