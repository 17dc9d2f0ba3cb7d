import { describe, inject, it } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Whether long tests run (`npm run test:all`). */
    readonly long: boolean;
  }
}

/** Whether tests run that take long and guard what seldom changes. */
export const isLong = inject('long');

export const longIt = it.runIf(isLong);
export const longDescribe = describe.runIf(isLong);
