import { craftingBook } from './crafting-book.js';
import type { Options } from './options.js';
import type { Task } from './task-list.js';
import { drawFrom, shuffleBy } from './task-random.js';

/** How a task writes and reads the names of items. */
export interface ItemNames {
  /** The text for an item or a general ingredient. */
  write(name: string): string;
  /** The item or general ingredient that a text names. Underscores count as spaces. Undefined if there is none. */
  read(text: string): string | undefined;
}

const everyName = [...craftingBook.items, ...craftingBook.membersOf.keys()].sort();

/**
 * Planks and wool keep their names when others are swapped, because only the name shows that oak planks are planks.
 */
const swappable = everyName.filter((name) => !craftingBook.membersOf.has(name) && !craftingBook.generalsOf.has(name));

const realNames: ReadonlyMap<string, string> = new Map(everyName.map((name) => [name, name]));

/**
 * The names of a task. In a renamed task the names of all items except planks and wool are permuted, in an order that
 * depends only on the task's id. So every word occurs in training, and only the commands show its meaning.
 */
export function nameItems(task: Task, style: Options['names']): ItemNames {
  const shownAs = task.renamed ? swapNames(task.id) : realNames;
  const meaning = task.renamed ? new Map([...shownAs].map(([name, shown]) => [shown, name])) : realNames;
  return {
    write: (name) => {
      const shown = shownAs.get(name) ?? name;
      return style === 'joined' ? shown.replaceAll(' ', '_') : shown;
    },
    read: (text) => meaning.get(text.replaceAll('_', ' ')),
  };
}

function swapNames(id: string): Map<string, string> {
  const shownAs = new Map(realNames);
  const swapped = shuffleBy(swappable, drawFrom(`names of ${id}`));
  for (const [index, name] of swappable.entries()) shownAs.set(name, swapped[index] ?? name);
  return shownAs;
}
