import type { TrainingJob } from '../runner.js';

/** What a user hands to a scheduler. */
export interface Rendering {
  /** Written files. */
  readonly files: readonly string[];
  /** Commands of the user's own tools, in order. Each is one line for a shell. */
  readonly commands: readonly string[];
}

/** The ablation whose runs are written down. */
export interface RenderedGrid {
  /** Its folder, absolute. Files are written into one below it. */
  readonly path: string;
  /** What only this ablation has, for names that others can see. It stays the same when the ablation continues. */
  readonly id: string;
}

/** Writes runs as files that the user submits. agentgym itself starts nothing. */
export interface Renderer {
  /**
   * Checks the paths and names of runs before anything is written.
   *
   * @param path folder of the ablation, absolute
   * @throws AG_COMMAND_USAGE for those that the scheduler cannot have
   */
  check(jobs: readonly TrainingJob[], path: string): void;
  /** @param jobs runs that are missing */
  render(jobs: readonly TrainingJob[], grid: RenderedGrid): Promise<Rendering>;
}
