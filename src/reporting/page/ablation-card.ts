import type { ListedAblation, ListedCell } from '../live-data.js';
import { addressIn } from './address.js';
import { codeText } from './code-text.js';
import { element, replaceChildren } from './element.js';
import { formatShare } from '../format-quantity.js';
import type { KeyedChild } from './keyed-children.js';

/** An ablation in the list: its question, the progress of its cells, and each of its runs. */
export function ablationCard(first: ListedAblation): KeyedChild<ListedAblation> {
  const status = element('span');
  const answer = element('p.explain');
  const begun = element('p.explain');
  const cells = element('dl.cells');
  const link = element('a', { href: addressIn(`/ablations/${encodeURIComponent(first.key)}`) }, first.name);
  const node = element(
    'article.ablation',
    element('p.eyebrow', element('b', link), status),
    element('p', first.question),
    answer,
    begun,
    cells,
  );
  let drawn = '';
  return {
    node,
    update(ablation) {
      status.className = `status ${ablation.status}`;
      status.textContent = ablation.status;
      replaceChildren(answer, ...codeText(ablation.answer ?? 'No answer yet.'));
      const runs = ablation.cells.flatMap((cell) => cell.runs);
      const ended = runs.filter((run) => run.status === 'completed').length;
      const wanted = ablation.cells.reduce((sum, { queued }) => sum + queued.length, runs.length);
      begun.textContent = `${ablation.cells.length} cells, ${ended} of ${wanted} runs complete`;
      const text = JSON.stringify(ablation.cells);
      if (text === drawn) return;
      drawn = text;
      const focused = document.activeElement?.getAttribute('href');
      replaceChildren(cells, ...ablation.cells.map(cellLine));
      // The focused link was created anew.
      if (focused !== null && focused !== undefined) {
        [...cells.querySelectorAll('a')].find((made) => made.getAttribute('href') === focused)?.focus();
      }
    },
  };
}

function cellLine({ id, title = id, runs, queued }: ListedCell): HTMLElement {
  const seeds = runs.map((run) => {
    const rate = run.success === null ? run.status : formatShare(run.success.rate, 0);
    return element(
      'a',
      {
        class: `seed ${run.status}`,
        href: addressIn(`/runs/${encodeURIComponent(run.key)}`),
        title: `seed ${run.seed}: ${run.status}, ${run.steps} of ${run.stepsWanted} steps`,
      },
      `seed ${run.seed}: ${rate}`,
    );
  });
  const waiting = queued.map((seed) =>
    element('span.seed.queued', { title: `seed ${seed}: queued` }, `seed ${seed}: –`),
  );
  return element('div', element('dt', title), element('dd', ...seeds, ...waiting));
}
