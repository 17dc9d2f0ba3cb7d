import type { ConversationEncoder } from '../contracts/policy.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { type Prompt, systemPrompt } from '../rollout/actor.js';
import { cutObservations } from '../rollout/cut-tokens.js';
import { type ExampleGame, WorkedExamples } from '../rollout/worked-examples.js';
import { writeDemonstration, type WritingPolicy } from '../rollout/write-demonstration.js';
import type { ChosenGame } from './choose-examples.js';

/**
 * The prompt of a policy, with the games in its action format.
 *
 * @throws AG_DEMONSTRATION if the format cannot write an action, with file and line
 */
export function writePrompt(system: string | undefined, chosen: readonly ChosenGame[], writing: WritingPolicy): Prompt {
  return promptOf(
    system,
    chosen.map((game) => writeGame(game, writing)),
  );
}

/** A prompt of games that are written already. */
export function promptOf(system: string | undefined, games: readonly ExampleGame[]): Prompt {
  const [first, ...others] = games;
  return {
    system,
    ...(first !== undefined && { examples: new WorkedExamples([first, ...others]) }),
  };
}

/** A prompt whose games show the observations that a policy reads. */
export function cutPrompt(prompt: Prompt, longest: number | undefined, encoder: ConversationEncoder): Prompt {
  if (prompt.examples === undefined || longest === undefined) return prompt;
  const games = prompt.examples.games.map((game) => cutObservations(game, longest, encoder));
  return promptOf(prompt.system, games);
}

function writeGame({ episode, place, read }: ChosenGame, writing: WritingPolicy): ExampleGame {
  try {
    const { observations, texts, calls = new Set() } = writeDemonstration(episode, writing, place);
    const [first = '', ...later] = observations;
    const { instructions } = episode;
    // The system text has the rules of the task to play, so a game with rules of its own shows them itself.
    const opening = instructions === undefined ? first : `${instructions}\n\n${first}`;
    return { task: episode.task, observations: [opening, ...later], texts, calls: [...calls] };
  } catch (error) {
    if (!isAgentgymError(error) || read === undefined) throw error;
    const { code, message, hint, cause } = error;
    const words = `${place} cannot be an example: ${message}`;
    throw new AgentgymError(code, { message: words, hint, ...read, cause });
  }
}

/** Where the number of examples is set, and what is near it, for errors. */
export interface PromptPlace {
  /** Key of a recipe. Absent: flags of a command set it. */
  readonly path?: string | undefined;
  /** What asks for fewer games: a key or a flag. */
  readonly count: string;
}

/**
 * Throws AG_DEMONSTRATION if the examples leave no room for a first action. A task's first observation counts as much as
 * that of the first game.
 */
export function refuseLongExamples(
  { examples, system }: Prompt,
  encoder: ConversationEncoder,
  { instructions, format, tools }: WritingPolicy,
  { maxTokens, maxActionTokens }: { readonly maxTokens: number; readonly maxActionTokens: number },
  place: PromptPlace,
): void {
  if (examples === undefined) return;
  const games = examples.begin(encoder, systemPrompt(instructions, format, tools, system)).length;
  const first = encoder.append(examples.before(examples.observations[0] ?? '')).length;
  if (games + first + maxActionTokens + 1 <= maxTokens) return;
  const { length } = examples.games;
  throw new AgentgymError('AG_DEMONSTRATION', {
    message: `The system text and the ${length} ${length === 1 ? 'example' : 'examples'} have ${games} tokens, so a first observation and an action of ${maxActionTokens} tokens do not fit into the ${maxTokens} of an episode.`,
    hint: `Ask for fewer games with ${place.count}, ${place.path === undefined ? '' : 'raise `rollout.maxEpisodeTokens` if it is set, '}or use a policy with a longer context.`,
    path: place.path,
  });
}
