import { describe, expect, it } from 'vitest';

import { openRecorded, playable, recordedGames, textsOf, type RecordedGame } from '../fixtures/recorded-games.js';
import { readGame } from './game.js';
import { checkPlayable } from './playable.js';
import { Session, type SessionSnapshot } from './session.js';

const kitchen = playable.find(({ task_type }) => task_type === 'pick_heat_then_place_in_recep') as RecordedGame;
const openAs = (game: RecordedGame, compat: 'corrected' | 'alfworld') =>
  new Session(readGame(textsOf(game), compat), compat);

describe.each(playable.map((game) => [game.name, game] as const))('the recorded game %s', (_, game) => {
  it('has the names of the original', () => {
    const { setting, names } = openRecorded(game);
    const ours = setting.names.flatMap((id, thing) =>
      ['object', 'receptacle'].includes(setting.types[thing]!) ? [[id, names[thing]]] : [],
    );
    expect(Object.fromEntries(ours)).toEqual(game.names);
  });

  it.each(Object.entries(game.play))('answers as in the transcript %s', (_transcript, steps) => {
    const session = new Session(openRecorded(game), 'alfworld');
    const ours = steps.map(({ command }) => {
      const reply = command === undefined ? { text: session.start() } : session.act(command);
      return { ...reply, admissible: session.admissible(), moves: session.moves };
    });
    expect(ours.map(({ text, admissible, moves }) => ({ feedback: text, admissible, moves }))).toEqual(
      steps.map(({ feedback, admissible, moves }) => ({ feedback, admissible, moves })),
    );
    expect(session.isWon()).toBe(steps.at(-1)!.won);
  });
});

it('refuses the game that the original cannot load, and says why', () => {
  const lost = recordedGames.find(({ error }) => error !== undefined)!;
  expect(() => checkPlayable(readGame(textsOf(lost), 'alfworld'), 'alfworld')).toThrow(
    'the game cannot be won: no thing and receptacle in it are of the kinds that its goal asks for',
  );
});

describe('the corrected session', () => {
  const session = openAs(kitchen, 'corrected');
  const original = openAs(kitchen, 'alfworld');

  it('lists the receptacles again when the agent looks at the start', () => {
    const [, list] = session.start().split('\n\n');
    original.start();
    expect(session.act('look').text).toBe(list);
    expect(original.act('look').text).toMatch(/you see nothing\.$/);
  });

  it('goes to where it is', () => {
    const [first] = session.admissible().filter((command) => command.startsWith('go to '));
    session.start();
    original.start();
    const arrival = session.act(first!).text;
    original.act(first!);
    expect(session.act(first!).text).toBe(arrival);
    expect(original.act(first!)).toEqual({ text: 'Nothing happens.', won: false });
  });

  it('does not tell things as lying around that were moved between receptacles', () => {
    // After every command of the recording, `look` tells no thing: all are in receptacles, or in the hand.
    session.start();
    for (const { command } of kitchen.play.random.slice(1)) {
      session.act(command!);
      expect(session.act('look').text).toMatch(/^You are (?:in the middle|facing .*\. Next to it, you see nothing\.$)/);
    }
  });

  it('understands capitals, blanks, a full stop, and the words that older games had', () => {
    const plan = kitchen.play.plan.map(({ command }) => command).filter((command) => command !== undefined);
    session.start();
    const written = plan.map((command) =>
      ` ${command.toUpperCase().replaceAll(' ', '  ')}. `.replace(/MOVE(.*) TO/, 'PUT$1 IN/ON'),
    );
    expect(written.at(-1)).toContain('PUT');
    for (const command of written) expect(session.act(command).text).not.toBe('Nothing happens.');
    expect(session.isWon()).toBe(true);
    original.start();
    expect(written.map((command) => original.act(command).text)).toEqual(plan.map(() => 'Nothing happens.'));
  });
});

it.each([
  '\t look\r\n',
  '\u001flook\u001c',
  '\u3000look\u2028',
  '\u0085look',
  `${' '.repeat(2 ** 20)}look${'\n'.repeat(2 ** 20)}`,
])('the original strips what Python calls white space: %#', (command) => {
  const session = openAs(kitchen, 'alfworld');
  session.start();
  expect(session.act(command).text).toMatch(/^You are in the middle/);
  // Python leaves these.
  for (const other of ['\ufefflook', 'look\u200b', '\0look', 'lo ok'])
    expect(session.act(other).text).toBe('Nothing happens.');
});

describe('a session', () => {
  it('starts again where it started', () => {
    const session = openAs(kitchen, 'alfworld');
    const begin = () => [session.start(), session.admissible(), session.key(), session.moves];
    const first = begin();
    for (const { command } of kitchen.play.random.slice(1)) session.act(command!);
    expect(session.key()).not.toBe(first[2]);
    expect(begin()).toEqual(first);
  });

  it('goes on from a snapshot, in another session, with the same answers', () => {
    const [one, other] = [openAs(kitchen, 'alfworld'), openAs(kitchen, 'alfworld')];
    one.start();
    const commands = kitchen.play.random.slice(1).map(({ command }) => command!);
    for (const [place, command] of commands.entries()) {
      other.restore(JSON.parse(JSON.stringify(one.snapshot())) as SessionSnapshot);
      expect(other.key()).toBe(one.key());
      const [theirs, ours] = [one.act(command), other.act(command)];
      expect([ours.text, ours.won], `${place}: ${command}`).toEqual([theirs.text, theirs.won]);
      expect([other.admissible(), other.moves]).toEqual([one.admissible(), one.moves]);
    }
  });

  it('has one key for states with one future, whatever the way', () => {
    const session = openAs(kitchen, 'alfworld');
    session.start();
    const [first, second] = session.admissible().filter((command) => command.startsWith('go to '));
    session.act(first!);
    const key = session.key();
    // Examining marks things as checked, which nothing depends on.
    for (const command of ['inventory', 'help', second!, 'look', first!]) session.act(command);
    expect(session.key()).toBe(key);
    session.act(second!);
    expect(session.key()).not.toBe(key);
  });
});
