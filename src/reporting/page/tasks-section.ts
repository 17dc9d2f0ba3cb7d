import type { ReportData } from '../report-data.js';
import { choice } from './choice.js';
import { element, isSameList, replaceChildren } from './element.js';
import { count, formatShare } from '../format-quantity.js';
import { outcomeSign } from './outcome-badge.js';
import type { SortableColumn } from './sort-head.js';
import { sortableTable } from './sortable-table.js';
import { flipOf, taskGroups, taskRows, type TaskGroup, type TaskRow } from './task-rows.js';

const foundNames = {
  hardest: 'tasks',
  won: 'tasks solved only after training',
  lost: 'tasks solved only before it',
};

type Filter = keyof typeof foundNames;

/**
 * The single tasks of the final evaluation. Undefined if no run has them. `onOpen` shows the recorded episodes of a
 * task.
 */
export function tasksSection(first: ReportData, onOpen: (task: string) => void) {
  if (first.runs.every(({ tasks }) => tasks === undefined)) return undefined;
  let filter: Filter = 'hardest';
  /** A mean over runs is a share; a single outcome is a sign. */
  let shown: typeof shareOrSign = shareOrSign;
  let groups: readonly TaskGroup[] = [];
  let name = '';
  let rows: readonly TaskRow[] = [];
  let recorded = new Map<string, number>();
  const table = sortableTable<TaskRow>('Success of each task before and after training', 'hardest first');
  const explain = element('p.explain');
  const found = element('p.explain', { role: 'status' });
  const head = element('div.section-head');
  const columns = (): SortableColumn<TaskRow>[] => [
    { title: 'task', className: 'text', cell: ({ task }) => task.slice(0, 200), value: ({ task }) => task },
    ...(rows.some(({ before }) => before !== null)
      ? [{ title: 'before RL', cell: ({ before }: TaskRow) => shown(before), value: ({ before }: TaskRow) => before }]
      : []),
    { title: 'trained', cell: ({ after }) => shown(after), value: ({ after }) => after },
    {
      title: 'all temperatures',
      cell: ({ trained }) => formatShare(trained, 0),
      value: ({ trained }) => trained,
    },
    ...(recorded.size === 0 ? [] : [episodesColumn]),
  ];
  const episodesColumn: SortableColumn<TaskRow> = {
    title: 'recorded episodes',
    first: 'descending',
    cell: ({ task }) => {
      const own = recorded.get(task);
      if (own === undefined) return '–';
      const attributes = { type: 'button', title: `Episodes of ${task}`, onclick: () => onOpen(task) };
      return element('button.quiet.link', attributes, count(own));
    },
    value: ({ task }) => recorded.get(task) ?? 0,
  };
  const draw = () => {
    const fitting = filter === 'hardest' ? rows : rows.filter((row) => flipOf(row) === filter);
    table.update(columns(), fitting);
    found.textContent = `${count(fitting.length)} ${foundNames[filter]}`;
  };
  const flips = choice<Filter>({
    label: 'Tasks',
    options: [
      ['hardest', 'all'],
      ['won', 'solved only after training'],
      ['lost', 'solved only before'],
    ],
    value: filter,
    place: 'tasks',
    onChange: (value) => {
      filter = value;
      draw();
    },
  });
  let seen: readonly unknown[] = [];
  const update = ({ runs }: ReportData) => {
    // Unchanged rows are not drawn again, so the focus stays.
    const now = runs.flatMap(({ tasks, episodes }) => [tasks, episodes.length]);
    if (isSameList(now, seen)) return;
    seen = now;
    const offered = groups.map((group) => group.name);
    groups = taskGroups(runs);
    const names = groups.map((group) => group.name);
    if (!names.includes(name)) name = names[0] ?? '';
    if (!isSameList(names, offered)) drawHead();
    choose();
  };
  const choose = () => {
    const group = groups.find((one) => one.name === name);
    if (group === undefined) return;
    const finals = new Set(group.runs.flatMap(({ tasks }) => tasks?.task ?? []));
    recorded = new Map();
    for (const { task } of group.runs.flatMap(({ episodes }) => episodes))
      if (finals.has(task)) recorded.set(task, (recorded.get(task) ?? 0) + 1);
    rows = taskRows(group.runs, recorded);
    shown = group.runs.length > 1 ? share : shareOrSign;
    explain.textContent = explanation(group, groups.length > 1);
    draw();
  };
  const drawHead = () => {
    const sets = choice({
      label: 'Tested on',
      options: groups.map((group) => [group.name, group.name] as const),
      value: name,
      onChange: (value) => {
        name = value;
        choose();
      },
    });
    sets.node.hidden = groups.length < 2;
    replaceChildren(head, element('h2', { id: 'tasks-title' }, 'Tasks'), sets.node, flips.node);
  };
  update(first);
  const node = element('section', { id: 'tasks', 'aria-labelledby': 'tasks-title' }, head, explain, found, table.node);
  return { node, update, follow: flips.follow };
}

function explanation({ split, runs }: TaskGroup, isOneOfSeveral: boolean): string {
  const over = runs.length > 1 ? `, the mean over ${runs.length} runs` : '';
  const which = isOneOfSeveral ? ` Tested there: ${runs.map(({ label }) => label).join('; ')}.` : '';
  return `Tasks of the ${split} split at the lowest temperature, before reinforcement learning and after training${over}. “All temperatures” is the mean after training over all temperatures; the tasks with the lowest mean come first.${which}`;
}

function share(value: number | null): string {
  return value === null ? '–' : formatShare(value, 0);
}

function shareOrSign(value: number | null): HTMLElement | string {
  if (value === 1) return outcomeSign('solved');
  return value === 0 ? outcomeSign('lost') : share(value);
}
