/** A text, and when it is used; without a condition, always. */
type Rule = string | { readonly condition: string; readonly rhs: string };

const thingList = (query: string) => `[{o.indefinite + ' ' + o.name | ${query}}]`;
const isAt = 'atlocation(a:agent, l:location) & receptacleatlocation(r:receptacle, l:location)';
const isLoose = `atlocation(a:agent, l:location) & objectatlocation(o:object, l:location) & receptacleatlocation(r:receptacle, l:location) & not_inreceptacle(o:object, r:receptacle)`;

/** How a thing is told to be, by its facts; the first that fits counts. */
const conditions: readonly (readonly [facts: string, words: string])[] = [
  ['clean hot sliced', 'hot and clean sliced'],
  ['clean cool sliced', 'cool and clean sliced'],
  ['clean sliced', 'clean sliced'],
  ['hot sliced', 'hot sliced'],
  ['cool sliced', 'cold sliced'],
  ['clean hot', 'hot and clean'],
  ['clean cool', 'cool and clean'],
  ['hot', 'hot'],
  ['clean', 'clean'],
  ['cool', 'cold'],
];

const commands: readonly (readonly [command: string, meaning: string])[] = [
  ['look', 'tells where you are'],
  ['inventory', 'tells what you hold'],
  ['go to (receptacle)', 'walks there'],
  ['open (receptacle)', 'opens it, if it has a door or a lid'],
  ['close (receptacle)', 'closes it'],
  ['take (object) from (receptacle)', 'takes the object into your empty hand'],
  ['move (object) to (receptacle)', 'puts what you hold there'],
  ['examine (something)', 'tells more about a receptacle or an object'],
  ['use (object)', 'switches a lamp'],
  ['heat (object) with (receptacle)', 'heats what you hold'],
  ['clean (object) with (receptacle)', 'cleans what you hold'],
  ['cool (object) with (receptacle)', 'cools what you hold'],
  ['slice (object) with (object)', 'slices an object with the knife you hold'],
];

const width = Math.max(...commands.map(([command]) => command.length)) + 2;
const help = commands.map(([command, meaning]) => `  ${`${command}:`.padEnd(width)} ${meaning}\n`).join('');

const texts: { readonly [symbol: string]: readonly Rule[] } = {
  intro: ['-= Welcome to TextWorld, ALFRED! =-\n\n#look.feedback#\n\n#task#'],
  'GotoLocation.feedback': ['You arrive at {r.name}. #examineReceptacle.feedback#'],
  'OpenObject.feedback': ['You open the {r.name}. #examineReceptacle.feedback#'],
  'CloseObject.feedback': ['You close the {r.name}.'],
  'PickupObject.feedback': ['You pick up the {o.name} from the {r.name}.'],
  'PutObject.feedback': ['You move the {o.name} to the {r.name}.'],
  'CleanObject.feedback': ['You clean the {o.name} using the {r.name}.'],
  'HeatObject.feedback': ['You heat the {o.name} using the {r.name}.'],
  'CoolObject.feedback': ['You cool the {o.name} using the {r.name}.'],
  'SliceObject.feedback': ['You sliced the {co.name} with the {ko.name}.'],
  'ToggleObject.feedback': [
    { condition: 'istoggled(o:object)', rhs: 'You turn on the {o.name}.' },
    'You turn off the {o.name}.',
  ],
  'inventory.feedback': [
    { condition: 'holdsany(a:agent)', rhs: `You are carrying: ${thingList('holds(a:agent, o:object)')}.` },
    'You are not carrying anything.',
  ],
  'examineReceptacle.feedback': [
    {
      condition: 'openable(r:receptacle) & opened(r:receptacle)',
      rhs: `The {r.name} is open. In it, you see ${thingList('inreceptacle(o:object, r:receptacle)')}.`,
    },
    { condition: 'openable(r:receptacle)', rhs: 'The {r.name} is closed.' },
    `On the {r.name}, you see ${thingList('inreceptacle(o:object, r:receptacle)')}.`,
  ],
  'examineObject.feedback': [
    {
      condition: 'isreceptacleobject(o:object)',
      rhs: `This is a normal {o.name}. In it, you see [{p.indefinite + ' ' + p.name | inreceptacleobject(p:object, o:object)}].`,
    },
    ...conditions.map(([facts, words]) => ({
      condition: facts
        .split(' ')
        .map((fact) => `is${fact}(o:object)`)
        .join(' & '),
      rhs: `This is a ${words} {o.name}.`,
    })),
    { condition: 'toggleable(o:object) & istoggled(o:object)', rhs: 'This {o.name} is on.' },
    { condition: 'sliceable(o:object) & issliced(o:object)', rhs: 'This is a sliced {o.name}.' },
    "There's nothing special about {o.name}.",
  ],
  'look.feedback': [
    { condition: isAt, rhs: `You are facing the [{r.name | ${isAt}}]. Next to it, you see #loose#.` },
    `You are in the middle of a room. Looking quickly around you, you see [{#named(r)# | receptacleatlocation(r:receptacle, l:location)}].`,
  ],
  loose: [{ condition: isLoose, rhs: thingList(isLoose) }, '#list_empty#'],
  'named(r)': ['{r.indefinite} {r.name}'],
  'help.feedback': [`Commands:\n${help}`],
  list_empty: ['nothing'],
  list_separator: [', '],
  list_last_separator: [', and '],
};

/** How each action is written as a command. */
const templates: { readonly [action: string]: string } = {
  GotoLocation: 'go to [{r.name | receptacleatlocation(r:receptacle, lend:location)}]',
  OpenObject: 'open {r}',
  CloseObject: 'close {r}',
  PickupObject: 'take {o} from {r}',
  PutObject: 'move {o} to {r}',
  CleanObject: 'clean {o} with {r}',
  HeatObject: 'heat {o} with {r}',
  CoolObject: 'cool {o} with {r}',
  ToggleObject: 'use {o}',
  SliceObject: 'slice {co} with {ko}',
  examineReceptacle: 'examine {r}',
  examineObject: 'examine {o}',
  look: 'look',
  inventory: 'inventory',
  help: 'help',
};

/** `Your task is to: put a mug in desk.` */
export function taskSentence(task: string): string {
  return `Your task is to: ${task}.`;
}

/**
 * The texts of a household with a task, in TextWorld's format `.twl2`. The answers have the words that ALFWorld's agents
 * are trained with; the file, its rules and the help text were written for this package.
 */
export function houseGrammar(task: string): string {
  const all = { ...texts, task: [taskSentence(task)] };
  const block = Object.fromEntries(
    Object.entries(all).map(([symbol, rules]) => [
      symbol,
      rules.map((rule: Rule) => (typeof rule === 'string' ? { rhs: rule } : rule)),
    ]),
  );
  const actions = Object.entries(templates).map(
    ([name, template]) => `action ${name} {\n  template :: "${template}";\n  feedback :: "#${name}.feedback#";\n}\n`,
  );
  return `grammar :: """\n${JSON.stringify(block, undefined, 1)}\n""";\n\n${actions.join('\n')}`;
}
