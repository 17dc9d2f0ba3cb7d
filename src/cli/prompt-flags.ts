import { Flags } from '@oclif/core';

import { excludeFlags } from './exclude-flags.js';

/** Reads `@FILE`; any other text is itself. */
const systemFlag = Flags.custom<string>({
  helpValue: 'TEXT|@FILE',
  parse: async (text) => {
    if (!text.startsWith('@')) return text;
    const { readTextFile } = await import('../files/read-whole-file.js');
    return readTextFile(text.slice(1));
  },
});

/** Flags for what a model is told before the first observation. */
export const promptFlags = {
  'prompt-system': systemFlag({
    description:
      "System text of a model, with {environment}, {format} and {tools} as places; default: the run's, or these three",
  }),
  'prompt-examples': Flags.integer({
    min: 0,
    helpValue: 'N',
    description: "Number of an expert's won games to show a model, on training tasks; default: the run's own games",
  }),
  'prompt-expert': Flags.string({
    helpValue: 'NAME',
    description: 'Expert that plays them; default: demonstrator',
    ...excludeFlags('prompt-examples-file'),
  }),
  'prompt-examples-file': Flags.string({
    helpValue: 'FILE',
    description: 'Show games of a file that `demonstrate` wrote instead: the first N won ones, or all',
  }),
};
