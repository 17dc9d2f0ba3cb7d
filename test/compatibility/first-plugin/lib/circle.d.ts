import type { Environment, Host, TaskSplits } from '@agentgym/cli';
import type { Options } from './options.js';
/** Task n begins at starts[floor(n / 3) % length] and belongs to the split n % 3. */
export declare function tasks(_options: Options): TaskSplits;
/** Say the next number of a circle, twice. */
export declare function create({ size, reply, starts, names, title, strict }: Options, host: Host): Environment;
