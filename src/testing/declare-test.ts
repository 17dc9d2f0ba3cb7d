/** The function of a test runner that declares a test: `it` of vitest, `test` of node:test, and so on. */
export type DeclareTest = (name: string, body: () => Promise<void>) => unknown;
