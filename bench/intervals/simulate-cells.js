/**
 * Two cells without a difference on average: plays each task once for each seed of both. All deviations are those of
 * normal effects on the log-odds of a success.
 *
 * `cells` has `seeds`, their number; `clusters`, the number of tasks in each cluster; `rate`, the success rate in 0..1,
 * up to a percent or two, by the approximation of Zeger, Liang and Albert (1988, Biometrics 44, 1049-1060); and the
 * deviations
 *
 * - `seedEffect` of a seed, drawn separately for each cell, since trainings from one seed diverge after a few steps;
 * - `preference` of a cluster in one of the cells: what this cell is better at with every seed;
 * - `habit` of a cluster under one seed of one cell: what this training run happened to learn;
 * - `clusterDifficulty` of clusters, the same for both cells;
 * - `taskDifficulty` of tasks within their cluster, the same for both cells.
 *
 * @returns the outcomes of the cells, `first` and `second`: one row per seed, one column per cluster, success rates
 */
export function simulateCells(cells, random) {
  const { seeds, clusters, seedEffect, preference, habit, clusterDifficulty, taskDifficulty } = cells;
  const squares = [seedEffect, preference, habit, clusterDifficulty, taskDifficulty].map((deviation) => deviation ** 2);
  const variance = squares.reduce((sum, square) => sum + square, 0);
  const base = Math.log(cells.rate / (1 - cells.rate)) * Math.sqrt(1 + 0.346 * variance);
  const draw = (deviation) => (deviation === 0 ? 0 : deviation * random.normal());

  const difficulties = clusters.map((size) => {
    const ofCluster = base + draw(clusterDifficulty);
    return Array.from({ length: size }, () => ofCluster + draw(taskDifficulty));
  });
  const play = () => {
    const preferences = clusters.map(() => draw(preference));
    return Array.from({ length: seeds }, () => {
      const ofSeed = draw(seedEffect);
      return difficulties.map((tasks, cluster) => {
        const shift = ofSeed + preferences[cluster] + draw(habit);
        const solved = tasks.filter((difficulty) => random.uniform() < 1 / (1 + Math.exp(-difficulty - shift)));
        return solved.length / tasks.length;
      });
    });
  };
  return { first: play(), second: play() };
}
