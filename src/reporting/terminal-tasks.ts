import { Listr, type ListrTaskWrapper, type DefaultRenderer, type SimpleRenderer } from 'listr2';

import type { RunEvent } from '../contracts/events.js';
import { formatSeconds } from './format-quantity.js';
import { StageProgress } from './stage-progress.js';
import type { ProgressDisplay } from './progress-display.js';
import { printable } from './terminal-style.js';

type Task = ListrTaskWrapper<undefined, typeof DefaultRenderer, typeof SimpleRenderer>;

/** A line of the display. It waits until it begins, then until it ends. */
interface Phase {
  readonly name: string;
  /** Resolves once the display has begun the line. */
  readonly begun: Promise<Task>;
  begin(task: Task): void;
  readonly ended: Promise<void>;
  end(error?: Error): void;
}

/**
 * Live lines on a terminal: preparation, every stage, the final evaluation.
 *
 * @param print prints warnings at the end, when the lines no longer move
 */
export function terminalTasks(stages: readonly string[], print: (line: string) => void): ProgressDisplay {
  const phases = ['Preparation', ...stages, 'Final evaluation'].map(createPhase);
  let present = 0;
  let progress: StageProgress | undefined;
  let closing = false;
  /** Whether anything happened in the current phase. */
  let touched = false;
  const warnings = new Set<string>();
  const list = new Listr<undefined, 'default', 'simple'>(
    phases.map((phase) => ({
      title: phase.name,
      task: async (_, task) => {
        if (closing) return task.skip();
        phase.begin(task);
        await phase.ended;
      },
    })),
    {
      // An interruption must reach training, which saves its progress. listr2 would end the process.
      registerSignalListeners: false,
      exitOnError: false,
      rendererOptions: { collapseSubtasks: false, collapseErrors: false },
    },
  );
  const done = list.run();
  const write = (phase: Phase | undefined, change: (task: Task) => void) => void phase?.begun.then(change);
  const moveTo = (index: number) => {
    if (present < index) touched = false;
    for (; present < index; present++) phases[present]?.end();
  };

  return {
    event(event: RunEvent): void {
      const phase = phases[present];
      touched = true;
      switch (event.type) {
        case 'stage-started':
          progress = new StageProgress(event.stage, event.steps, event.done, performance.now());
          moveTo(Math.max(present, 1 + stages.indexOf(event.stage)));
          touched = true;
          return;
        case 'step':
        case 'evaluation': {
          progress?.take(event, performance.now());
          const title = progress?.describe();
          if (title !== undefined) write(phase, (task) => (task.title = title));
          return;
        }
        case 'stage-finished': {
          const title = `${event.stage}: ${event.step} steps, ${formatSeconds(event.seconds)}`;
          write(phase, (task) => (task.title = title));
          progress = undefined;
          moveTo(present + 1);
          return;
        }
        case 'activity':
          write(phase, (task) => (task.output = printable(event.message)));
          return;
        case 'warning':
          warnings.add(event.message);
          write(phase, (task) => (task.output = printable(`Warning: ${event.message}`)));
      }
    },
    async close(outcome): Promise<void> {
      closing = true;
      // The run was interrupted between two phases; the next one was already shown as begun.
      if (!touched) write(phases[present], (task) => task.skip());
      phases[present]?.end(outcome === 'failed' ? new Error('did not end') : undefined);
      for (const phase of phases.slice(present + 1)) phase.end();
      await done;
      for (const warning of warnings) print(`Warning: ${warning}`);
    },
  };
}

function createPhase(name: string): Phase {
  let begin!: (task: Task) => void;
  let settle!: { resolve: () => void; reject: (error: Error) => void };
  const begun = new Promise<Task>((resolve) => (begin = resolve));
  const ended = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  // If a line fails before the display reaches it, nothing handles the rejection.
  ended.catch(() => undefined);
  return { name, begun, begin, ended, end: (error) => (error === undefined ? settle.resolve() : settle.reject(error)) };
}
