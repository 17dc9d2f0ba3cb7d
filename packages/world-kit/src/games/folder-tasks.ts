import type { SplitName, TaskFacts } from '@agentgym/cli';

import { eachSplit, listTasks, unknownTask, type CountedTasks } from '../tasks/task-list.js';

/** A game of a folder, by whatever file it comes from. */
export interface FolderTask<File> {
  readonly file: File;
  readonly split: SplitName;
  readonly about: TaskFacts;
}

/** The tasks of a folder of games, all known from the start. */
export interface FolderTasks<File> {
  readonly splits: Readonly<Record<SplitName, CountedTasks>>;
  /** A cluster has games in two splits. */
  readonly sharesClusters: boolean;
  /** Throws if no game has this id; so does `fileOf`. */
  readonly about: (id: string) => TaskFacts;
  readonly fileOf: (id: string) => File;
}

/** Sorts the games of a folder into their splits, by id, in the given order. A game without a cluster is one of its own. */
export function sortFolderTasks<File>(tasks: ReadonlyMap<string, FolderTask<File>>): FolderTasks<File> {
  const splitOfCluster = new Map([...tasks].map(([id, { about, split }]) => [about.cluster ?? id, split]));
  const sharesClusters = [...tasks].some(([id, { about, split }]) => splitOfCluster.get(about.cluster ?? id) !== split);
  const find = (id: string): FolderTask<File> => {
    const task = tasks.get(id);
    if (task === undefined) throw unknownTask(id, 'a game of the folder', String([...tasks.keys()][0]));
    return task;
  };
  return {
    splits: eachSplit((wanted) => {
      const ids = [...tasks].flatMap(([id, { split }]) => (split === wanted ? id : []));
      return listTasks(ids, String);
    }),
    sharesClusters,
    about: (id) => find(id).about,
    fileOf: (id) => find(id).file,
  };
}
