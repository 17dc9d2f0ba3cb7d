import { expect, it } from 'vitest';

import { paint, printable, styleOf } from './terminal-style.js';

const colour = { width: 80, colour: true };

// Goes red when text of files or packages reaches the terminal unchanged.
it('shows control characters as signs, and nothing else', () => {
  const hostile = 'a\u001b[31mred\u001b]0;title\u0007 \u009b32m \u202edlo\u2069\r\n\tb\u007f\u2028';
  expect(printable(hostile)).toBe('a␛[31mred␛]0;title␇ �32m �dlo�␍\n␉b␡�');
  expect(printable('Grüße, 世界 🎲')).toBe('Grüße, 世界 🎲');
});

it('makes colours of what was painted, of the text inside too', () => {
  expect(printable(paint('won', 'bold', colour))).toBe('\u001b[1mwon\u001b[22m');
  expect(printable(paint('a\u001b[2Jb', 'red', colour))).toBe('\u001b[31ma␛[2Jb\u001b[39m');
  expect(paint('won', 'green', styleOf({ isTTY: false }, {}))).toBe('won');
});
