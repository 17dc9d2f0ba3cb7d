import { element, isSameList } from './element.js';
import { placeOf } from './episode-view.js';
import type { ListedEpisode } from './filter-episodes.js';
import { moveOfKey } from './key-moves.js';
import { short } from '../format-quantity.js';
import { outcomeSign } from './outcome-badge.js';

/** Height of a row, as in the style sheet. */
const rowHeight = 52;
/** Extra rows above and below the visible ones. */
const spare = 6;

/**
 * A list of any length that only creates the visible rows. It has one focus stop, and arrow keys choose. `namesRuns`:
 * rows name their run. `isStep`: the reader moved from the episode before, with keys.
 */
export function episodeList(namesRuns: boolean, onChoose: (episode: ListedEpisode, isStep: boolean) => void) {
  const spacer = element('div.spacer');
  const node = element('div.episodes', { role: 'listbox', tabindex: 0, 'aria-label': 'Episodes' }, spacer);
  let episodes: readonly ListedEpisode[] = [];
  let chosen: ListedEpisode | undefined;
  const rows = new Map<number, HTMLElement>();

  const draw = () => {
    const first = Math.max(0, Math.floor(node.scrollTop / rowHeight) - spare);
    const last = Math.min(episodes.length, Math.ceil((node.scrollTop + node.clientHeight) / rowHeight) + spare);
    for (const [index, row] of rows) {
      if (index >= first && index < last) continue;
      row.remove();
      rows.delete(index);
    }
    for (let index = first; index < last; index += 1) {
      const listed = episodes[index];
      if (rows.has(index) || listed === undefined) continue;
      const row = rowOf(listed, index, { length: episodes.length, isChosen: listed === chosen, namesRuns });
      row.addEventListener('click', () => choose(listed));
      rows.set(index, row);
      spacer.append(row);
    }
  };
  const redraw = () => {
    for (const row of rows.values()) row.remove();
    rows.clear();
    draw();
  };
  const placeOfChosen = () => (chosen === undefined ? -1 : episodes.indexOf(chosen));
  const nameChosen = (at: number) => {
    if (at < 0) node.removeAttribute('aria-activedescendant');
    else node.setAttribute('aria-activedescendant', `episode-${at}`);
  };
  const mark = () => {
    const at = placeOfChosen();
    nameChosen(at);
    if (at < 0) return;
    const top = at * rowHeight;
    if (top < node.scrollTop) node.scrollTop = top;
    else if (top + rowHeight > node.scrollTop + node.clientHeight) node.scrollTop = top + rowHeight - node.clientHeight;
    redraw();
  };
  const choose = (listed: ListedEpisode, isStep = false) => {
    chosen = listed;
    mark();
    onChoose(listed, isStep);
  };
  /** Chooses the episode that is `by` places further, or the first. */
  const move = (by: number) => {
    const from = placeOfChosen();
    const next = episodes[from < 0 ? 0 : Math.min(episodes.length - 1, Math.max(0, from + by))];
    if (next !== undefined) choose(next, true);
  };

  let asked = false;
  node.addEventListener('scroll', () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  });
  let height = 0;
  new ResizeObserver(() => {
    // Once the list has a height, it can scroll to an earlier choice.
    if (height === 0) mark();
    height = node.clientHeight;
    draw();
  }).observe(node);
  node.addEventListener('keydown', (event) => {
    const page = Math.max(1, Math.floor(node.clientHeight / rowHeight) - 1);
    const by = moveOfKey(event, { line: 1, page });
    if (by !== undefined) move(by);
  });
  const take = (found: readonly ListedEpisode[]) => {
    episodes = found;
    spacer.style.height = `${found.length * rowHeight}px`;
  };
  return {
    node,
    /** Like `show`, but the visible part keeps its place while other episodes are added and removed. */
    update(found: readonly ListedEpisode[]) {
      if (isSameList(found, episodes)) return;
      const top = Math.floor(node.scrollTop / rowHeight);
      const offset = node.scrollTop - top * rowHeight;
      // The anchor is the first visible row that still exists. At the very top there is no anchor, so new rows appear.
      const inView = node.scrollTop === 0 ? [] : episodes.slice(top, top + Math.ceil(node.clientHeight / rowHeight));
      const anchor = inView.findIndex((listed) => found.includes(listed));
      // If a row stays the same node, it receives a click that has already begun.
      for (const [index, row] of rows) {
        if (found[index] === episodes[index]) row.setAttribute('aria-setsize', String(found.length));
        else {
          row.remove();
          rows.delete(index);
        }
      }
      take(found);
      const held = inView[anchor];
      if (held !== undefined) node.scrollTop = (found.indexOf(held) - anchor) * rowHeight + offset;
      draw();
      nameChosen(placeOfChosen());
    },
    show(found: readonly ListedEpisode[]) {
      take(found);
      node.scrollTop = 0;
      redraw();
      mark();
    },
    move,
    choose,
    /** Marks an episode as chosen, without a call of `onChoose`. */
    mark(listed: ListedEpisode) {
      chosen = listed;
      mark();
    },
  };
}

function rowOf(
  listed: ListedEpisode,
  index: number,
  { length, isChosen, namesRuns }: { readonly length: number; readonly isChosen: boolean; readonly namesRuns: boolean },
): HTMLElement {
  const { episode, invalid, run } = listed;
  const place = [
    placeOf(listed),
    ...(namesRuns ? [run.label] : []),
    `${episode.turns.length} ${episode.turns.length === 1 ? 'turn' : 'turns'}`,
    ...(invalid ? ['invalid'] : []),
  ];
  const row = element(
    'div.row',
    {
      role: 'option',
      id: `episode-${index}`,
      'aria-selected': String(isChosen),
      'aria-posinset': index + 1,
      'aria-setsize': length,
    },
    outcomeSign(episode.outcome),
    element('span.task', episode.task.slice(0, 200)),
    element('span.value', episode.return === null ? '–' : short(episode.return)),
    element('span.place.fine', place.join(' · ')),
  );
  row.style.transform = `translateY(${index * rowHeight}px)`;
  return row;
}
