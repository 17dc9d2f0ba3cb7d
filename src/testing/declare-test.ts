/** What a test runner offers: `it` of vitest, `test` of node:test, and others alike. */
export type DeclareTest = (name: string, body: () => Promise<void>) => unknown;
