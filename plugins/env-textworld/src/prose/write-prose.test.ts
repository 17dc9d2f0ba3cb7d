import { describe, expect, it } from 'vitest';

import { makeCoinCollector } from '../challenges/coin-collector.js';
import { makeCooking } from '../challenges/cooking.js';
import { makeSimple } from '../challenges/simple.js';
import { makeTreasureHunter } from '../challenges/treasure-hunter.js';
import type { EntityInfo, Game } from '../game/game.js';
import { generateCustom } from '../generate/custom.js';
import type { GameDraft } from '../generate/draft.js';
import { subSeeds } from '../generate/seeds.js';
import { Session } from '../text/session.js';
import { writeProse } from './write-prose.js';

const settings = [
  { rooms: 2, objects: 3, questLength: 4, count: 100 },
  { rooms: 2, objects: 12, questLength: 4, count: 50 },
  { rooms: 8, objects: 12, questLength: 4, count: 25 },
  { rooms: 4, objects: 6, questLength: 8, count: 25 },
];
const drafts = settings.flatMap(({ count, ...options }) =>
  Array.from({ length: count }, (_, index) => generateCustom(options, index + 1)),
);
const games = drafts.map((draft, seed) => writeProse(draft, { seed }));

const thingsOf = ({ infos }: Game): EntityInfo[] => [...infos.values()].filter(({ id }) => id !== 'P' && id !== 'I');

/** Pairs of names of which one has all words of the other. */
function conflicts(game: Game): string[] {
  const names = thingsOf(game).map(({ name }) => (name ?? '').toLowerCase().split(' '));
  return names.flatMap((name, index) =>
    names
      .filter((other, place) => place !== index && name.every((word) => other.includes(word)))
      .map((other) => `${name.join(' ')}, ${other.join(' ')}`),
  );
}

/** Plays the commands; each must be admissible. Gives all that was printed. */
function play(game: Game, commands: readonly string[] = game.walkthrough ?? []): { won: boolean; text: string } {
  const session = new Session(game);
  let text = session.start().text;
  for (const command of commands) {
    expect(session.reply.admissible).toContain(command);
    text += `\n${session.act(command).text}`;
  }
  return { won: session.reply.won, text };
}

describe('the games of 200 custom drafts', () => {
  it('have names that nobody can confuse', () => {
    expect(games.flatMap(conflicts)).toEqual([]);
  });

  it('have an adjective in common for a key and its lock only', () => {
    for (const game of games) {
      const pairs = game.facts
        .filter(({ name }) => name === 'match')
        .map(({ entities }) => entities.map(({ id }) => id));
      for (const [key, lock] of pairs as [string, string][]) {
        const adjective = game.infos.get(key)?.adjective;
        expect(adjective).toBeTruthy();
        expect(game.infos.get(lock)?.adjective).toBe(adjective);
      }
      const adjectives = thingsOf(game).flatMap(({ adjective }) => adjective ?? []);
      expect(adjectives.length - new Set(adjectives).size).toBe(pairs.length);
    }
  });

  it('are won by the commands of the walkthrough, each of which is admissible', () => {
    for (const game of games) expect([game.walkthrough, play(game).won]).toEqual([expect.any(Array), true]);
  });

  it('have the right article everywhere', () => {
    for (const game of games) {
      const { text } = play(game);
      for (const [wrong, article = '', letter = ''] of text.matchAll(/\b([Aa]n?) ([a-z])[a-z]*/g)) {
        expect([wrong, article.toLowerCase()]).toEqual([wrong, 'aeiou'.includes(letter) ? 'an' : 'a']);
      }
      expect(text).not.toMatch(/\b[Aa]n? (?:an?|the|some)\b|\[|\]|<|\{|undefined|null/);
    }
  });

  it('tell what every command is about, in order', () => {
    for (const game of games) {
      let place = 0;
      for (const command of game.walkthrough ?? []) {
        // The last thing of a command may be meant by "it"; a direction or the first thing is always said.
        const [, direction] = /^go (\w+)$/.exec(command) ?? [];
        const named =
          direction ??
          thingsOf(game).find(({ name }) =>
            command
              .split(' ')
              .slice(1)
              .join(' ')
              .startsWith(name ?? ''),
          )?.name;
        const found = game.objective.indexOf(named ?? command, Math.max(0, place - 60));
        expect(`${command}: ${found === -1 ? game.objective : ''}`).toBe(`${command}: `);
        place = Math.max(place, found);
      }
    }
  });

  it('print where one is, what is there and where one can go', () => {
    const game = games[0] as Game;
    const room = /-= (.*) =-\n([^\n]*)\n\n([^]*)$/.exec(new Session(game).start().text);
    expect(room?.[2]).toMatch(new RegExp(`^(?:You are (?:now )?in|This is) the ${room?.[1]?.toLowerCase()}\\.$`));
    expect(room?.[3]).toMatch(/You can go \w+\.|There is an exit to the \w+\./);
  });
});

describe('writeProse', () => {
  const draft = (objects: number, seed: number): GameDraft =>
    generateCustom({ rooms: 2, objects, questLength: 4 }, seed);

  it('gives the same game for the same seed, and others for others', () => {
    const write = (seed: number) => {
      const { objective, infos } = writeProse(draft(3, 5), { seed });
      return JSON.stringify([objective, [...infos]]);
    };
    expect(write(1)).toBe(write(1));
    expect(new Set([1, 2, 3, 4].map(write)).size).toBe(4);
  });

  it('tells the same quest in the same words, however many things distract from it', () => {
    let same = 0;
    for (let seed = 1; seed <= 30; seed++) {
      const [few, many] = [3, 12].map((objects) => writeProse(draft(objects, seed), { seed })) as [Game, Game];
      expect(many.infos.size).toBeGreaterThan(few.infos.size);
      expect(many.quests.map(({ commands }) => commands)).toEqual(few.quests.map(({ commands }) => commands));
      if (JSON.stringify(few.walkthrough) !== JSON.stringify(many.walkthrough)) continue;
      expect(many.objective).toBe(few.objective);
      same++;
    }
    expect(same).toBeGreaterThan(20);
  });

  it('tells only the last action of each quest if asked to', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const { objective, quests, walkthrough } = writeProse(draft(3, seed), { seed, instructions: 'last' });
      const told = objective.replace(/^(?:Here is your task|This is what you have to do)\. /, '');
      expect(told.match(/\./g)).toHaveLength(quests.length);
      const full = writeProse(draft(3, seed), { seed });
      expect(objective.length).toBeLessThan(full.objective.length);
      expect(walkthrough).toEqual(full.walkthrough);
    }
  });

  it('keeps fixed words', () => {
    const game = writeProse(makeSimple(subSeeds(3), { rewards: 'dense', goal: 'brief', test: false }), { seed: 3 });
    const names = thingsOf(game).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['living room', 'kitchen island', 'half of a bag of chips', 'old key']),
    );
    expect(game.objective).toMatch(/grilled/);
    expect(thingsOf(game).find(({ name }) => name === 'note')?.description).toBe(game.objective);
  });

  it('does not name things so that fixed names become ambiguous', () => {
    const words = new Map([['k_0', { name: 'brass key', definite: '', indefinite: 'one' }]]);
    for (let seed = 1; seed <= 20; seed++) {
      const game = writeProse({ ...draft(12, seed), words }, { seed });
      if (!game.infos.has('k_0')) continue;
      expect(game.infos.get('k_0')).toMatchObject({ name: 'brass key', definite: '', indefinite: 'one' });
      expect(conflicts(game)).toEqual([]);
    }
  });

  it('writes all challenges so that they can be won', () => {
    const seeds = subSeeds(4);
    const cooking = {
      recipe: 2,
      take: 2,
      go: 6,
      open: true,
      cook: true,
      cut: true,
      drop: false,
      recipeSeed: 0,
      split: '',
    };
    const challenges = [
      makeSimple(seeds, { rewards: 'balanced', goal: 'detailed', test: true }),
      makeCoinCollector(seeds, { level: 110, compat: 'corrected' }),
      makeTreasureHunter(seeds, { level: 12 }),
      makeCooking(seeds, cooking as Parameters<typeof makeCooking>[1]),
    ].map((made) => writeProse(made, { seed: 4 }));
    for (const game of challenges) {
      const session = new Session(game);
      for (const command of game.walkthrough ?? []) session.act(command);
      expect([session.reply.won, game.objective]).toEqual([true, expect.stringMatching(/\.$/)]);
      expect(thingsOf(game).every(({ name, description }) => name !== null && description !== null)).toBe(true);
    }
  });

  it('names a hundred rooms and a hundred things without numbers', () => {
    const made = generateCustom({ rooms: 100, objects: 100, questLength: 4 }, 1);
    const game = writeProse({ ...made, objective: { kind: 'text', text: '' }, walkthrough: [] }, { seed: 1 });
    expect(conflicts(game)).toEqual([]);
    expect(thingsOf(game).filter(({ name }) => /\d/.test(name ?? ''))).toEqual([]);
  });

  it('uses few words', () => {
    const words = new Set<string>();
    for (const game of games.slice(0, 50)) {
      const { text } = play(game);
      for (const [word] of text.toLowerCase().matchAll(/[a-z]+/g)) words.add(word);
    }
    expect(words.size).toBeLessThan(300);
  });
});
