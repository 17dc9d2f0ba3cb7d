import type { Awaitable, World } from './environment.js';
import type { EnvironmentHost } from './host.js';

/**
 * The exports of the module of an environment contribution. Functions that take options are properties here and in the
 * other modules, because TypeScript compares the parameters of methods loosely: it would accept an `open` that needs an
 * undeclared option.
 */
export interface EnvironmentModule<Options> {
  readonly open: (options: Options, host: EnvironmentHost) => Awaitable<World>;
}
