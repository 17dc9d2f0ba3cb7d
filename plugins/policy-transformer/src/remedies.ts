import type { Host, Remedy } from '@agentgym/cli';

const cuda = () => import('./executors/cuda/install-cuda.js');
const tensorflow = () => import('./executors/tensorflow/install-tensorflow.js');

const installation = ({ cacheDirectory, signal }: Host) => ({ engineFolder: cacheDirectory, signal });

/** Engines that this package can use and does not depend on. */
export const remedies: { readonly [name: string]: Remedy } = {
  cuda: {
    summary: "ONNX Runtime's provider for GPUs of NVIDIA",
    plan: async (host) => (await cuda()).planCuda(installation(host)),
    apply: async (host, tell) => (await cuda()).installCuda(installation(host), tell),
  },
  tensorflow: {
    summary: 'TensorFlow, which trains on a GPU if there is one',
    plan: async (host) => (await tensorflow()).planTensorFlow(installation(host)),
    apply: async (host, tell) => (await tensorflow()).installTensorFlow(installation(host), tell),
  },
};
