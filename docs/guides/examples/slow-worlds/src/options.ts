import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const leasedGameOptions = {
  url: { type: 'string', default: 'http://127.0.0.1:8765', description: 'Address of the server' },
} as const satisfies OptionsDeclaration;

export const pythonGameOptions = {
  python: { type: 'string', default: 'python3', description: 'The command that starts Python 3' },
} as const satisfies OptionsDeclaration;

export type LeasedGameOptions = OptionsOf<typeof leasedGameOptions>;
export type PythonGameOptions = OptionsOf<typeof pythonGameOptions>;
