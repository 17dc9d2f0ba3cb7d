// Calls an instance like the host: each call has a separate signal, and its answer is checked against the contract.
import type { Call, Conclusion, Draw, Environment, Start, StepResult } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import { messageOf } from '../../errors/message-of.js';
import { checkAction, checkConclusion, checkStart, checkStepResult } from '../../rollout/check-answers.js';

/** An answer that breaks the contract. The message begins with the member. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/** A call that is never aborted. As the host does, it creates its signal only on demand. */
class FreshCall implements Call {
  #signal: AbortSignal | undefined;

  get signal(): AbortSignal {
    return (this.#signal ??= new AbortController().signal);
  }
}

class FreshDraw extends FreshCall implements Draw {
  constructor(readonly random: Random) {
    super();
  }
}

/** The argument of a call that is never aborted. */
export function freshCall(): Call {
  return new FreshCall();
}

export function freshDraw(random: Random): Draw {
  return new FreshDraw(random);
}

export async function reset(environment: Environment, task: string, random: Random): Promise<Start> {
  const start = checked(checkStart, await environment.reset(task, freshDraw(random)));
  return typeof start === 'string' ? { observation: start } : start;
}

export async function step(environment: Environment, action: string, call = freshCall()): Promise<StepResult> {
  return checked(checkStepResult, await environment.step(action, call));
}

export async function act(environment: Environment, player: string, random: Random): Promise<string> {
  return checked(checkAction, await environment.act(player, freshDraw(random)));
}

/** Undefined if the environment does not grade cut episodes. */
export async function conclude(environment: Environment, cause: 'horizon' | 'tokens'): Promise<Conclusion | undefined> {
  if (environment.conclude === undefined) return undefined;
  return checked(checkConclusion, await environment.conclude(cause, freshCall()));
}

function checked<T>(check: (value: unknown) => T, value: unknown): T {
  try {
    return check(value);
  } catch (error) {
    throw new BadAnswer(messageOf(error), { cause: error });
  }
}
