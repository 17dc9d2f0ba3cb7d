// What servers of the protocol do differently. Read from the source of SkyRL 0.4.0 (skyrl/backends/jax.py,
// skyrl/backends/skyrl_train/workers/worker.py, skyrl/tinker/api.py) and from the SDK of Tinker 0.38.0.

export interface ServerFacts {
  /**
   * How the losses of tokens become the gradient of a step. `sum`: a sum over all tokens since the last step.
   * `sequence-mean`: each sequence's sum is divided by its sum of `weights`, and the sum over sequences by their number.
   */
  readonly reduction: 'sum' | 'sequence-mean';
  /** Losses with advantages read `weights` too, and take tokens without it as trained. */
  readonly weightsInAllLosses: boolean;
  /** `optim_step` clips the gradient by its norm. */
  readonly clips: boolean;
  /** Log probabilities in sampling and training are computed by the same program, and agree to 1e-4. */
  readonly exact: boolean;
}

export const servers: { readonly [Name in 'tinker' | 'skyrl' | 'skyrl-jax']: ServerFacts } = {
  tinker: { reduction: 'sum', weightsInAllLosses: false, clips: true, exact: false },
  skyrl: { reduction: 'sum', weightsInAllLosses: true, clips: false, exact: false },
  'skyrl-jax': { reduction: 'sequence-mean', weightsInAllLosses: true, clips: false, exact: true },
};
