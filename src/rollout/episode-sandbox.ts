import type { Random } from '../contracts/random.js';
import type { SandboxOptions } from '../contracts/sandbox.js';
import { usualLimits } from '../sandbox/sandbox-command.js';
import type { PlacedSandbox } from '../sandbox/sandbox-place.js';

/** Opens a sandbox; `id` names it for records. */
export type OpenSandbox = (options: SandboxOptions, id: string) => Promise<PlacedSandbox>;

/** The sandbox of one attempt at an episode: opened when somebody first asks for it, and shared by all who do. */
export class EpisodeSandbox {
  readonly #open: OpenSandbox;
  readonly #options: SandboxOptions;
  readonly #name: string;
  #opening: Promise<PlacedSandbox> | undefined;
  #id: string | undefined;

  /** @param random the attempt's own stream, so that records of equal runs are equal */
  constructor(open: OpenSandbox, options: SandboxOptions, random: Random) {
    this.#open = open;
    this.#options = options;
    this.#name = random
      .stream('sandbox')
      .integer(0, 2 ** 48)
      .toString(16)
      .padStart(12, '0');
  }

  /** @throws AG_SANDBOX */
  open(): Promise<PlacedSandbox> {
    this.#opening ??= this.#open(this.#options, this.#name).then((sandbox) => {
      this.#id = sandbox.id;
      return sandbox;
    });
    return this.#opening;
  }

  /** Its id, once it is open. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Never throws. */
  async close(): Promise<void> {
    await this.#opening?.then((sandbox) => sandbox.close()).catch(() => undefined);
  }
}

/**
 * What all of these may use together: the largest of their limits, all files that they read, and what any of them hides. Of
 * two values of a variable, the first counts. Undefined if nobody needs a sandbox.
 */
export function joinSandboxOptions(all: readonly (SandboxOptions | undefined)[]): SandboxOptions | undefined {
  const some = all.filter((one) => one !== undefined);
  if (some.length <= 1) return some[0];
  const most = (limit: 'megabytes' | 'diskMegabytes' | 'files' | 'processes') => {
    // One who sets no limit asks for the usual one.
    const set = some.map((one) => one[limit] ?? usualLimits[limit]);
    return { [limit]: Math.max(...set) };
  };
  const paths = (key: 'read' | 'hide') => [...new Set(some.flatMap((one) => one[key] ?? []))];
  return {
    ...{ read: paths('read'), hide: paths('hide') },
    ...{ ...most('megabytes'), ...most('diskMegabytes'), ...most('files'), ...most('processes') },
    env: Object.assign({}, ...some.toReversed().map(({ env }) => env)) as NonNullable<SandboxOptions['env']>,
  };
}
