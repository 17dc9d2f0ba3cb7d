import type { Fact } from '../logic/logic.js';

/** A fact as messages show it: `in(o_0, c_1)`. */
export const write = ({ name, entities }: Fact): string => `${name}(${entities.map(({ id }) => id).join(', ')})`;
