import type { ActionFormat } from '@agentgym/cli';

/** Everything before an arrow is thought, everything behind it is done: `the lamp is to the left -> left`. */
export function create(): ActionFormat {
  return {
    instructions: 'Think aloud, then write -> and your action.',
    parse(text) {
      const at = text.lastIndexOf('->');
      const action = at < 0 ? '' : text.slice(at + 2).trim();
      if (action === '') return { malformed: 'no action behind an arrow', observation: 'Write -> and your action.' };
      return { action };
    },
    render(action) {
      if (action.includes('->')) throw new Error('an action cannot contain ->');
      return `-> ${action}`;
    },
  };
}
