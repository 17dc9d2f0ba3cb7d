import { createContext, runInContext } from 'node:vm';

import type { ToolResult, ToolSession } from '@agentgym/cli';
import { optionDefaults, testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { create } from './calculator.js';
import { options } from './options.js';

const tool = create(optionDefaults(options));
const context = () => ({ random: testHost().random, signal: new AbortController().signal });
const begin = () => tool.begin({ random: testHost().random, task: 'a', seed: 1 }) as ToolSession;
const ask = (session: ToolSession, expression: string) => session.run(expression, context()) as ToolResult;
const reckon = (expression: string): ToolResult => ask(begin(), expression);

describe('reading a text', () => {
  it('claims texts with its opening tag and leaves all others alone', () => {
    expect(tool.parse('<calculator> 1 + 1 </calculator>')).toEqual({ call: '1 + 1' });
    expect(tool.parse('Let me see.\n<calculator>2</calculator> \n')).toEqual({ call: '2' });
    for (const text of ['', '1 + 1', 'calculator', '</calculator>', '<Calculator>1</Calculator>', '<calc>1</calc>']) {
      expect(tool.parse(text)).toBeUndefined();
    }
  });

  // Goes red when the first call of a text is taken and the rest is dropped: an agent that continues after the call has
  // invented the answer.
  it.each([
    ['<calculator>1+1', '</calculator> is missing'],
    ['<calculator>1+1</calculator> is 3', 'nothing may follow </calculator>'],
    ['<calculator>1</calculator><calculator>2</calculator>', 'nothing may follow </calculator>'],
    [`<calculator>${'1'.repeat(201)}</calculator>`, 'the expression has 201 characters, more than 200'],
  ])('says why %s is no call', (text, malformed) => {
    expect(tool.parse(text)).toEqual({ malformed });
  });
});

// Goes red when the limit does not hold for calls of the function.
it('is also a function of a string', () => {
  const { read } = tool.function!;
  expect(read({ expression: ' 1 + 1 ' })).toEqual({ call: '1 + 1' });
  expect(read({ expression: '1'.repeat(201) })).toEqual({
    malformed: 'the expression has 201 characters, more than 200',
  });
  expect(read({})).toEqual({ malformed: 'it takes a string "expression"' });
  expect(read({ expression: 2 })).toEqual({ malformed: 'it takes a string "expression"' });
  expect(tool.function!.parameters).toMatchObject({ required: ['expression'] });
});

describe('reckoning', () => {
  it.each([
    ['2*(3+4)', '14'],
    ['2+3*4-5', '9'],
    ['8/4/2', '1'],
    ['2-3-4', '-5'],
    ['2^3^2', '512'],
    ['-2^2', '-4'],
    ['2^-1', '0.5'],
    ['2*-3', '-6'],
    ['--3', '3'],
    ['-7 % 3', '2'],
    ['7 % -3', '-2'],
    ['mod(7, 4)', '3'],
    ['.5 + 1.5e1', '15.5'],
    ['0.1+0.2', '0.3'],
    ['1/3', '0.333333333333333'],
    ['0 * -1', '0'],
    ['10^20', '100000000000000000000'],
    ['sqrt(2)^2', '2'],
    ['SQRT(16)', '4'],
    ['max(1, 2*3, min(9, 8))', '8'],
    ['gcd(12, 18, 27)', '3'],
    ['round(-2.5)', '-3'],
    ['floor(-0.5) + ceil(0.5)', '0'],
    ['ln(exp(2))', '2'],
    ['sin(pi/2) + cos(0) + log10(1000) + abs(-1)', '6'],
  ])('%s is %s', (expression, output) => {
    expect(reckon(expression)).toEqual({ output });
  });

  // Compares with JavaScript's own arithmetic, which shares no code with the parser.
  it('agrees with JavaScript on random expressions', () => {
    const random = testHost(3).random;
    const world = createContext({});
    const write = (depth: number): string => {
      if (depth === 0 || random.uniform() < 0.2) return String(random.integer(1, 20));
      const operator = random.choice(['+', '-', '*', '/', '**']);
      // A divisor is a plain number, so that nothing is divided by 0.
      const [left, right] = [write(depth - 1), write(operator === '/' ? 0 : depth - 1)];
      return operator === '**'
        ? `(${left})**2`
        : random.uniform() < 0.5
          ? `(${left}${operator}${right})`
          : `${left}${operator}${right}`;
    };
    for (let trial = 0; trial < 500; trial += 1) {
      const expression = write(4);
      const value = Number(runInContext(expression, world));
      const { output, failed } = reckon(expression.replaceAll('**', '^'));
      expect([expression, failed, Number(output)]).toEqual([expression, undefined, Number(value.toPrecision(15))]);
    }
  });

  it.each([
    ['', 'there is no expression'],
    ['1 +', 'it ends where a number was expected'],
    ['1 + * 2', '"*" at character 5 was not expected'],
    ['(1 + 2', ') is missing at the end'],
    ['1 2', '"2" at character 3 was not expected'],
    ['1)', '")" at character 2 was not expected'],
    ['alert(1)', 'there is no "alert" at character 1'],
    ['constructor', 'there is no "constructor" at character 1'],
    ['sqrt 4', '( was expected instead of "4" at character 6'],
    ['sqrt(1, 2)', 'sqrt takes 1, not 2'],
    ['gcd(1)', 'gcd takes 2 or more, not 1'],
    ['1/0', 'division by 0'],
    ['5 % (1-1)', 'division by 0'],
    ['0^-1', 'division by 0'],
    ['sqrt(-1)', 'the square root of a negative number'],
    ['(-8)^0.5', 'the result is not a real number'],
    ['ln(0)', 'ln of a number that is not above 0'],
    ['9^9^9', 'the result is too large'],
    ['1e999', 'the result is too large'],
    ['gcd(1.5, 3)', 'gcd of a number that is not whole'],
    ['ans', 'ans has no value before the first answer'],
    [`${'('.repeat(60)}1`, 'it is nested more than 50 deep'],
    ['\u{1F600}', '"\u{1F600}" at character 1 was not expected'],
  ])('%s fails: %s', (expression, error) => {
    expect(reckon(expression)).toEqual({ output: `error: ${error}`, failed: true });
  });

  it('gives as many digits as it is told', () => {
    const coarse = create({ ...optionDefaults(options), digits: 3 }).begin({
      ...{ random: testHost().random, task: 'a', seed: 1 },
    }) as ToolSession;
    expect(ask(coarse, '2/3')).toEqual({ output: '0.667' });
    // The shown answer is rounded, the remembered answer is not.
    expect(ask(coarse, 'ans * 3')).toEqual({ output: '2' });
  });
});

describe('ans', () => {
  // Goes red when the answer is in the tool instead of the session.
  it('is the last answer of its own episode', () => {
    const [one, other] = [begin(), begin()];
    expect(ask(one, '6*7').output).toBe('42');
    expect(ask(other, '1+1').output).toBe('2');
    expect(ask(one, '1/0').failed).toBe(true);
    expect(ask(one, 'ans/2').output).toBe('21');
    expect(ask(one, 'ans').output).toBe('21');
  });
});
