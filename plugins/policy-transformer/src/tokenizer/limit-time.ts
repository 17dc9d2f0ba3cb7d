import { createContext, Script } from 'node:vm';

const context = createContext({ work: undefined }) as { work: (() => void) | undefined };
const script = new Script('work()');

/**
 * Does synchronous work, and ends it if it takes longer: loops and regular expressions, too. What it has begun stays half
 * done.
 *
 * @throws what `late` gives
 */
export function limitTime<Result>(milliseconds: number, late: () => Error, work: () => Result): Result {
  let result: { readonly value: Result } | undefined;
  context.work = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: milliseconds });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? late() : error;
  } finally {
    // The texts of the last call would stay in memory.
    context.work = undefined;
  }
  return result!.value;
}
