import type { Tool } from '@agentgym/cli';
/** Counts the letters of a word, and how many words it was asked about in an episode. */
export declare function create(): Tool;
