import { Listr, type DefaultRenderer, type ListrTaskWrapper, type SimpleRenderer } from 'listr2';

import { printable } from './terminal-style.js';

type Task = ListrTaskWrapper<undefined, typeof DefaultRenderer, typeof SimpleRenderer>;

/** A line on a terminal that changes while something runs. Changes before its begin are made then. */
export interface LiveLine {
  title(text: string): void;
  /** A remark below it. */
  output(text: string): void;
  /** Call it once in every case. */
  end(outcome?: 'done' | 'skipped' | 'failed'): void;
}

export type LiveLines = ReturnType<typeof liveLines>;

/**
 * Lines with these titles. `inTurn`: one begins after the other; `isCleared`: they are gone at the end. `done` resolves
 * after the end of all lines.
 */
export function liveLines(
  titles: readonly string[],
  { inTurn = false, isCleared = false }: { readonly inTurn?: boolean; readonly isCleared?: boolean } = {},
) {
  const made = titles.map(createLine);
  const list = new Listr<undefined, 'default', 'simple'>(
    made.map(({ task }, i) => ({ title: printable(titles[i] ?? ''), task })),
    {
      concurrent: !inTurn,
      // An interruption must reach the work, which saves its progress. listr2 would end the process.
      registerSignalListeners: false,
      exitOnError: false,
      rendererOptions: { collapseSubtasks: false, collapseErrors: false, clearOutput: isCleared },
    },
  );
  return { lines: made.map(({ line }) => line), done: list.run() };
}

function createLine() {
  let begin!: (task: Task) => void;
  let end!: (outcome: 'done' | 'skipped' | 'failed') => void;
  const begun = new Promise<Task>((resolve) => (begin = resolve));
  const ended = new Promise<'done' | 'skipped' | 'failed'>((resolve) => (end = resolve));
  const line: LiveLine = {
    title: (text) => void begun.then((task) => (task.title = printable(text))),
    output: (text) => void begun.then((task) => (task.output = printable(text))),
    end: (outcome = 'done') => end(outcome),
  };
  const task = async (_: undefined, own: Task): Promise<void> => {
    begin(own);
    const outcome = await ended;
    if (outcome === 'skipped') own.skip();
    if (outcome === 'failed') throw new Error('did not end');
  };
  return { line, task };
}
