// The contract shows no gradient, only its norm. Plain descent shows the rest: a step of size h along it lowers the
// loss by h times the norm squared, to first order. Where the gradient that is applied is not that of the loss that is
// returned, the two do not meet.
import { gradientNorm, playBatch, reinforcementLoss, type PolicyCheck } from './policy-context.js';

/** How much of the loss a step is meant to take: large beside the rounding of 32 bits, small beside the curvature. */
const wanted = 2e-3;

/** Share by which slope and norm may differ, after the curvature is taken out. */
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
      // Of two steps of one size the first falls short by half a curvature, the second by two and a half: a quarter of
      // their difference is put back.
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
