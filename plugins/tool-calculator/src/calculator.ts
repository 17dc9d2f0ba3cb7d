import type { Tool, ToolReading, ToolSession } from '@agentgym/cli';

import { evaluateExpression } from './evaluate-expression.js';
import type { Options } from './options.js';
import { parseExpression } from './parse-expression.js';

const opening = '<calculator>';
const closing = '</calculator>';
const grammar =
  'numbers, ans (the last answer), + - * / % ^, parentheses, ' +
  'and abs, ceil, cos, exp, floor, gcd, ln, log10, max, min, mod, pi, round, sin, sqrt';

/**
 * Calculates the expression between its tags. A text with the opening tag must have one call with nothing after it. The
 * text before the call is the agent's thought. `ans` is the last answer of the episode.
 */
export function create({ digits, maxCharacters }: Options): Tool {
  return {
    instructions: `To reckon, end your text with ${opening}EXPRESSION${closing}: ${grammar}.`,
    example: `${opening}2*(3+4)${closing}`,
    parse: (text) => readCall(text, maxCharacters),
    function: {
      description: `Reckons with ${grammar}.`,
      parameters: {
        type: 'object',
        properties: { expression: { type: 'string', description: 'For example 2*(3+4)' } },
        required: ['expression'],
      },
      read: ({ expression }) =>
        typeof expression === 'string'
          ? readExpression(expression, maxCharacters)
          : { malformed: 'it takes a string "expression"' },
    },
    begin: () => openSession(digits),
  };
}

function readCall(text: string, maxCharacters: number): ToolReading | undefined {
  const start = text.indexOf(opening);
  if (start === -1) return undefined;
  const inside = start + opening.length;
  const end = text.indexOf(closing, inside);
  if (end === -1) return { malformed: `${closing} is missing` };
  if (text.slice(end + closing.length).trim() !== '') return { malformed: `nothing may follow ${closing}` };
  return readExpression(text.slice(inside, end), maxCharacters);
}

function readExpression(text: string, maxCharacters: number): ToolReading {
  const expression = text.trim();
  if (expression.length > maxCharacters) {
    return { malformed: `the expression has ${expression.length} characters, more than ${maxCharacters}` };
  }
  return { call: expression };
}

function openSession(digits: number): ToolSession {
  let answer: number | undefined;
  return {
    run(call) {
      const parsed = parseExpression(call as string);
      if ('error' in parsed) return { output: `error: ${parsed.error}`, failed: true };
      const result = evaluateExpression(parsed.expression, answer);
      if ('error' in result) return { output: `error: ${result.error}`, failed: true };
      answer = result.value;
      // Converted back to a number, so that 0.3 is not shown as 0.300000000000000. Adding 0 turns -0 into 0.
      return { output: String(Number(answer.toPrecision(digits)) + 0) };
    },
  };
}
