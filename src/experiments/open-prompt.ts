// The prompt of a player: what flags ask for, and the run's own for the rest.
import type { PromptSettings } from '../config/recipe-schema.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { windowOf } from '../rollout/episode-tokens.js';
import type { Actor, Prompt } from '../rollout/actor.js';
import type { RolloutSettings } from '../rollout/collect-episodes.js';
import type { WritingPolicy } from '../rollout/write-demonstration.js';
import type { KeptPrompt } from '../runs/kept-prompt.js';
import type { HostSettings } from '../plugins/create-host.js';
import { chooseExamples } from './choose-examples.js';
import type { OpenEnvironment } from './open-environment.js';
import { knownEnvironment } from './other-environments.js';
import { cutPrompt, promptOf, refuseLongExamples, writePrompt } from './write-prompt.js';

/** The prompt of a run that plays. */
interface OwnPrompt {
  readonly settings: PromptSettings | undefined;
  readonly kept: KeptPrompt | undefined;
}

export interface PromptRequest {
  /** What flags ask for: each part replaces that of the run. Absent: as the run says. */
  readonly asked: PromptSettings | undefined;
  /** Absent: the player is no run. */
  readonly own?: OwnPrompt | undefined;
  readonly environment: OpenEnvironment;
  /** Turns of an expert's game. */
  readonly horizon: number;
  readonly rollout: RolloutSettings;
  readonly settings: Pick<HostSettings, 'random' | 'signal'>;
}

/**
 * A model with its prompt, in its action format. Other players have none.
 *
 * @throws the errors of `chooseExamples` and `writePrompt`; AG_DEMONSTRATION if the examples leave no room for an action;
 *   AG_SPLIT_LEAK if the run's games are held-out tasks here
 */
export async function withPrompt(actor: Actor, request: PromptRequest): Promise<Actor> {
  if (actor.kind === 'environment' || actor.format === undefined) return actor;
  const { format, tools } = actor;
  const writing = { format, tools, instructions: request.environment.world.instructions };
  const prompt = await openPrompt(request, writing);
  if (prompt === undefined) return actor;
  if (actor.kind === 'player') return { ...actor, prompt };
  const { history, model, maxActionTokens, maxEpisodeTokens = Infinity, observationTokens } = actor;
  const read = cutPrompt(prompt, observationTokens, model.encoder);
  const window = windowOf(history).tokens;
  const limits = { maxTokens: Math.min(window, maxEpisodeTokens, model.capabilities.maxTokens), maxActionTokens };
  refuseLongExamples(read, model.encoder, writing, limits, { count: '`--prompt-examples`' });
  return { ...actor, prompt: read };
}

async function openPrompt(
  { asked, own, environment, horizon, rollout, settings }: PromptRequest,
  writing: WritingPolicy,
): Promise<Prompt | undefined> {
  const system = asked?.system ?? own?.settings?.system;
  if (asked?.examples !== undefined) {
    const { expert } = own?.settings?.examples ?? {};
    const wanted = { ...(asked.examples.file === undefined && expert !== undefined && { expert }), ...asked.examples };
    const chosen = await chooseExamples(wanted, { environment, horizon, rollout, ...settings });
    return writePrompt(system, chosen, writing);
  }
  const games = own?.kept?.games ?? [];
  if (system === undefined && games.length === 0) return undefined;
  await refuseHeldOut(games, environment);
  return promptOf(system, games);
}

/** Options of the environment may put the run's training tasks into another split. */
async function refuseHeldOut(games: KeptPrompt['games'], { world, name }: OpenEnvironment): Promise<void> {
  if (games.length === 0) return;
  const { heldOut } = await knownEnvironment(world);
  const leaked = games.find(({ task }) => heldOut.has(task));
  if (leaked === undefined) return;
  throw new AgentgymError('AG_SPLIT_LEAK', {
    message: `The run's prompt shows the task "${leaked.task}", which is in the validation or test split of \`${name}\` with these options.`,
    hint: 'Choose other examples with `--prompt-examples 2`, or none with `--prompt-examples 0`.',
  });
}
