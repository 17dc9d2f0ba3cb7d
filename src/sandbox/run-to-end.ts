// A program of a sandbox from its start to its end, or to a limit.
import type { SandboxCall, SandboxLimit, SandboxResult } from '../contracts/sandbox.js';
import { awaitEnding } from '../processes/await-ending.js';
import type { OwnedProcess } from '../processes/spawn-owned.js';

export const usualSeconds = 10;
export const usualBytes = 2 ** 20;

/** How a kind of sandbox keeps its limits. */
export interface Keeping {
  /** Tells `stop` of limits that are reached, until `ended` is aborted. `begun` is when the program began. */
  readonly look: (begun: number, stop: (limit: SandboxLimit) => void, ended: AbortSignal) => Promise<void>;
  /** Kills what the program left behind. */
  readonly sweep: () => Promise<void>;
}

/** @throws the reason of the call's signal */
export async function runToEnd(
  child: OwnedProcess,
  { input = '', outputBytes = usualBytes, signal }: SandboxCall,
  { look, sweep }: Keeping,
): Promise<SandboxResult> {
  const begun = performance.now();
  let limit: SandboxLimit | undefined;
  const end = new AbortController();
  const stop = (reached: SandboxLimit) => {
    limit ??= reached;
    end.abort();
  };
  const outputs = new Outputs(child, outputBytes, () => stop('output'));
  child.stdin.end(input);
  const ending = awaitEnding(child);
  const looking = look(begun, stop, end.signal);
  const stopped = new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()));
  const aborted = () => end.abort();
  signal?.addEventListener('abort', aborted, { once: true });
  // Not its ending: what it left behind may hold its outputs open.
  await Promise.race([child.ended, stopped]);
  const milliseconds = performance.now() - begun;
  end.abort();
  child.kill();
  await sweep();
  const { code } = await ending;
  await looking;
  signal?.removeEventListener('abort', aborted);
  signal?.throwIfAborted();
  return { code: limit === undefined ? code : null, ...outputs.texts(), ...(limit && { limit }), milliseconds };
}

/** Standard output and error of a program, up to a number of bytes together. */
class Outputs {
  readonly #pieces: { readonly stdout: Buffer[]; readonly stderr: Buffer[] } = { stdout: [], stderr: [] };
  #left: number;

  constructor(child: OwnedProcess, most: number, tooMuch: () => void) {
    this.#left = most;
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (piece: Buffer) => {
        this.#pieces[name].push(piece.subarray(0, Math.max(0, this.#left)));
        this.#left -= piece.length;
        if (this.#left < 0) tooMuch();
      });
    }
  }

  texts(): { readonly stdout: string; readonly stderr: string } {
    const { stdout, stderr } = this.#pieces;
    return { stdout: Buffer.concat(stdout).toString('utf8'), stderr: Buffer.concat(stderr).toString('utf8') };
  }
}
