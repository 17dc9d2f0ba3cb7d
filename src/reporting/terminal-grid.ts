import { Listr, type DefaultRenderer, type ListrTaskWrapper, type SimpleRenderer } from 'listr2';

import type { GridDisplay, GridProgress } from './grid-progress.js';
import { printable } from './terminal-style.js';

type Task = ListrTaskWrapper<undefined, typeof DefaultRenderer, typeof SimpleRenderer>;

/**
 * Live lines: one per cell, and one for the whole grid. Warnings and failures are printed when the lines no longer
 * move.
 */
export function terminalGrid(progress: GridProgress, print: (line: string) => void): GridDisplay {
  const remarks: string[] = [];
  const lines = new Map(progress.cells.map((id) => [id, createLine()]));
  const whole = createLine();
  const list = new Listr<undefined, 'default', 'simple'>(
    [
      ...progress.cells.map((id) => ({
        title: printable(progress.describe(id)),
        task: taskOf(lines.get(id) ?? createLine()),
      })),
      { title: progress.summary(performance.now()), task: taskOf(whole) },
    ],
    {
      concurrent: true,
      // An interruption must reach the runs, which save their progress. listr2 would end the process.
      registerSignalListeners: false,
      exitOnError: false,
      rendererOptions: { collapseSubtasks: false, collapseErrors: false },
    },
  );
  const done = list.run();
  return {
    event(event) {
      const now = performance.now();
      progress.take(event, now);
      const line = lines.get(event.cell);
      line?.write((task) => (task.title = printable(progress.describe(event.cell))));
      whole.write((task) => (task.title = progress.summary(now)));
      const run = `${event.cell}, seed ${event.seed}`;
      if (event.type === 'run-ended' && event.status === 'failed') remarks.push(`${run}: failed: ${event.cause ?? ''}`);
      if (event.type === 'run-event' && event.event.type === 'warning') remarks.push(`${run}: ${event.event.message}`);
      if (progress.isDone(event.cell)) line?.end();
    },
    async close() {
      for (const [id, line] of lines) {
        if (!progress.isDone(id)) line.write((task) => task.skip());
        line.end();
      }
      whole.end();
      await done;
      for (const remark of new Set(remarks)) print(remark);
    },
  };
}

interface Line {
  /** Changes the line once the display shows it. */
  write(change: (task: Task) => void): void;
  begin(task: Task): void;
  end(): void;
  readonly ended: Promise<void>;
}

function createLine(): Line {
  let begin!: (task: Task) => void;
  let end!: () => void;
  const begun = new Promise<Task>((resolve) => (begin = resolve));
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { begin, end, ended, write: (change) => void begun.then(change) };
}

function taskOf(line: Line) {
  return async (_: undefined, task: Task): Promise<void> => {
    line.begin(task);
    await line.ended;
  };
}
