// Flags that ask something of a player that cannot do it.
import type { PromptSettings } from '../config/recipe-schema.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { type CheckpointChoice, checkpointText } from '../runs/choose-checkpoint.js';
import type { AnswerSettings } from './answer-settings.js';

/** What flags ask of a player. */
export interface PlayerFlags extends AnswerSettings {
  /** Of the run's checkpoints. Absent: the newest. */
  readonly checkpoint?: CheckpointChoice;
  /** Options of a model's policy, which override those of the run, or of a text model. */
  readonly policyOptions?: { readonly [name: string]: unknown };
  /** Names of tools that may be called, with default options. Absent: the run's tools. */
  readonly tools?: readonly string[];
  /** What a model is told; each part replaces the run's. Absent: as the run says, or the usual. */
  readonly prompt?: PromptSettings;
}

/** Only a run has checkpoints. */
export function refuseCheckpoint(player: string, { checkpoint }: PlayerFlags): void {
  if (checkpoint === undefined) return;
  const instead = 'name a run; `agentgym runs list` lists the runs';
  throw idle(`--checkpoint ${checkpointText(checkpoint)}`, `\`${player}\` is not a run`, instead);
}

/** A text model counts tokens of its own, so only its own option can limit them. */
export function refuseTokenLimit(player: string, { maxActionTokens }: PlayerFlags): void {
  if (maxActionTokens === undefined) return;
  throw idle(
    `--max-action-tokens ${maxActionTokens}`,
    `\`${player}\` is a text model, which limits its answers itself`,
    `set the limit with a \`--policy-option\`: \`agentgym describe player ${player}\` lists them`,
    'and',
  );
}

/** Only models have options and a prompt, and write answers: not a person, a script, an expert or the random player. */
export function refuseModelFlags(player: string, flags: PlayerFlags): void {
  const { format, formatOptions = {}, maxActionTokens, policyOptions = {}, prompt } = flags;
  const [policyOption] = Object.keys(policyOptions);
  const [formatOption] = Object.keys(formatOptions);
  const why = `\`${player}\` is not a model`;
  if (policyOption !== undefined)
    throw idle(`--policy-option ${policyOption}`, why, 'let a run or a folder with a model play');
  const written = [
    format !== undefined && `--format ${format}`,
    formatOption !== undefined && `--format-option ${formatOption}`,
    maxActionTokens !== undefined && `--max-action-tokens ${maxActionTokens}`,
    prompt?.system !== undefined && '--prompt-system',
    prompt?.examples?.file !== undefined && '--prompt-examples-file',
    prompt !== undefined && '--prompt-examples',
  ].find((flag) => flag !== false);
  if (written !== undefined) throw idle(written, why, 'let a run, a folder with a model or a text model play');
}

/** Experts and the random player only take actions of the environment, and never call tools. */
export function refuseTools(player: string, { tools }: PlayerFlags): void {
  if (tools === undefined) return;
  const instead = 'let a person, a script or a model play';
  throw idle(`--tool ${tools[0]}`, `\`${player}\` does not call tools`, instead);
}

function idle(flag: string, why: string, instead: string, word = 'or'): AgentgymError {
  return new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`${flag}\` has no effect: ${why}.`,
    hint: `Remove it, ${word} ${instead}.`,
  });
}
