import { describe, expect, it } from 'vitest';

import { cookingGrammar, standardGrammar } from '../text/grammar.js';
import { dictionaryForm } from '../text/vocabulary.js';
import { adjectives, kindWords, roomAdjectives, roomNouns } from './house-words.js';

const nouns = Object.values(kindWords).flatMap(({ anywhere, inRooms }) => [
  ...new Set(anywhere),
  ...Object.values(inRooms ?? {}).flat(),
]);
const rooms = Object.values(roomNouns).flat();
const words = [
  ...nouns,
  ...Object.values(adjectives).flat(),
  ...roomAdjectives,
  ...rooms.flatMap((room) => room.split(' ')),
];

describe('the words of a house', () => {
  it('are told apart by compiled games, which know words by their first letters', () => {
    const single = words.filter((word) => word !== 'room');
    expect(new Set(single.map(dictionaryForm)).size).toBe(single.length);
  });

  it('are not words of commands', () => {
    // A verb can only be the first word of a command, so that names may have it.
    for (const word of words.filter((each) => each !== 'stand')) {
      expect(standardGrammar.vocabulary.find(word), word).toBe(0);
      expect(cookingGrammar.vocabulary.find(word), word).toBe(0);
    }
  });

  it('take the article that their first letter asks for, and are no plurals', () => {
    for (const word of words) {
      expect(word, word).toMatch(/^[a-z]+$/);
      expect(word, word).not.toMatch(/^(?:hon|hour|heir|uni|use|usu|eu|one)/);
      if (word !== 'brass') expect(word, word).not.toMatch(/s$/);
    }
  });

  it('are few', () => {
    expect(new Set(words).size).toBeLessThan(220);
  });
});
