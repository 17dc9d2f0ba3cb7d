/** Counts the letters of a word, and how many words it was asked about in an episode. */
export function create() {
  return {
    instructions: 'To count the letters of a word write <letters>word</letters>.',
    example: '<letters>cat</letters>',
    parse(text) {
      if (!text.includes('<letters>')) return undefined;
      const word = /^<letters>(\w{0,40})<\/letters>$/.exec(text.trim())?.[1];
      return word === undefined ? { malformed: 'one word is wanted between the tags' } : { call: word };
    },
    begin() {
      let words = 0;
      return {
        run(call) {
          const { length } = call;
          words += 1;
          return length === 0 ? { output: 'no word', failed: true } : { output: `${length} letters, word ${words}` };
        },
      };
    },
  };
}
