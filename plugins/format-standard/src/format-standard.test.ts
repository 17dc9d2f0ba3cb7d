import type { ActionFormat, FormatModule } from '@agentgym/cli';
import { optionDefaults, testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import contributions from './index.js';

type Settings = { readonly [option: string]: unknown };

const modules = new Map<string, (settings?: Settings) => ActionFormat>();
for (const { load, name, options } of contributions) {
  const { create } = (await load()) as unknown as FormatModule<Settings>;
  modules.set(name, (settings = {}) => create({ ...optionDefaults(options), ...settings }, testHost()));
}
const make = (name: string, settings?: Settings): ActionFormat => modules.get(name)!(settings);
const causeOf = (format: ActionFormat, text: string): string => {
  const parsed = format.parse(text);
  return 'malformed' in parsed ? parsed.malformed : `read as ${JSON.stringify(parsed.action)}`;
};

const names = contributions.map(({ name }) => name);
const thoughts = ['none', 'free', 'think', 'plan', 'reflect', 'plan-and-reflect'];

describe('what a format reads', () => {
  it.each<[format: string, text: string, action: string]>([
    ['plain', ' go north \n', 'go north'],
    ['plain', '', ''],
    ['boxed', 'Say \\boxed{3}, no: \\boxed{ go {north} } it is.', 'go {north}'],
    ['boxed', 'a { b \\boxed{17} then \\boxed{18', '17'],
    ['boxed', '\\boxed{a \\boxed{b} c}', 'b'],
    ['tags', '<think>maybe <action>a</action></think>\n<action> b </action>', 'b'],
    ['tags', '<action>a</action><action>b</action><action>c', 'b'],
    ['tags', '<action><action>x</action></action>', 'x'],
    ['react', 'Thought: Action: a?\nAction: go\nAction:  take key \n', 'take key'],
    ['react', 'Action: print(1)\nprint(2)', 'print(1)\nprint(2)'],
    ['code-block', 'First:\n```\na\n```\nthen\n```python\n  b = 1\n\nprint(b)\n```\nbye', '  b = 1\n\nprint(b)'],
    ['code-block', '````\n```\nx\n```\n````', '```\nx\n```'],
    ['code-block', 'ok\r\n```js\r\nx\r\n```\r\n', 'x\r'],
    ['json', ' {"thought": "hm", "action": "a\\n\\"b\\"", "other": [1]} ', 'a\n"b"'],
    ['function-calling', '<tool_call>{"arguments":{"action":"go"},"name":"act"}</tool_call>', 'go'],
    ['function-calling', '<tool_call>\n{"name": "act", "arguments": "{\\"action\\": \\"go\\"}"}\n</tool_call>', 'go'],
    [
      'function-calling',
      'Plan: x\n<tool_call>{"name":"act","arguments":{"action":"</tool_call>"}}</tool_call>',
      '</tool_call>',
    ],
  ])('%s: %j', (name, text, action) => {
    expect(make(name).parse(text)).toEqual({ action });
  });

  it.each<[format: string, text: string, cause: string]>([
    ['boxed', '17', 'no closed \\boxed{}'],
    ['boxed', '\\boxed{ {17}', 'no closed \\boxed{}'],
    ['boxed', '\\fbox{3} \\boxed 4 boxed{5}', 'no closed \\boxed{}'],
    ['boxed', '\\boxed{ }', 'the action is empty'],
    ['tags', '17', 'no closed <action>'],
    ['tags', '<action>17', 'no closed <action>'],
    ['tags', '</action>17<action>', 'no closed <action>'],
    ['tags', '<action>a</action><think>b</think>', 'no closed <action>'],
    ['tags', '<action>\n</action>', 'the action is empty'],
    ['react', 'action: 17', 'no "Action:"'],
    ['react', 'Thought: x\nAction:', 'the action is empty'],
    ['code-block', '```17```', 'no closed block between lines of ```'],
    ['code-block', '```\n17\n``', 'no closed block between lines of ```'],
    ['code-block', '````\n17\n```', 'no closed block between lines of ```'],
    ['code-block', '```\n```', 'the action is empty'],
    ['json', '17 {', 'no valid JSON'],
    ['json', '```json\n{"action": "a"}\n```', 'no valid JSON'],
    ['json', '["action"]', 'JSON, but not an object'],
    ['json', 'null', 'JSON, but not an object'],
    ['json', '{"action": 17}', 'no string under "action"'],
    ['json', '{"__proto__": {"action": "a"}}', 'no string under "action"'],
    ['function-calling', '17', 'no function call'],
    ['function-calling', '<tool_call>17</tool_call>', 'the call is JSON, but not an object'],
    ['function-calling', '<tool_call>{"name": "act"</tool_call>', 'the call is no valid JSON'],
    ['function-calling', '<tool_call>{"arguments": {}}</tool_call>', 'the call has no "name"'],
    [
      'function-calling',
      '<tool_call>{"name": "act", "arguments": [1]}</tool_call>',
      'the call has no object "arguments"',
    ],
    [
      'function-calling',
      '<tool_call>{"name": "act", "arguments": "x"}</tool_call>',
      'the call has no object "arguments"',
    ],
    [
      'function-calling',
      '<tool_call>{"name": "act", "arguments": {"action": 1}}</tool_call>',
      'act takes a string "action"',
    ],
    [
      'function-calling',
      '<tool_call>{"name": "fly", "arguments": {}}</tool_call>',
      'there is no function of that name',
    ],
  ])('%s: %j is malformed', (name, text, cause) => {
    expect(causeOf(make(name), text)).toBe(cause);
  });

  it('is as long as it may be', () => {
    for (const name of names) {
      const format = make(name, { maxCharacters: 20 });
      expect(format.parse(make(name).render('x'.repeat(20)))).toEqual({ action: 'x'.repeat(20) });
      expect(causeOf(format, make(name).render('x'.repeat(21)))).toBe('21 characters, more than 20');
      expect(() => format.render('x'.repeat(21))).toThrow(/cannot write the action "x+": 21 characters/);
    }
  });

  it('has the names that the options give', () => {
    expect(make('tags', { tag: 'answer' }).parse('<action>a</action><answer>b</answer>')).toEqual({ action: 'b' });
    expect(make('code-block', { language: 'python' }).render('x')).toBe('```python\nx\n```');
    expect(make('function-calling', { functionName: 'guess' }).render('x')).toContain('"name": "guess"');
  });
});

describe('the text before an action', () => {
  const required = thoughts.slice(2);

  it('is required by name, and demonstrations have it', () => {
    for (const name of names) {
      const bare = make(name, { thought: 'none' }).render('go');
      for (const thought of required) {
        const format = make(name, { thought });
        expect(format.parse(format.render('go')), `${name} ${thought}`).toEqual({ action: 'go' });
        const missing = { think: 'thought', plan: 'plan' }[thought] ?? 'reflection';
        expect(causeOf(format, bare), `${name} ${thought}`).toBe(`no ${missing}`);
      }
      expect(make(name, { thought: 'free' }).parse(bare)).toEqual({ action: 'go' });
    }
  });

  it.each<[format: string, thought: string, text: string, cause: string]>([
    ['react', 'plan', 'Plan: \nThought: x\nAction: go', 'no plan'],
    ['react', 'plan', 'My Plan: x\nAction: go', 'no plan'],
    ['react', 'plan', 'Action: go\nPlan: x', 'no plan'],
    ['react', 'plan-and-reflect', 'Reflection: x\nAction: go', 'no plan'],
    ['tags', 'think', '<think> </think><action>go</action>', 'no thought'],
    ['tags', 'think', '<think>x<action>go</action>', 'no thought'],
    ['json', 'plan', '{"plan": 3, "action": "go"}', 'no plan'],
  ])('%s with %s: %j is malformed', (name, thought, text, cause) => {
    expect(causeOf(make(name, { thought }), text)).toBe(cause);
  });

  it.each<[format: string, thought: string, text: string]>([
    ['plain', 'think', 'Thought: it is\nnorth.\n\ngo'],
    ['react', 'plan-and-reflect', 'Plan: one\ntwo\nReflection: three\nAction: go'],
    ['boxed', 'plan', '  Plan: x \\boxed{a}\nso \\boxed{go}'],
    ['tags', 'plan-and-reflect', '<reflect>a</reflect> <plan>b</plan> <action>go</action>'],
    ['code-block', 'think', 'Thought: x\n```\ngo\n```'],
    ['json', 'reflect', '{"action": "go", "reflection": "x"}'],
    ['function-calling', 'plan', 'Plan: x\n<tool_call>{"name": "act", "arguments": {"action": "go"}}</tool_call>'],
  ])('%s with %s: %j is read', (name, thought, text) => {
    expect(make(name, { thought }).parse(text)).toEqual({ action: 'go' });
  });

  it('is in the instructions', () => {
    expect(make('plain').instructions).toBe('');
    expect(make('react', { thought: 'plan-and-reflect' }).instructions).toBe(
      'First write:\nReflection: what the last answer means\nPlan: your next steps\nWrite your action after "Action:" at the end.',
    );
    for (const name of names) {
      const texts = thoughts.map((thought) => make(name, { thought }).instructions);
      expect(new Set(texts).size).toBe(thoughts.length);
    }
  });
});

it('tells the agent what the option chooses about a malformed text', () => {
  const told = (onMalformed: string) => make('boxed', { onMalformed }).parse('17');
  const malformed = 'no closed \\boxed{}';
  expect(told('invalid')).toEqual({ malformed, observation: 'invalid' });
  expect(told('silent')).toEqual({ malformed, observation: '' });
  expect(told('explain')).toEqual({
    malformed,
    observation: 'Malformed: no closed \\boxed{}. Write your action as \\boxed{ACTION}.',
  });
});

describe('render', () => {
  const pieces = [
    'go north', '\n', ' ', '\r\n', '\t', '{', '}', '\\', '"', "'", '`', '```', '~~~', '<', '>', '</', '<action>', '</action>',
    '<think>', '</think>', '<tool_call>', '</tool_call>', '\\boxed{', 'Action:', 'Thought:', 'Plan: x', '{"action": "x"}',
    '\u0000', '\u2028', '\ufeff', '\u4e16\u754c', '\u05e9\u05dc\u05d5\u05dd', '\u{1f600}', '\ud83d', 'a\u0301',
  ]; // prettier-ignore

  // Goes red when a reader strips, unescapes or stops too early, or when render does not look at what is read back.
  it('writes any action so that it is read back, or refuses it', () => {
    const random = testHost(5).random;
    for (const name of names) {
      for (const thought of thoughts) {
        const format = make(name, { thought });
        let [written, refused] = [0, 0];
        for (let trial = 0; trial < 300; trial += 1) {
          const action = Array.from({ length: random.integer(1, 7) }, () => random.choice(pieces)).join('');
          let text: string;
          try {
            text = format.render(action);
          } catch (error) {
            expect(String(error)).toMatch(/This format cannot write the action/);
            refused += 1;
            continue;
          }
          expect(format.parse(text)).toEqual({ action });
          written += 1;
        }
        expect(written, `${name} ${thought}`).toBeGreaterThan(100);
        expect(refused, `${name} ${thought}`).toBeGreaterThan(0);
      }
    }
  });

  it('of formats with escapes or fences refuses only what has no visible character', () => {
    for (const name of ['json', 'function-calling', 'code-block']) {
      const format = make(name);
      for (const piece of pieces) {
        if (piece.trim() === '') expect(() => format.render(piece)).toThrow('the action is empty');
        else expect(format.parse(format.render(piece)), `${name} ${piece}`).toEqual({ action: piece });
      }
    }
  });

  it.each<[format: string, action: string]>([
    ['plain', ' go'],
    ['boxed', 'a } b'],
    ['boxed', '\\boxed{a}'],
    ['tags', 'a</action>b'],
    ['react', 'say Action: x'],
  ])('of %s refuses %j', (name, action) => {
    expect(() => make(name).render(action)).toThrow(/cannot write the action/);
  });

  it('carries a megabyte', () => {
    const action = 'a "long" <text>\n'.repeat(65_536).trim();
    for (const name of names) {
      const format = make(name, { maxCharacters: 2_000_000 });
      expect(format.parse(format.render(action))).toEqual({ action });
    }
  });
});

// Goes red when a search starts again at every mark. The kit tries single marks; these alternate.
it('reads a quarter of a megabyte of marks in linear time, whatever they are', () => {
  const marks = [
    '{', '{}', '}{', '\\boxed{}', '\\boxed{\\boxed', '<action>', '</action>', '<action></action', '<think><action>', 'Action:\n',
    'Plan:\n', 'Plan: x\n', '```\n', '````\n```\n', '` ', '\n{', '\n   ', '[', '{"a":', '<tool_call>{', '<tool_call></tool_call',
    '"\\', '\r\n',
  ]; // prettier-ignore
  for (const name of names) {
    const format = make(name, { thought: 'plan-and-reflect' });
    for (const mark of marks) {
      const text = mark.repeat(250_000 / mark.length);
      for (const whole of [text, `${format.render('go')}\n${text}\n${format.render('go')}`]) {
        const start = performance.now();
        format.parse(whole);
        format.readCalls?.(whole);
        expect(performance.now() - start, `${name} ${mark}`).toBeLessThan(1_000);
      }
    }
  }
});

describe('options', () => {
  const findings = (name: string, settings: Settings) => {
    const contribution = contributions.find((one) => one.name === name)!;
    const validate = (contribution as { validate?: (options: Settings) => readonly { message: string }[] }).validate;
    return validate!({ ...optionDefaults(contribution.options), ...settings }).map(({ message }) => message);
  };
  it.each<[format: string, option: string, good: string, bad: readonly string[]]>([
    ['tags', 'tag', 'answer', ['', 'a b', '<a>', 'think', 'plan', 'x'.repeat(65)]],
    ['code-block', 'language', 'python', ['a b', '`', '\n', 'x'.repeat(64)]],
    ['function-calling', 'functionName', 'guess_number', ['', 'a b', '1', 'x'.repeat(65)]],
  ])('of %s: %s', (name, option, good, bad) => {
    expect(findings(name, { [option]: good })).toEqual([]);
    for (const value of bad) expect(findings(name, { [option]: value }), value).toHaveLength(1);
  });
});
