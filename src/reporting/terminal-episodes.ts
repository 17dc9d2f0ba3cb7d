import { type DefaultRenderer, Listr, type ListrTaskWrapper, type SimpleRenderer } from 'listr2';

import { tickEpisodes } from './episode-progress.js';
import type { EpisodesDisplay } from './show-episodes.js';
import { printable } from './terminal-style.js';

type Task = ListrTaskWrapper<undefined, typeof DefaultRenderer, typeof SimpleRenderer>;

/** A live line on a terminal, which is gone when the results are printed. */
export function terminalEpisodes(): EpisodesDisplay {
  let begin!: (task: Task) => void;
  let settle!: () => void;
  const begun = new Promise<Task>((resolve) => (begin = resolve));
  const ended = new Promise<void>((resolve) => (settle = resolve));
  const task = async (_: undefined, own: Task) => {
    begin(own);
    await ended;
  };
  const list = new Listr<undefined, 'default', 'simple'>(
    [{ title: 'Preparation', task }],
    // The command ends at Ctrl-C; listr2 would end the process without it.
    { registerSignalListeners: false, exitOnError: false, rendererOptions: { clearOutput: true } },
  );
  const done = list.run();
  const write = (text: string) => void begun.then((own) => (own.title = printable(text)));
  const ticker = tickEpisodes(write, 1);
  return {
    begin(what) {
      write(what);
      ticker.begin(what);
    },
    take: (counts) => ticker.take(counts),
    async close() {
      ticker.close();
      settle();
      await done;
    },
  };
}
