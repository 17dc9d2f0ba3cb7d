import { describe, expect, it } from 'vitest';

import { GrowingText } from './growing-text.js';

/** Ids are code points, and 0 is half a character. */
const encoder = {
  decode: (ids: readonly number[]) => ids.map((id) => (id === 0 ? '\uFFFD' : String.fromCodePoint(id))).join(''),
};
const ids = (text: string): number[] => [...text].map((character) => character.codePointAt(0)!);

/** What is shown after each part. */
function show(parts: readonly (readonly number[])[], stops: readonly string[] = []) {
  const text = new GrowingText(encoder, stops);
  const shown = parts.map((part) => {
    text.add(part);
    return text.takeNew(false);
  });
  return { shown: [...shown, text.takeNew(true)], text: text.text, stopped: text.isStopped };
}

describe('GrowingText', () => {
  it('shows each part once', () => {
    expect(show([ids('go '), ids('north'), []])).toEqual({
      shown: ['go ', 'north', '', ''],
      text: 'go north',
      stopped: false,
    });
  });

  it('holds back a character of which bytes are missing, until the end', () => {
    expect(show([[...ids('a'), 0], ids('b')]).shown).toEqual(['a', '\uFFFDb', '']);
    expect(show([[...ids('a'), 0]]).shown).toEqual(['a', '\uFFFD']);
  });

  // Goes red when the beginning of a stop text is shown before it is known to be one.
  it('ends before a stop text, wherever parts end', () => {
    for (let cut = 0; cut <= 12; cut += 1) {
      const whole = ids('open\nThe door');
      const { shown, text, stopped } = show([whole.slice(0, cut), whole.slice(cut)], ['\nThe', 'door']);
      expect([shown.join(''), text, stopped]).toEqual(['open', 'open', true]);
    }
    expect(show([ids('open\nT'), ids('alk')], ['\nThe'])).toEqual({
      shown: ['open', '\nTalk', ''],
      text: 'open\nTalk',
      stopped: false,
    });
  });

  it('decodes each id of a long text a few times only, and gives the same text', () => {
    // Three bytes are one character, so parts end in the middle of one.
    let decoded = 0;
    const bytes = {
      decode: (some: readonly number[]) => {
        decoded += some.length;
        return Buffer.from(some).toString('utf8');
      },
    };
    const whole = '€ö, and so on; '.repeat(1000);
    const all = [...Buffer.from(`${whole}END of it`)];
    const text = new GrowingText(bytes, ['END']);
    let shown = '';
    for (let place = 0; place < all.length; place += 16) {
      text.add(all.slice(place, place + 16));
      shown += text.takeNew(false);
    }
    expect([text.text === whole, shown + text.takeNew(true) === whole, text.isStopped]).toEqual([true, true, true]);
    expect(decoded / all.length).toBeLessThan(40);
  });
});
