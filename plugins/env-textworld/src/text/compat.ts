/**
 * `textworld`: as the compiled story does it, also where it is wrong. `corrected`: with the corrections that
 * `corrections.ts` lists.
 */
export type Compat = 'textworld' | 'corrected';
