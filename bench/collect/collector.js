// Collects episodes of the benchmark's world as in a training run, and measures the time.
import { join } from 'node:path';

import { Instances, noCorpus } from '../../dist/experiments/instances.js';
import { openPluginHost } from '../../dist/plugins/open-plugin-host.js';
import { readPluginSource } from '../../dist/plugins/plugin-source.js';
import { createRandom } from '../../dist/random/create-random.js';
import { collectEpisodes } from '../../dist/rollout/collect-episodes.js';
import { runWeights } from '../../dist/runs/checkpoints.js';
import { processorSeconds } from '../sides/processor-seconds.js';
import { hostSettings, root } from '../sides/our-side.js';

const plugins = ['curriculum-standard', 'reward-standard', 'format-standard', 'policy-transformer'].map((name) =>
  join('plugins', name),
);

export async function openHost() {
  const folders = [...plugins, 'bench/collect/world'].map((folder) => join(root, folder));
  return openPluginHost(await Promise.all(folders.map(readPluginSource)));
}

/** The policy of a run, with the reward and the format that it plays with. */
export class Collector {
  static async open(host, run) {
    const settings = hostSettings(1);
    const instances = new Instances(host, settings);
    const reward = await instances.reward([{ name: 'sparse', weight: 1 }]);
    const format = await instances.format({ name: 'plain' });
    const from = await runWeights(run);
    const model = await instances.policy({ name: 'transformer' }, { corpus: noCorpus, from, valueHead: false });
    return new Collector(instances, { reward, format, model, signal: settings.signal });
  }

  constructor(instances, parts) {
    this.instances = instances;
    this.parts = parts;
  }

  get model() {
    return this.parts.model;
  }

  /** Opens the world for collections. The caller disposes of its pool. */
  environment(options, play = {}) {
    return this.instances.environment({ name: 'paced-guesses', options, ...play });
  }

  /**
   * Plays episodes. Throws if one of them ends before its last turn.
   *
   * @returns the episodes; seconds of wall time, of the processor in all threads, inside `generate` and in calls of the
   * environment; each call of `generate`
   */
  async play(environment, { collection = 'free', episodes, turns, inFlight, seed = 1, model = this.model }) {
    const { reward, format, signal } = this.parts;
    const ids = await environment.world.splits.train.ids(
      Array.from({ length: episodes }, (_, index) => index % environment.world.splits.train.count),
    );
    const keys = ids.map((task, group) => ({ iteration: 0, task, group, member: 0 }));
    const generate = [];
    const timed = timeGenerate(model, generate);
    const stepped = environment.world.times().step.milliseconds;
    const cpu = process.cpuUsage();
    const start = performance.now();
    const played = await collectEpisodes(keys, {
      actor: {
        kind: 'model',
        model: timed,
        format,
        sampling: { temperature: 1, topP: 1, topK: 0 },
        maxActionTokens: 4,
      },
      environments: environment.pool,
      reward,
      horizon: turns,
      random: createRandom(seed),
      rollout: { inFlight, retries: 0, maxFailedShare: 0, playerMilliseconds: Infinity, collection },
      signal,
    });
    const seconds = (performance.now() - start) / 1000;
    const short = played.find(({ status, turns: { length } }) => status !== 'completed' || length !== turns);
    if (short !== undefined) {
      throw new Error(
        `an episode ended after ${short.turns.length} turns: ${JSON.stringify(short.failure ?? short.truncated)}`,
      );
    }
    return {
      episodes: played,
      seconds,
      processor: processorSeconds(cpu),
      inModel: generate.reduce((sum, call) => sum + call.seconds, 0),
      inEnvironment: (environment.world.times().step.milliseconds - stepped) / 1000,
      generate,
    };
  }

  async dispose() {
    await this.model.dispose();
  }
}

/** The same model. It adds seconds and number of requests of each `generate` call to a list. */
function timeGenerate(model, calls) {
  return {
    encoder: model.encoder,
    capabilities: model.capabilities,
    get policyVersion() {
      return model.policyVersion;
    },
    async generate(requests, ...others) {
      const start = performance.now();
      const answers = await model.generate(requests, ...others);
      calls.push({ seconds: (performance.now() - start) / 1000, requests: requests.length });
      return answers;
    },
    release: (sequences) => model.release(sequences),
  };
}
