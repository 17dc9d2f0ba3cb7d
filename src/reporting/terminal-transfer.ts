import { type DefaultRenderer, Listr, type ListrTaskWrapper, type SimpleRenderer } from 'listr2';

import type { TransferEvent } from '../transfers/transfer-event.js';
import type { TransferDisplay } from './show-transfer.js';
import { printable } from './terminal-style.js';
import { TransferLines } from './transfer-lines.js';

type Task = ListrTaskWrapper<undefined, typeof DefaultRenderer, typeof SimpleRenderer>;

/** Live lines on a terminal, one for each file. They appear when the files are known. */
export function terminalTransfer(): TransferDisplay {
  const lines = new TransferLines();
  const files = new Map<string, Line>();
  let done: Promise<unknown> = Promise.resolve();
  return {
    event(event: TransferEvent): void {
      const now = performance.now();
      lines.take(event, now);
      if (event.type === 'planned') {
        for (const { name } of event.files) files.set(name, createLine(lines.progress(name, now)));
        done = display([...files.values()]).run();
        return;
      }
      const line = files.get(event.name);
      if (event.type === 'progress') line?.write(lines.progress(event.name, now));
      else {
        line?.write(lines.finished(event.name, event.outcome));
        line?.end();
      }
    },
    async close(): Promise<void> {
      for (const line of files.values()) line.stop();
      await done;
    },
  };
}

interface Line {
  readonly task: { readonly title: string; readonly task: (context: undefined, task: Task) => Promise<unknown> };
  readonly write: (title: string) => void;
  readonly end: () => void;
  /** Marks the line as skipped if it has not ended. */
  readonly stop: () => void;
}

function createLine(title: string): Line {
  let begin!: (task: Task) => void;
  let settle!: (isComplete: boolean) => void;
  const begun = new Promise<Task>((resolve) => (begin = resolve));
  const ended = new Promise<boolean>((resolve) => (settle = resolve));
  return {
    task: {
      title: printable(title),
      task: async (_, task) => {
        begin(task);
        if (!(await ended)) task.skip();
      },
    },
    write: (text) => void begun.then((task) => (task.title = printable(text))),
    end: () => settle(true),
    stop: () => settle(false),
  };
}

function display(lines: readonly Line[]) {
  return new Listr<undefined, 'default', 'simple'>(
    lines.map(({ task }) => task),
    // The command ends a transfer at Ctrl-C, so that it can go on later. listr2 would end the process.
    { concurrent: true, registerSignalListeners: false, exitOnError: false },
  );
}
