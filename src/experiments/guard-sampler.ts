import type { TokenSampler } from '../contracts/sampler.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { isUnavailable } from '../errors/is-unavailable.js';
import { callPlugin, type PluginOwner, type PluginPhase } from '../plugins/call-plugin.js';

/** A sampler of a plugin whose errors name the plugin. One that says that its server is down ends the run. */
export function guardSampler(owner: PluginOwner, sampler: TokenSampler): TokenSampler {
  const call = async <T>(phase: PluginPhase, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    try {
      return await callPlugin(owner, phase, work);
    } catch (error) {
      // Whatever an aborted call throws, the reason is the interruption.
      signal.throwIfAborted();
      if (!isAgentgymError(error)) throw error;
      const { cause, code, message } = error;
      if (code !== 'AG_PLUGIN_FAILED') throw error;
      const path = 'policy.sampler';
      throw new AgentgymError(isUnavailable(cause) ? 'AG_POLICY_UNAVAILABLE' : code, { message, path, cause });
    }
  };
  return {
    promises: sampler.promises,
    connect: (signal) => call('connect', signal, () => sampler.connect(signal)),
    publish: (weights, signal) => call('publish', signal, () => sampler.publish(weights, signal)),
    generate: (requests, sampling, signal) =>
      call('generate', signal, () => sampler.generate(requests, sampling, signal)),
    describe: () => sampler.describe(),
    dispose: () => sampler.dispose?.(),
  };
}
