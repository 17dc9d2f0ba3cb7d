import type { TrainingJob } from '../runner.js';

/** What a user hands to a scheduler. */
export interface Rendering {
  /** Written files. */
  readonly files: readonly string[];
  /** Commands of the user's own tools, in order. */
  readonly commands: readonly string[];
}

/** Writes runs as files that the user submits. agentgym itself starts nothing. */
export interface Renderer {
  /**
   * @param jobs runs that are missing
   * @param folder folder of the ablation or run, absolute; files are written into one below it
   */
  render(jobs: readonly TrainingJob[], folder: string): Promise<Rendering>;
}
