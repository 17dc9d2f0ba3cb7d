/**
 * The function of a test runner that declares a test: `it` of vitest, `test` of node:test, and so on. The third
 * argument is the time limit of the test, in milliseconds. A runner that does not know the argument ignores it.
 */
export type DeclareTest = (name: string, body: () => Promise<void>, limit: number) => unknown;
