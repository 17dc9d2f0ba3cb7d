import type { FunctionCall } from '../contracts/function-calls.js';
import type { CompletedEpisode, ToolCall } from '../contracts/trajectory.js';

/** One turn of a demonstration, before it is written in the action format of a policy. */
export interface DemonstratedTurn {
  readonly observation: string;
  /** The action given to the environment. Absent: only the text is known, or the text was no action. */
  readonly action?: string;
  /** What the player wrote. Absent: the player gives actions only. */
  readonly text?: string;
  /** The functions that it called, beside the text, in no syntax yet. */
  readonly calls?: readonly FunctionCall[] | undefined;
  /** Names of the tools that the text called. */
  readonly tools?: readonly string[];
  /** Why the text was not an action. */
  readonly malformed?: string;
  /** The turn is context only: nothing is learned from its text. */
  readonly isContext?: true;
}

/** An episode that a policy may imitate, without rewards, tokens and facts. */
export interface DemonstratedEpisode {
  /** Id of its task, if known. */
  readonly task?: string | undefined;
  /** The whole system prompt. Absent: the prompt that the policy gets in rollouts. */
  readonly system?: string | undefined;
  /** The rules of this task, if they differ from the world's. */
  readonly instructions?: string | undefined;
  /** The tools of its world that the task offered. Absent: all. */
  readonly tools?: readonly string[] | undefined;
  /** At least one. */
  readonly turns: readonly DemonstratedTurn[];
  /** The observation after the last action, if known. */
  readonly finalObservation?: string | undefined;
  /** Whether it solved the task, if known. */
  readonly success?: boolean;
}

/**
 * A completed episode as a demonstration. Undefined if the player never acted.
 *
 * @param writes whether the player writes texts, in which actions are found; false: its texts are actions
 */
export function demonstratedEpisode(episode: CompletedEpisode, writes: boolean): DemonstratedEpisode | undefined {
  const { task, instructions, tools, turns, finalObservation, success } = episode;
  if (turns.length === 0) return undefined;
  return {
    task,
    ...(instructions !== undefined && { instructions }),
    ...(tools && { tools }),
    turns: turns.map(({ observation, action, text, calls, malformed }) => ({
      observation,
      ...(action !== undefined && { action }),
      ...((action === undefined || (writes && text !== action)) && { text }),
      ...describeNonAction(calls, malformed),
    })),
    finalObservation,
    success,
  };
}

/** A call that reached no tool is as useless as malformed text, and so are all calls beside it. */
function describeNonAction(
  calls: readonly ToolCall[] | undefined,
  malformed: string | undefined,
): Pick<DemonstratedTurn, 'tools' | 'malformed'> {
  if (calls === undefined) return malformed === undefined ? {} : { malformed };
  const lost = calls.find(({ status }) => status !== 'answered' && status !== 'failed');
  if (lost !== undefined) return { malformed: `the call of ${lost.name} was ${lost.status}` };
  return { tools: calls.map(({ name }) => name) };
}
