// Plays the commands of a recording in the built plugin and compares each step.
import { readGame } from '../../../plugins/env-textworld/dist/game/read-game.js';
import { Session } from '../../../plugins/env-textworld/dist/text/session.js';

const longestShown = 300;
/** Answers of the parser that ask back or understand a part only. */
const parserAnswers = /Which do you mean|What do you want|I only understood|I didn't understand/;
/** Words of commands that are no names. */
const plainWords = new Set(
  (
    'a about an at chop close cook cut dance dice discard door down drink drop east eat enter examine floor from get ' +
    'go goal help i in insert into inventory it l lock look me meal north on open pick prepare put score slice south ' +
    's take the to unlock up verbose wait west with xyzzy e n w x z'
  ).split(' '),
);

/** The text without prompt, status line and banner, with runs of white space as one space. */
function fold(feedback) {
  let text = feedback.replace(/\s*\n> *\s*(-= .* =-.*)?$/s, '');
  const banner = text.lastIndexOf('$$$$$$$ \n');
  if (banner !== -1) text = text.slice(banner + '$$$$$$$ \n'.length);
  return text.replace(/\s+/g, ' ').trim();
}

/** The class of a step with any command. */
function classOf(command, feedback, admissible, names) {
  if (admissible.includes(command)) return { kind: 'free: admissible', mustBeEqual: true };
  if (parserAnswers.test(feedback)) return { kind: 'free: the parser asks or understands half', mustBeEqual: false };
  const text = command.toLowerCase();
  if (/[.,]|\bthen\b/.test(text)) return { kind: 'free: several commands', mustBeEqual: false };
  const words = text.split(/\s+/);
  if (words.some((word) => ['all', 'everything', 'each', 'every', 'both'].includes(word))) {
    return { kind: 'free: all', mustBeEqual: false };
  }
  if (words.some((word) => ['it', 'them', 'him', 'her'].includes(word))) {
    return { kind: 'free: pronoun', mustBeEqual: false };
  }
  let rest = ` ${text} `;
  for (const name of names) rest = rest.replaceAll(` ${name} `, ' ');
  const isWhole = rest.split(' ').every((word) => word === '' || plainWords.has(word));
  return isWhole
    ? { kind: 'free: refused, whole names', mustBeEqual: true }
    : { kind: 'free: part of a name', mustBeEqual: false };
}

function shorten(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longestShown ? `${text.slice(0, longestShown)}...` : text;
}

/** Where two texts differ, with a little before it. */
function shownFrom(theirs, ours) {
  let place = 0;
  while (place < theirs.length && theirs[place] === ours[place]) place += 1;
  const start = Math.max(0, place - 60);
  const cut = (text) => shorten((start > 0 ? '...' : '') + text.slice(start));
  return { theirs: cut(theirs), ours: cut(ours) };
}

function differencesOf(step, reply) {
  const fields = {
    feedback: fold(reply.text),
    description: fold(reply.description),
    inventory: fold(reply.inventory),
    score: reply.score,
    moves: reply.moves,
    done: reply.done,
    won: reply.won,
    lost: reply.lost,
    reward: reply.reward,
    admissible: reply.admissible,
  };
  return Object.entries(fields).flatMap(([field, ours]) => {
    if (step[field] === undefined) return [];
    const isText = field === 'feedback' || field === 'description' || field === 'inventory';
    const theirs = isText ? fold(step[field]) : step[field];
    if (JSON.stringify(theirs) === JSON.stringify(ours)) return [];
    if (isText) return [{ field, ...shownFrom(theirs, ours) }];
    if (field !== 'admissible') return [{ field, theirs: shorten(theirs), ours: shorten(ours) }];
    const onlyTheirs = theirs.filter((command) => !ours.includes(command));
    const onlyOurs = ours.filter((command) => !theirs.includes(command));
    return [{ field, theirs: `also ${shorten(onlyTheirs)}`, ours: `also ${shorten(onlyOurs)}` }];
  });
}

/** Every step of a recorded game: where it is, its class, and what differs. */
export function compareGame({ play }, json) {
  const game = readGame(json);
  const names = [...game.infos.values()]
    .flatMap(({ name, synonyms }) => [name, ...(synonyms ?? [])])
    .filter((name) => name)
    .map((name) => name.toLowerCase())
    .sort((one, other) => other.length - one.length);
  const results = [];
  for (const [transcript, steps] of Object.entries(play)) {
    const session = new Session(game, { compat: 'textworld' });
    const [first, ...others] = steps;
    const start = differencesOf(first, session.start());
    results.push({ place: `${transcript} 0`, kind: `${transcript}: start`, mustBeEqual: true, differences: start });
    let admissible = first.admissible;
    for (const [index, step] of others.entries()) {
      // The original failed in this step.
      if (step.error !== undefined) break;
      const differences = differencesOf(step, session.act(step.command));
      const place = `${transcript} ${index + 1} ${JSON.stringify(step.command)}`;
      const kind = transcript.startsWith('free')
        ? classOf(step.command, step.feedback, admissible, names)
        : { kind: transcript, mustBeEqual: true };
      results.push({ place, ...kind, differences });
      admissible = step.admissible;
    }
  }
  return results;
}
