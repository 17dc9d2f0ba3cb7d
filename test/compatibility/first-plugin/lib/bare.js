/** A number and nothing else. */
export function create() {
  return {
    instructions: 'Write a number.',
    parse: (text) =>
      /^\s*\d\s*$/.test(text)
        ? { action: text.trim() }
        : { malformed: 'not a number', observation: 'An action is a number.' },
    render: (action) => action,
  };
}
