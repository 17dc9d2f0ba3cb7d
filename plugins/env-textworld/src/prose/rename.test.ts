import { describe, expect, it } from 'vitest';

import { makeCooking } from '../challenges/cooking.js';
import { makeSimple } from '../challenges/simple.js';
import type { Game } from '../game/game.js';
import { generateCustom } from '../generate/custom.js';
import { subSeeds } from '../generate/seeds.js';
import { Session } from '../text/session.js';
import { rename } from './rename.js';
import { writeProse } from './write-prose.js';

const namesOf = ({ infos }: Game): string[] => [...infos.values()].flatMap(({ name }) => name || []);

function isWon(game: Game): boolean {
  const session = new Session(game);
  for (const command of game.walkthrough ?? []) session.act(command);
  return session.reply.won;
}

describe('rename', () => {
  it('gives the same game with other names', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const game = writeProse(generateCustom({ rooms: 4, objects: 6, questLength: 8 }, seed), { seed });
      const renamed = rename(game, 1000 + seed);
      expect(renamed.facts).toBe(game.facts);
      expect(renamed.walkthrough).toHaveLength(game.walkthrough?.length ?? 0);
      expect([namesOf(renamed).length, new Set(namesOf(renamed)).size]).toEqual(
        Array.from({ length: 2 }, () => namesOf(game).length),
      );
      expect(namesOf(renamed)).not.toEqual(namesOf(game));
      expect(isWon(renamed)).toBe(true);
      expect(renamed.quests.map(({ commands }) => commands.length)).toEqual(
        game.quests.map(({ commands }) => commands.length),
      );
    }
  });

  it('changes the names in all texts, with their articles', () => {
    const game = writeProse(generateCustom({ rooms: 4, objects: 6, questLength: 8 }, 2), { seed: 2 });
    let vowels = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const renamed = rename(game, seed);
      const gone = namesOf(game).filter((name) => !namesOf(renamed).join(' ').includes(name));
      expect(gone.length).toBeGreaterThan(4);
      const texts = [
        renamed.objective,
        ...(renamed.walkthrough ?? []),
        ...Array.from(renamed.infos.values(), ({ description }) => (description ?? '').replace(/\[[^\]]*\]/g, '_')),
        ...renamed.quests.flatMap(({ commands, description }) => [...commands, description]),
      ].join('\n');
      for (const name of gone) expect(texts).not.toMatch(new RegExp(`\\b${name}\\b`));
      for (const [, article, letter = ''] of texts.matchAll(/\b([Aa]n?) ([a-z])/g)) {
        expect(article?.toLowerCase()).toBe('aeiou'.includes(letter) ? 'an' : 'a');
        if (article?.toLowerCase() === 'an') vowels++;
      }
    }
    expect(vowels).toBeGreaterThan(0);
  });

  it('renames games whose texts somebody else wrote', () => {
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
    for (const draft of [
      makeSimple(subSeeds(2), { rewards: 'dense', goal: 'brief', test: false }),
      makeCooking(subSeeds(2), cooking as Parameters<typeof makeCooking>[1]),
    ]) {
      const game = writeProse(draft, { seed: 2 });
      const renamed = rename(game, 9);
      expect(renamed.objective).not.toBe(game.objective);
      expect(isWon(renamed)).toBe(true);
    }
  });

  it('leaves ids in brackets and words of commands alone', () => {
    const cooking = {
      recipe: 1,
      take: 0,
      go: 1,
      open: false,
      cook: false,
      cut: false,
      drop: false,
      recipeSeed: 0,
      split: '',
    };
    const game = writeProse(makeCooking(subSeeds(2), cooking as Parameters<typeof makeCooking>[1]), { seed: 2 });
    const list = { ...game, infos: new Map(game.infos) };
    const table = [...game.infos.values()].find(({ name }) => name === 'table');
    if (!table) throw new Error('The kitchen has no table');
    list.infos.set(table.id, { ...table, name: 'list' });
    const renamed = rename(list, 3);
    expect(renamed.walkthrough?.slice(-2)).toEqual(['prepare meal', 'eat meal']);
    const kitchen = [...renamed.infos.values()].find(({ type }) => type === 'r');
    expect(kitchen?.description).toContain(`[a list of things on the ${table.id}]`);
  });
});
