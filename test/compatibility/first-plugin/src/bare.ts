import type { ActionFormat, ParsedAction } from '@agentgym/cli';

/** A number and nothing else. */
export function create(): ActionFormat {
  return {
    instructions: 'Write a number.',
    parse: (text): ParsedAction =>
      /^\s*\d\s*$/.test(text)
        ? { action: text.trim() }
        : { malformed: 'not a number', observation: 'An action is a number.' },
    render: (action) => action,
  };
}
