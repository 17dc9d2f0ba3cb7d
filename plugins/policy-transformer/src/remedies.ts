import type { Host, Remedy } from '@agentgym/cli';

const load = () => import('./executors/tensorflow/install-tensorflow.js');

const installation = ({ cacheDirectory, signal }: Host) => ({ engineFolder: cacheDirectory, signal });

/** Engines that this package can use and does not depend on. */
export const remedies: { readonly [name: string]: Remedy } = {
  tensorflow: {
    summary: 'TensorFlow, which trains on a GPU if there is one',
    plan: async (host) => (await load()).planTensorFlow(installation(host)),
    apply: async (host, tell) => (await load()).installTensorFlow(installation(host), tell),
  },
};
