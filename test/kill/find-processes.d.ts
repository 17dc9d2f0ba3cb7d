export function findProcesses(program: string): number[];
export function findProcessesBelow(folder: string): number[];
