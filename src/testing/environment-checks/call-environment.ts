// Calls an instance like the host: each call has a separate signal, and its answer is checked against the contract.
// Artifacts are checked, too, and then left out, because they may differ when an episode is played again.
import type { Call, Conclusion, Draw, Environment, Start, StepResult } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import { checkAction, checkConclusion, checkStart, checkStepResult } from '../../rollout/check-answers.js';

/** A call that is never aborted. As the host does, it creates its signal only on demand. */
export function freshCall(): Call {
  let signal: AbortSignal | undefined;
  return {
    get signal() {
      return (signal ??= new AbortController().signal);
    },
  };
}

export const freshDraw = (random: Random): Draw => Object.assign(freshCall(), { random });

export async function reset(environment: Environment, task: string, random: Random): Promise<Start> {
  const start = checkStart(await environment.reset(task, freshDraw(random)));
  return typeof start === 'string' ? { observation: start } : withoutArtifacts(start);
}

export async function step(environment: Environment, action: string): Promise<StepResult> {
  return withoutArtifacts(checkStepResult(await environment.step(action, freshCall())));
}

export async function act(environment: Environment, player: string, random: Random): Promise<string> {
  return checkAction(await environment.act(player, freshDraw(random)));
}

/** Undefined if the environment does not grade cut episodes. */
export async function conclude(environment: Environment, cause: 'horizon' | 'tokens'): Promise<Conclusion | undefined> {
  return environment.conclude && withoutArtifacts(checkConclusion(await environment.conclude(cause, freshCall())));
}

function withoutArtifacts<T extends Pick<StepResult, 'artifacts'>>(answer: T): T {
  const { artifacts: _, ...rest } = answer;
  return rest as T;
}
