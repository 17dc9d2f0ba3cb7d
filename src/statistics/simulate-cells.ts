import type { Random } from '../contracts/random.js';
import type { OutcomeMatrix } from './outcome-matrix.js';

/**
 * Two cells without a difference on average. All deviations are those of normal effects on the log-odds of a success.
 */
export interface SimulatedCells {
  readonly seeds: number;
  /** The number of tasks in each cluster. */
  readonly clusters: readonly number[];
  /**
   * Success rate, in 0..1, up to a percent or two: by the approximation of Zeger, Liang and Albert (1988, Biometrics
   * 44, 1049-1060).
   */
  readonly rate: number;
  /** Deviation of a seed, drawn separately for each cell, since trainings from one seed diverge after a few steps. */
  readonly seedEffect: number;
  /** Deviation of a cluster in one of the cells: what this cell is better at with every seed. */
  readonly preference: number;
  /** Deviation of a cluster under one seed of one cell: what this training run happened to learn. */
  readonly habit: number;
  /** Deviation of clusters, the same for both cells. */
  readonly clusterDifficulty: number;
  /** Deviation of tasks within their cluster, the same for both cells. */
  readonly taskDifficulty: number;
}

/** Plays each task once for each seed of both cells; entries are success rates of a cluster. */
export function simulateCells(cells: SimulatedCells, random: Random): { first: OutcomeMatrix; second: OutcomeMatrix } {
  const { seeds, clusters, seedEffect, preference, habit, clusterDifficulty, taskDifficulty } = cells;
  const squares = [seedEffect, preference, habit, clusterDifficulty, taskDifficulty].map((deviation) => deviation ** 2);
  const variance = squares.reduce((sum, square) => sum + square, 0);
  const base = Math.log(cells.rate / (1 - cells.rate)) * Math.sqrt(1 + 0.346 * variance);
  const draw = (deviation: number): number => (deviation === 0 ? 0 : deviation * random.normal());

  const difficulties = clusters.map((size) => {
    const ofCluster = base + draw(clusterDifficulty);
    return Array.from({ length: size }, () => ofCluster + draw(taskDifficulty));
  });
  const play = (): number[][] => {
    const preferences = clusters.map(() => draw(preference));
    return Array.from({ length: seeds }, () => {
      const ofSeed = draw(seedEffect);
      return difficulties.map((tasks, cluster) => {
        const shift = ofSeed + (preferences[cluster] as number) + draw(habit);
        const solved = tasks.filter((difficulty) => random.uniform() < 1 / (1 + Math.exp(-difficulty - shift)));
        return solved.length / tasks.length;
      });
    });
  };
  return { first: play(), second: play() };
}
