import type { ActionFormat } from '../contracts/format.js';
import type { Player, TextPlayer } from '../contracts/player.js';
import type { PolicyModel, Sampling } from '../contracts/policy.js';
import type { History } from './episode-tokens.js';
import { describeActions } from './text-calls.js';
import type { Toolbox, ToolList } from './toolbox.js';
import type { WorkedExamples } from './worked-examples.js';

/** What a model is told before the first observation of a task. */
export interface Prompt {
  /** The system text, with places; see `systemPrompt`. Absent: the usual one. */
  readonly system?: string | undefined;
  /** Games that the conversation begins with. Absent: none. */
  readonly examples?: WorkedExamples | undefined;
}

/** A policy model that writes actions in a format. Only its episodes can be used for training. */
export interface ModelActor {
  readonly kind: 'model';
  readonly model: PolicyModel;
  readonly format: ActionFormat;
  readonly sampling: Sampling;
  /** Tokens after which an action is cut. */
  readonly maxActionTokens: number;
  /** Tokens that an episode samples and reads at most; absent: no limit but the model's of a sequence. */
  readonly maxEpisodeTokens?: number | undefined;
  /** What it reads of its episodes; absent: everything. */
  readonly history?: History | undefined;
  /** Tokens after which an observation is cut; absent: it is cut by characters only. */
  readonly observationTokens?: number | undefined;
  /** The tools that it may call instead of acting. */
  readonly tools?: Toolbox | undefined;
  /** Absent: the usual system text, and no examples. */
  readonly prompt?: Prompt | undefined;
}

/**
 * The environment's player: the random baseline or an expert. The environment chooses its actions, and it calls no
 * tools.
 */
export interface EnvironmentActor {
  readonly kind: 'environment';
  readonly player: string;
  readonly tools?: undefined;
}

/** A player without tokens. */
interface PlayerActor {
  readonly kind: 'player';
  readonly player: Player | TextPlayer;
  /** How it writes actions. Absent: its text is the action. */
  readonly format?: ActionFormat | undefined;
  readonly tools?: Toolbox | undefined;
  /** Absent: the usual system text, and no examples. */
  readonly prompt?: Prompt | undefined;
}

/** A text model, not a person or a script: it has limits of its own, and something to free. */
export function isTextPlayer(player: Player | TextPlayer): player is TextPlayer {
  return 'concurrency' in player;
}

/** Anything that can play an episode. */
export type Actor = ModelActor | EnvironmentActor | PlayerActor;

/** A place in a system text; in doubled braces it is plain text. */
const place = /\{\{(environment|format|tools)\}\}|\{(environment|format|tools)\}/g;

/** The system text if nobody writes another. */
const usualSystem = '{environment}\n\n{format}\n\n{tools}';

/**
 * The text before the first observation. `{environment}`, `{format}` and `{tools}` in `text` stand for the environment's
 * rules, how to write an action, and how to call tools. A paragraph that is only such a place is left out if there is
 * nothing to say. Other braces are plain text.
 *
 * @param text default: the three places
 */
export function systemPrompt(
  instructions: string,
  format?: ActionFormat,
  tools?: ToolList,
  text = usualSystem,
): string {
  const aboutTools = format?.readCalls === undefined ? tools?.instructions : tools?.instructionsBesideFunctions;
  const parts: { readonly [name: string]: string } = {
    environment: instructions,
    // A person writes actions without a format.
    format: format?.instructions ?? (tools?.actions.length ? describeActions(tools.actions) : ''),
    tools: aboutTools ?? '',
  };
  const isEmpty = (paragraph: string) => {
    const [, name = ''] = /^\{(environment|format|tools)\}$/.exec(paragraph) ?? [];
    return parts[name] === '';
  };
  const said = text.split('\n\n').filter((paragraph) => !isEmpty(paragraph));
  return said.join('\n\n').replaceAll(place, (_, plain?: string, name?: string) => {
    return plain === undefined ? (parts[name as string] as string) : `{${plain}}`;
  });
}
