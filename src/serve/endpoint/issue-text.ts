import type * as v from 'valibot';

import { shortened } from './request-error.js';

type Issue = v.BaseIssue<unknown>;

const kinds: { readonly [expected: string]: string } = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  Array: 'a list',
  Object: 'an object',
};

/** What is wrong with a member of a body, and the path of this member, which may lie inside the member of the issue. */
export function issueText(issue: Issue): { readonly path: string | undefined; readonly text: string } {
  const inner = innermost(issue);
  const path = (inner.path ?? []).map(({ key }) => String(key)).join('.');
  return { path: path === '' ? undefined : path, text: textOf(inner) };
}

/** Of a choice, what is wrong with the alternative that the value is nearest to: the one that was read furthest. */
function innermost(issue: Issue): Issue {
  const deeper = (issue.issues ?? []).filter(({ path }) => path !== undefined);
  const [first] = deeper.toSorted((a, b) => b.path!.length - a.path!.length);
  if (first === undefined) return issue;
  const inner = innermost(first);
  return { ...inner, path: [...(issue.path ?? []), ...inner.path!] as unknown as NonNullable<Issue['path']> };
}

function textOf({ expected, input, kind, message, received, type }: Issue): string {
  // A list or an object can be as long as a body.
  const given = typeof input === 'object' && input !== null ? kinds[received] : shortened(JSON.stringify(input) ?? '');
  const is = (wanted: string) => `it is ${given}, not ${wanted}`;
  if (message.startsWith('Invalid key')) return 'it is missing';
  if (type === 'integer') return is('a whole number');
  if (type === 'min_value') return is(`at least ${expected?.replace('>=', '') ?? ''}`);
  if (type === 'max_value') return is(`at most ${expected?.replace('<=', '') ?? ''}`);
  if (type === 'min_length' || type === 'non_empty') return 'it is empty';
  // Other rules have their own sentences.
  if (kind !== 'schema' || expected === null || !message.startsWith('Invalid type')) return message;
  const choices = expected.replaceAll(/[()]/g, '').split(' | ');
  return received === 'undefined' ? 'it is missing' : is(choices.map((one) => kinds[one] ?? one).join(' or '));
}
