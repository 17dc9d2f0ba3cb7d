import { marked } from 'marked';
import { format } from 'prettier';
import { expect, it } from 'vitest';

import { markdownBlock, markdownCode, markdownTable, markdownText } from './markdown-table.js';

it('is laid out as prettier does, with bars and wide letters in it', async () => {
  const columns = [{ title: 'cell' }, { title: 'success', align: 'right' as const }];
  const rows = [
    ['a|b', '1.0 %'],
    [markdownText('漢字 `x|y` <b>*z*</b>'), '-'],
  ];
  const text = `${markdownTable(columns, rows).join('\n')}\n`;
  expect(text).toContain('a\\|b');
  expect(await format(text, { parser: 'markdown' })).toBe(text);
});

// Goes red when text can become a link or a tag, or can end its line.
it('shows text as it is, but for code', () => {
  expect(markdownText('![x](http://a) <img src=x>\n# `a_b` c`d')).toBe(
    '!\\[x\\](http://a) \\<img src=x\\> # `a_b` c\\`d',
  );
});

// Goes red when backticks are paired without a look at their number: Markdown then reads the tag as HTML.
it.each([
  '``<img src=x onerror=y>`',
  '`<img>',
  '`a``<img>`',
  '\\`<img>\\`',
  '~~<b>~~ [x](y) _b_',
  '\u001b[2J<img>',
  '```\n<img>\n```',
  '`',
])('is never markup, as text, as code or as a block: %j', (text) => {
  const pages = [markdownText(text), markdownCode(text), markdownBlock('yaml', `a: ${text}\n${text}`).join('\n')];
  for (const page of pages) {
    expect(page).not.toContain('\u001b');
    expect(marked.parse(page, { async: false })).not.toMatch(/<(img|b|a|del|em)\b/);
  }
});
