import { describe, expect, it } from 'vitest';

import { certainLength, readToolCalls } from './read-tool-calls.js';
import { usualSyntax, writeCalls } from './write-tools.js';

const llama = { before: '', after: '', argumentsKey: 'parameters' };
const mistral = { before: '[TOOL] ', after: '', argumentsKey: 'arguments' };
const call = (name: string, values = '{}', key = 'arguments') => `{"name": "${name}", "${key}": ${values}}`;
const hermes = (...calls: string[]) => calls.map((one) => `<tool_call>\n${one}\n</tool_call>`).join('\n');

describe('calls of functions in a text', () => {
  it.each<[string, string, typeof llama, string, [string, object][]]>([
    ['one call', hermes(call('add', '{"a": 1}')), usualSyntax, '', [['add', { a: 1 }]]],
    ['a text before it', `I add.\n\n${hermes(call('add'))}`, usualSyntax, 'I add.', [['add', {}]]],
    ['two calls', hermes(call('a'), call('b')), usualSyntax, '', [['a', {}], ['b', {}]]], // prettier-ignore
    ['marks and braces in a text', hermes(call('a', '{"x": "}\\"</tool_call>{"}')), usualSyntax, '', [['a', { x: '}"</tool_call>{' }]]], // prettier-ignore
    ['arguments as a text', hermes(call('a', '"{\\"x\\": 1}"')), usualSyntax, '', [['a', { x: 1 }]]],
    ['a bare call', `So:\n${call('a', '{"x": [1]}', 'parameters')}`, llama, 'So:', [['a', { x: [1] }]]],
    ['a bare call after a tag', `<|python_tag|>${call('a', '{}', 'parameters')}`, llama, '', [['a', {}]]],
    ['a call without an end mark', `[TOOL] ${call('a')}`, mistral, '', [['a', {}]]],
    ['a call after thoughts', `<think>${hermes(call('no'))}</think>\n${hermes(call('a'))}`, usualSyntax, `<think>${hermes(call('no'))}</think>`, [['a', {}]]], // prettier-ignore
  ])('reads %s', (_, text, syntax, content, calls) => {
    const read = readToolCalls(text, syntax);
    const expected = calls.map(([name, values]) => ({ name, arguments: values, json: JSON.stringify(values) }));
    expect(read).toEqual({ content, calls: expected });
    // What is shown while the text grows is never taken back, and is never part of a call.
    let shown = 0;
    for (let length = 1; length <= text.length; length += 1) {
      const certain = certainLength(text.slice(0, length), syntax);
      expect(certain).toBeLessThanOrEqual(content.length);
      shown = Math.max(shown, certain);
    }
    if (!content.includes('<think>')) expect(shown).toBe(content.length);
  });

  it.each<[string, string, typeof llama]>([
    ['no call', 'I am {done}.', usualSyntax],
    ['half a call', '<tool_call>\n{"name": "a", "argu', usualSyntax],
    ['no JSON', '<tool_call>\nadd 1\n</tool_call>', usualSyntax],
    ['no name', hermes('{"arguments": {}}'), usualSyntax],
    ['no object of arguments', hermes(call('a', '[1]')), usualSyntax],
    ['a second call that is cut', `${hermes(call('a'))}<tool_call>{`, usualSyntax],
    ['no end mark', '<tool_call>\n{"name": "a", "arguments": {}}', usualSyntax],
    ['open thoughts', `<think>${hermes(call('a'))}`, usualSyntax],
    ['the other key', call('a'), llama],
  ])('finds none in %s', (_, text, syntax) => {
    expect(readToolCalls(text, syntax)).toEqual({ content: text, calls: [] });
  });

  it('are written as templates write them, and read back', () => {
    const values = { list: [1, 'ä"'], deep: { none: null } };
    const calls = [{ name: 'add', arguments: values, json: JSON.stringify(values) }];
    const text = writeCalls('I add.', calls, usualSyntax);
    expect(text).toBe(
      'I add.\n<tool_call>\n{"name": "add", "arguments": {"list": [1, "ä\\""], "deep": {"none": null}}}\n</tool_call>',
    );
    expect(readToolCalls(text, usualSyntax)).toEqual({ content: 'I add.', calls });
  });

  it('keep their numbers as they were written, and are written as Python does', () => {
    const written = '{"a": 1e-07, "b": 1.0, "c": 12345678901234567890, "9": 2, "1": 3}';
    const { calls } = readToolCalls(hermes(call('f', written)), usualSyntax);
    expect(calls[0]!.json).toBe('{"a":1e-07,"b":1.0,"c":12345678901234567890,"9":2,"1":3}');
    expect(writeCalls('', calls, usualSyntax)).toBe(hermes(call('f', written)));
  });

  it('are not read if they are nested deeper than anything can be written again', () => {
    const text = hermes(call('f', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`));
    expect(readToolCalls(text, usualSyntax)).toEqual({ content: text, calls: [] });
  });
});
