import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

const [light = '', dark = ''] = readFileSync(new URL('theme.css', import.meta.url), 'utf8').split('@media screen');

function coloursOf(rules: string): Map<string, string> {
  return new Map([...rules.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]));
}

/** Relative luminance and contrast of the Web Content Accessibility Guidelines. */
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const grounds = ['ground', 'raised', 'sunk', 'accent-soft'];
const texts = ['ink', 'quiet', 'accent', 'good', 'bad', 'warn'];

// Goes red when a colour is too pale to read, or an axis too pale to see, on any background of the page.
it.each([
  ['light', coloursOf(light)],
  ['dark', coloursOf(dark)],
])('has enough contrast in the %s scheme', (_, colours) => {
  const pale = (names: readonly string[], on: readonly string[], least: number) =>
    names.flatMap((name) =>
      on.flatMap((ground) => {
        const found = contrast(colours.get(name) ?? '', colours.get(ground) ?? '');
        return found >= least ? [] : [`${name} on ${ground}: ${found.toFixed(2)}`];
      }),
    );
  expect(pale(texts, grounds, 4.5)).toEqual([]);
  expect(pale(['line'], grounds, 3)).toEqual([]);
  const curves = [...colours.keys()].filter((name) => name.startsWith('curve-'));
  expect(curves).toHaveLength(7);
  expect(pale(curves, ['ground'], 3)).toEqual([]);
});
