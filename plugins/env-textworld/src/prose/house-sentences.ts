import { SentenceGrammar, type Rules } from './sentence-grammar.js';

// Slots: <id> of the thing; its <name> alone, with article as <a>, <the> and, at the beginning of a sentence, <The>.
const rooms = {
  arrival: [
    [4, 'You are in <the>.'],
    [1, 'You are now in <the>.'],
    [1, 'This is <the>.'],
  ],
  container: ['There is {aState} <name> here.{inside}', 'You see {aState} <name>.{inside}'],
  aState: ['[if <id> is open]an open[else if <id> is locked]a locked[otherwise]a closed[end if]'],
  inside: [
    [
      3,
      '[if <id> is open and there is something in the <id>] In it you see [a list of things in the <id>].' +
        '[else if <id> is open] It is empty.[end if]',
    ],
    '[if <id> is open and there is something in the <id>] It contains [a list of things in the <id>].' +
      '[else if <id> is open] There is nothing in it.[end if]',
  ],
  supporter: ['There is <a> here.{top}', 'You see <a>.{top}'],
  top: [
    [
      3,
      '[if there is something on the <id>] On it you see [a list of things on the <id>].' +
        '[otherwise] There is nothing on it.[end if]',
    ],
    '[if there is something on the <id>] On <the> you see [a list of things on the <id>].' +
      '[otherwise] It is empty.[end if]',
  ],
  // What cannot be opened and holds nothing, such as a grill.
  furniture: ['There is <a> here.', 'You see <a>.'],
  doorway: [
    '[if <id> is open]An open[else if <id> is locked]A locked[otherwise]A closed[end if] <name> leads <direction>.',
    'There is {aState} <name> to the <direction>.',
  ],
  exit: ['You can go <directions>.', 'There is an exit to the <directions>.'],
  exits: ['You can go <directions>.', 'There are exits to the <directions>.'],
} satisfies Rules;

const things = {
  containerText: ['{looks} It is {state}.', '<The> is {state}.'],
  doorText: ['<The> is {state}.', '{looks} It is {state}.'],
  state: ['[if <id> is open]open[else if <id> is locked]locked[otherwise]closed[end if]'],
  supporterText: ['{looks}'],
  objectText: ['{looks}', 'There is nothing special about <the>.'],
  keyText: ['{looks}'],
  matchedKeyText: ['<The> fits <aLock> lock.'],
  foodText: ['<The> looks {fresh}.', '<The> smells {fresh}.'],
  looks: ['<The> looks {quality}.'],
  quality: ['strong', 'simple', 'useful', 'nice', 'ordinary', 'well made'],
  fresh: ['good', 'nice', 'delicious'],
} satisfies Rules;

// Slots: the names, with article, of what the command names, as <first> and <second>.
const instructions = {
  go: [
    [2, 'go <first>'],
    [1, 'walk <first>'],
    [1, 'head <first>'],
  ],
  open: [[2, 'open <first>'], 'pull <first> open'],
  close: ['close <first>', 'shut <first>'],
  unlock: ['unlock <first> with <second>', 'use <second> to unlock <first>'],
  lock: ['lock <first> with <second>', 'use <second> to lock <first>'],
  take: ['take <first> from the floor', 'pick up <first>'],
  takeFrom: [[2, 'take <first> from <second>'], 'get <first> from <second>', 'take <first> out of <second>'],
  takeOff: [[2, 'take <first> from <second>'], 'get <first> from <second>', 'pick up <first> from <second>'],
  drop: ['drop <first>', 'leave <first> on the floor'],
  insert: ['put <first> into <second>', 'place <first> in <second>'],
  put: ['put <first> on <second>', 'place <first> on <second>'],
  eat: ['eat <first>'],
  examine: ['look at <first>'],
  look: ['look around'],
  inventory: ['see what you hold'],

  // What may follow in the same sentence; "it" is what the first half is about.
  andOpen: [' and open it'],
  andTake: [' and take <first> from it', ' and get <first> out of it'],
  andEat: [' and eat it'],
  andInsert: [' and put it into <second>'],
  andPut: [' and put it on <second>'],
  andDrop: [' and drop it'],
  andGo: [' and go <first>'],
  thenGo: [' and then <first>'],
} satisfies Rules;

// Slots: the instructions, as <text>.
const objectives = {
  task: ['Here is your task. {first}', 'This is what you have to do. {first}', '{first}'],
  first: [[3, 'First, <text>.'], 'To begin, <text>.'],
  next: [[4, ' Then <text>.'], ' Next, <text>.', ' After that, <text>.', ' Now <text>.'],
  last: [[2, ' Finally, <text>.'], ' Then <text>.', ' After that, <text>.'],
  only: ['Your task is to <text>.', 'Here is your task: <text>.', 'All you have to do is to <text>.'],
} satisfies Rules;

const sentences = { ...rooms, ...things, ...instructions, ...objectives };
export type Sentence = keyof typeof sentences;

/** Symbols that are expanded from outside; all others are parts of these. */
export const entryPoints = [
  ...['arrival', 'container', 'supporter', 'furniture', 'doorway', 'exit', 'exits'],
  ...['containerText', 'doorText', 'supporterText', 'objectText', 'keyText', 'matchedKeyText', 'foodText'],
  ...Object.keys(instructions),
  ...['task', 'next', 'last', 'only'],
] as readonly Sentence[];

export const sentenceRules: Rules<Sentence> = sentences;
/** All sentences of generated games. */
export const houseSentences = new SentenceGrammar<Sentence>(sentences);
