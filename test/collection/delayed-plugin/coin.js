/**
 * Heads or tails, depending on the stream of the call and on the number of calls in the session, so that every mix-up
 * shows.
 */
export function create() {
  return {
    instructions: 'Say coin to throw a coin.',
    example: 'coin',
    parse: (text) => (text.trim() === 'coin' ? { call: null } : undefined),
    begin() {
      let throws = 0;
      return {
        run(_, { random }) {
          throws += 1;
          return { output: (random.integer(0, 2) + throws) % 2 === 0 ? 'heads' : 'tails' };
        },
      };
    },
  };
}
