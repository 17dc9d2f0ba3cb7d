import type { Random } from '../contracts/random.js';
import type { OutcomeMatrix } from './outcome-matrix.js';

/**
 * Two cells between which there is no difference on average. Deviations are of normal effects on the log-odds of a
 * success.
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
  /** Of a seed, drawn for each cell anew, since trainings from one seed part after a few steps. */
  readonly seedEffect: number;
  /** Of a cluster in one of the cells: what this cell is better at, whatever the seed. */
  readonly preference: number;
  /** Of a cluster under one seed of one cell: what this training run happened to learn. */
  readonly habit: number;
  /** Of clusters, for both cells alike. */
  readonly clusterDifficulty: number;
  /** Of tasks within their cluster, for both cells alike. */
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
