import { expect, it } from 'vitest';

import { explanation, facts, heading, paragraph, tableOf, type Block } from './blocks/block.js';
import { markdownLines } from './markdown-blocks.js';
import { terminalLines } from './terminal-blocks.js';
import { printable } from './terminal-style.js';

interface Row {
  readonly name: string;
  readonly rate: number;
}

const table = tableOf<Row>(
  'Rates',
  [
    { title: 'name', kind: 'text', cell: ({ name }) => name },
    { title: '0 to 1', kind: 'bar', cell: ({ rate }) => ({ from: 0, to: 1, middle: rate, low: 0, high: 1 }) },
    { title: 'rate', kind: 'number', cell: ({ rate }) => ({ text: String(rate), isStrong: true }) },
    { title: 'range', kind: 'number', rank: 1, cell: () => ({ text: '0 to 1', reservation: 'narrow' }) },
    { title: 'lost', kind: 'number', rank: 2, isCaveat: true, cell: ({ rate }) => (rate === 1 ? '' : '7') },
    { title: 'note', kind: 'text', rank: 3, cell: () => 'a note' },
  ],
  [
    { name: 'one', rate: 1 },
    { name: '很好', rate: 0.25 },
  ],
  ({ name }) => name === 'one',
);
const told: Block[] = [
  paragraph('Which rate of `a_b` is *high*?'),
  table,
  ...explanation('A narrow one.', ''),
  heading('More'),
  { kind: 'list', items: ['first', 'second'] },
  facts(['left', undefined], ['next', '`run --now`'], ['because', 'it helps a lot']),
];
const plain = (width: number) => ({ width, colour: false });

it('prints blocks for a terminal: numbers under each other, explanations below what they explain', () => {
  expect(terminalLines(told, plain(80))).toEqual([
    'Which rate of `a_b` is *high*?',
    '',
    'name  rate           range  lost  note',
    'one      1  0 to 1, narrow        a note',
    '很好  0.25  0 to 1, narrow     7  a note',
    'A narrow one.',
    '',
    'More',
    '- first',
    '- second',
    '',
    'next     run --now',
    'because  it helps a lot',
  ]);
});

// Goes red when a narrow terminal loses how far a number can be believed, or the number itself.
it('leaves out columns by their rank, and tells caveats below', () => {
  expect(terminalLines([table], plain(32))).toEqual([
    'name  rate           range  lost',
    'one      1  0 to 1, narrow',
    '很好  0.25  0 to 1, narrow     7',
  ]);
  expect(terminalLines([table], plain(28))).toEqual([
    'name  rate           range',
    'one      1  0 to 1, narrow',
    '很好  0.25  0 to 1, narrow',
    'lost: 很好 7',
  ]);
  expect(terminalLines([table], plain(3)).slice(0, 3)).toEqual(['name  rate', 'one      1', '很好  0.25']);
});

// Goes red when a matrix with long names is wider than the terminal.
it('leaves out intervals of numbers first, and puts long titles below', () => {
  const cell = { text: '54.2 %', interval: '48.1 to 60.2', isOwn: true };
  const names = ['trained on', 'on a very wide one', 'on another'];
  const matrix = tableOf<string>(
    'Matrix',
    names.map((title, i) => ({ title, kind: i === 0 ? 'text' : 'number', cell: (row) => (i === 0 ? row : cell) })),
    ['here'],
  );
  expect(terminalLines([matrix], plain(80))[1]).toBe('here        54.2 % (48.1 to 60.2) *  54.2 % (48.1 to 60.2) *');
  expect(terminalLines([matrix], plain(45))).toEqual([
    'trained on  on a very wide one  on another',
    'here                  54.2 % *    54.2 % *',
  ]);
  expect(terminalLines([matrix], plain(32))).toEqual([
    'trained on       [1]  on another',
    'here        54.2 % *    54.2 % *',
    '[1] on a very wide one',
  ]);
});

it('breaks texts between words, but no command', () => {
  expect(terminalLines(told.slice(-1), plain(16))).toEqual(['next     run --now', 'because  it', '         helps a', '         lot']); // prettier-ignore
  expect(terminalLines([paragraph('one two')], plain(Infinity))).toEqual(['one two']);
});

it('paints the row that a table is about, titles and commands, only where colours are wanted', () => {
  const lines = terminalLines(told, { width: 80, colour: true }).map(printable);
  expect(lines[2]).toMatch('\u001b[2mname');
  expect(lines[3]).toMatch('\u001b[1mone');
  expect(lines.at(-2)).toMatch('\u001b[36mrun --now');
});

it('prints the same as Markdown, with code and without markup of names', () => {
  expect(markdownLines(told)).toEqual([
    'Which rate of `a_b` is \\*high\\*?',
    '',
    '| name | rate |          range | lost | note   |',
    '| ---- | ---: | -------------: | ---: | ------ |',
    '| one  |    1 | 0 to 1, narrow |      | a note |',
    '| 很好 | 0.25 | 0 to 1, narrow |    7 | a note |',
    '',
    'A narrow one.',
    '',
    '### More',
    '',
    '- first',
    '- second',
    '',
    '- next: `run --now`',
    '- because: it helps a lot',
  ]);
});
