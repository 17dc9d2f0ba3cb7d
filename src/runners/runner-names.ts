/** Where the runs of a grid can be trained. */
export const runnerNames = ['local', 'ray', 'slurm', 'kubernetes'] as const;

export type RunnerName = (typeof runnerNames)[number];
