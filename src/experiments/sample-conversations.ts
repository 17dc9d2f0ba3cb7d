// Plays a few training tasks at random before a run, so that an estimate knows how long the texts of the environment are.
import type { RunPlan } from '../config/run-plan.js';
import type { ActionFormat } from '../contracts/format.js';
import type { SampleConversation } from '../contracts/policy.js';
import { isAgentgymError } from '../errors/agentgym-error.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import { demonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { fitFormat } from '../rollout/fit-format.js';
import { randomPlayer } from '../rollout/players.js';
import type { Toolbox } from '../rollout/toolbox.js';
import type { Prompt } from '../rollout/actor.js';
import { writeDemonstration } from '../rollout/write-demonstration.js';
import type { OpenEnvironment } from './open-environment.js';
import { playTrainingTasks } from './play-training-tasks.js';
import { withExamples } from './write-prompt.js';

const sampledTasks = 16;
/** Later observations are seldom longer. */
const sampledTurns = 8;

/**
 * Conversations of the random player, in the texts of the policy. The same seed gives the same ones. Empty if the
 * environment is external, because its turns may cost something, and if it plays no episode to the end.
 *
 * @throws AG_INTERRUPTED
 */
export async function sampleConversations(
  plan: RunPlan,
  {
    environment,
    reward,
    format,
    tools,
    prompt: own = {},
  }: {
    readonly environment: OpenEnvironment;
    readonly reward: ComposedReward;
    readonly format: ActionFormat;
    readonly tools?: Toolbox | undefined;
    /** Absent: the usual one. */
    readonly prompt?: Prompt;
  },
  { random, signal }: Pick<HostSettings, 'random' | 'signal'>,
): Promise<readonly SampleConversation[]> {
  if (environment.world.external) return [];
  const instructions = environment.world.instructions;
  const { system: ownSystem } = own;
  const writing = {
    ...{ format: fitFormat(format, { tools }), instructions },
    ...(tools && { tools }),
    ...(ownSystem !== undefined && { system: ownSystem }),
  };
  const played = { plan, environment, reward, tasks: sampledTasks, random: random.stream('memory'), signal };
  try {
    const turns = Math.min(sampledTurns, plan.longestHorizon);
    const episodes = await playTrainingTasks(played, { kind: 'environment', player: randomPlayer }, 1, turns);
    return episodes.flatMap((episode) => {
      const demonstrated = demonstratedEpisode(episode, false);
      if (demonstrated === undefined) return [];
      const { system, observations, texts } = writeDemonstration(demonstrated, writing, episode.task);
      return [withExamples({ system, observations, texts }, own)];
    });
  } catch (error) {
    if (isAgentgymError(error) && error.code === 'AG_INTERRUPTED') throw error;
    // What is wrong with the environment shows in the run, where it can be named.
    return [];
  }
}
