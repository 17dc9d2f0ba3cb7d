export function findProcesses(program: string): number[];
export function findProcessesWith(words: readonly string[]): number[];
export function findProcessesBelow(folder: string): number[];
