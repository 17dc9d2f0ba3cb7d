import type { ActionFormat } from '@agentgym/cli';
/** A number and nothing else. */
export declare function create(): ActionFormat;
