import { describe, expect, it } from 'vitest';

import { NumpyRandom } from '../generate/numpy-random.js';
import { SentenceGrammar, type Rules } from './sentence-grammar.js';
import { entryPoints, sentenceRules, type Sentence } from './house-sentences.js';

describe('SentenceGrammar', () => {
  const grammar = new SentenceGrammar({
    greeting: ['{word}, <name>!'],
    word: ['Hello', [3, 'Good day'], [0, 'Never']],
  });

  it('expands symbols by their weights and fills slots', () => {
    const random = new NumpyRandom(1);
    const texts = Array.from({ length: 4000 }, () => grammar.expand('greeting', { name: 'Ada' }, random));
    expect(new Set(texts)).toEqual(new Set(['Hello, Ada!', 'Good day, Ada!']));
    const share = texts.filter((text) => text.startsWith('Good')).length / texts.length;
    expect(share).toBeGreaterThan(0.72);
    expect(share).toBeLessThan(0.78);
  });

  it('gives the same texts for the same seed', () => {
    const draw = () => {
      const random = new NumpyRandom(7);
      return Array.from({ length: 20 }, () => grammar.expand('word', {}, random));
    };
    expect(draw()).toEqual(draw());
  });

  it('refuses symbols that do not exist and slots that nothing is given for', () => {
    const withMistake: Rules = { start: ['{middle}'] };
    expect(() => new SentenceGrammar(withMistake)).toThrow('no symbol "middle"');
    expect(() => grammar.expand('greeting', { toString: 'x' }, new NumpyRandom(1))).toThrow('<name>');
  });
});

describe('the sentences of a house', () => {
  const parts = (symbol: Sentence): Sentence[] =>
    sentenceRules[symbol].flatMap((alternative) => {
      const text = typeof alternative === 'string' ? alternative : alternative[1];
      return Array.from(text.matchAll(/\{(\w+)\}/g), ([, name]) => name as Sentence);
    });

  it('has alternatives with weights for every symbol', () => {
    for (const [symbol, alternatives] of Object.entries(sentenceRules)) {
      expect(alternatives.length, symbol).toBeGreaterThan(0);
      for (const alternative of alternatives) {
        if (typeof alternative !== 'string') expect(alternative[0], symbol).toBeGreaterThanOrEqual(1);
      }
    }
  });

  it('ends wherever it begins, and reaches every symbol', () => {
    const reached = new Set<Sentence>();
    const visit = (symbol: Sentence, above: readonly Sentence[]): void => {
      expect(above, 'symbols above').not.toContain(symbol);
      reached.add(symbol);
      for (const part of parts(symbol)) visit(part, [...above, symbol]);
    };
    for (const symbol of entryPoints) visit(symbol, []);
    expect([...reached].sort()).toEqual(Object.keys(sentenceRules).sort());
  });
});
