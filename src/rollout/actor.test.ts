import { describe, expect, it } from 'vitest';

import type { ActionFormat } from '../contracts/format.js';
import { systemPrompt } from './actor.js';
import { singleWord } from './fixtures/signals.js';

const brief: ActionFormat = { ...singleWord, instructions: 'One word.' };

describe('systemPrompt', () => {
  it('says the rules and the format, and nothing where there is nothing to say', () => {
    expect(systemPrompt('Rules.', brief)).toBe('Rules.\n\nOne word.');
    expect(systemPrompt('', brief)).toBe('One word.');
    expect(systemPrompt('Rules.', singleWord)).toBe('Rules.');
    expect(systemPrompt('')).toBe('');
  });

  // Mutation: keep the paragraphs of empty places.
  it.each([
    ['{environment}\n\n{format}\n\n{tools}', 'Rules.\n\nOne word.'],
    ['You play.\n\n{tools}\n\n{environment} Be brief: {format}', 'You play.\n\nRules. Be brief: One word.'],
    ['Just this.', 'Just this.'],
    ['', ''],
  ])('fills the places of %j', (text, whole) => {
    expect(systemPrompt('Rules.', brief, undefined, text)).toBe(whole);
  });

  // Mutation: replace every word in braces.
  it('leaves other braces as they are, and writes a place in doubled braces', () => {
    const text = 'Answer {"action": {"name": "go"}}, not {{format}}, {{tools}} or {name}: {format}';
    expect(systemPrompt('Rules.', brief, undefined, text)).toBe(
      'Answer {"action": {"name": "go"}}, not {format}, {tools} or {name}: One word.',
    );
    // What is filled in is not read again.
    expect(systemPrompt('Say {format}, $& and {{tools}}.', brief)).toBe('Say {format}, $& and {{tools}}.\n\nOne word.');
  });
});
