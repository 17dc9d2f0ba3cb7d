import { expect, it } from 'vitest';

import { ChatTemplate } from './chat-template.js';
import { pythonSpace, stripEnd, stripStart } from './python-calls.js';

const render = (chatTemplate: string, content?: string) =>
  new ChatTemplate({ config: '{}', chatTemplate }).render([{ role: 'user', content: content ?? null }], {
    addGenerationPrompt: false,
  });

it('strips as Python does: all white space, or the given characters', () => {
  expect(stripStart(`${pythonSpace}a ${pythonSpace}`)).toBe(`a ${pythonSpace}`);
  expect(stripEnd(`${pythonSpace}a ${pythonSpace}`)).toBe(`${pythonSpace}a`);
  expect([stripStart('\ufeffa'), stripEnd('a\u200b')]).toEqual(['\ufeffa', 'a\u200b']);
  expect([stripStart(' \n\na', '\n'), stripEnd('a\n \n\n', '\n')]).toEqual([' \n\na', 'a\n ']);
  expect([stripStart('😀a😀', '😀'), stripEnd('😀a😀😀', '😀')]).toEqual(['a😀', '😀a']);
  expect([stripStart('a', ''), stripEnd('a', ''), stripStart('  '), stripEnd('  '), stripEnd('')]).toEqual([
    'a',
    'a',
    '',
    '',
    '',
  ]);
  const long = 'a'.repeat(1e6);
  expect(stripEnd(`${long}${' '.repeat(1e5)}`)).toBe(long);
});

// Goes red without `redirectToPython`: the library takes all white space of JavaScript, whatever the argument.
it.each([
  ["{{ messages[0].content.strip('\\n') }}", '\n a \n', ' a '],
  ["{{ messages[0].content.lstrip('\\n') + messages[0].content.rstrip('x') }}", '\n ax', ' ax\n a'],
  ["{% for m in messages %}{{ m['content'] | trim }}{% endfor %}", '\u001c\ufeffa\u0085', '\ufeffa'],
  ["{{ 'x' + messages[0].content | trim('a ') }}", ' ab a', 'xb'],
  ['{% set text = messages[0].content | upper | trim %}{{ text }}', ' a\u001f', 'A'],
  ['({{ messages[0].content | trim }})', undefined, '()'],
])('strips in the template %s', (template, content, rendered) => {
  expect(render(template, content)).toBe(rendered);
});
