import type { EnvironmentHost, World } from '@agentgym/cli';
import type { Options } from './options.js';
/** Say the next number of a circle, twice. */
export declare function open(options: Options, host: EnvironmentHost): World;
