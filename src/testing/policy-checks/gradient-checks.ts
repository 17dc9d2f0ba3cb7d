// The contract returns no gradient, only its norm. To first order, a step of size h of plain gradient descent lowers
// the loss by h times the squared norm. If the applied gradient is not the gradient of the returned loss, the two
// numbers differ.
import { gradientNorm, playBatch, reinforcementLoss, type PolicyCheck } from './policy-context.js';

/** Planned decrease of the loss by one step: large compared with 32-bit rounding, small compared with the curvature. */
const wanted = 2e-3;

/** Allowed relative difference of slope and norm, after the correction for curvature. */
const allowed = 0.05;

const total = (terms: { readonly [name: string]: number }): number =>
  Object.values(terms).reduce((sum, value) => sum + value, 0);

export const gradientChecks: readonly PolicyCheck[] = [
  {
    id: 'finite-differences',
    title: 'a small step of plain gradient descent lowers the loss as much as the norm of the gradient predicts',
    severity: 'error',
    likelyCause:
      'the derivative of an operation is wrong, some weights get no gradient, or the norm is of something else',
    why: 'The optimizer would minimise another loss.',
    cure: 'Check the derivative of each operation by finite differences, and check that every weight gets a gradient.',
    idle: ({ model }) =>
      model.capabilities.optimizers.includes('sgd') ? undefined : 'it has no plain gradient descent, `sgd`',
    run: async (context) => {
      const { model } = context;
      const batch = await playBatch(context);
      const loss = reinforcementLoss(model);
      const lossNow = async (): Promise<number> => total((await model.forwardBackward(batch, loss)).terms);
      await model.resetOptimizer({ name: 'sgd', options: {} });
      const norm = await gradientNorm(model, [batch], loss);
      if (!(norm > 0)) return [`the gradient has norm ${norm}`];
      const step = wanted / norm ** 2;
      const losses = [];
      // For two steps of one size, the curvature k lowers the first decrease by k/2 and the second by 5k/2. A quarter
      // of their difference is therefore added to the first.
      for (let taken = 0; taken < 3; taken += 1) {
        losses.push(await lossNow());
        await model.optimizerStep({ learningRate: taken < 2 ? step : 0 });
      }
      const [before = NaN, between = NaN, after = NaN] = losses;
      const [first, second] = [before - between, between - after];
      const fall = (5 * first - second) / 4;
      if (Math.abs(fall / wanted - 1) <= allowed) return [];
      return [`a step along a gradient of norm ${norm} should lower the loss by ${wanted}, but lowers it by ${fall}`];
    },
  },
];
