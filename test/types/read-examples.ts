import { readFileSync } from 'node:fs';

import { shown, sourceFiles } from '../architecture/source-files.js';

/** An `@example` of a doc comment. */
export interface Example {
  /** The name of a file, from its first line. */
  readonly name: string;
  /** The contract with the doc comment, such as `src/contracts/reward.ts`. */
  readonly contract: string;
  readonly text: string;
}

/** Every example in the doc comments of the contracts. Throws on one that does not begin with the name of a file. */
export function readExamples(): Example[] {
  return sourceFiles('src/contracts').flatMap((file) => {
    const contract = shown(file);
    const blocks = readFileSync(file, 'utf8').matchAll(/^ \* @example\n \* ```ts\n((?: \*.*\n)*?) \* ```$/gm);
    return Array.from(blocks, ([, block = '']) => {
      const text = block.replace(/^ \* ?/gm, '');
      const name = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1];
      if (name === undefined) throw new Error(`an example in ${contract} does not begin with the name of its file`);
      return { name, contract, text };
    });
  });
}
