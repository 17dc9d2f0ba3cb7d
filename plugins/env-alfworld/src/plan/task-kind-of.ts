import type { Game } from '../game/game.js';
import type { TaskKindName } from '../generate/task-kinds.js';

const treatments: { readonly [predicate: string]: TaskKindName } = {
  isclean: 'pick_clean_then_place_in_recep',
  ishot: 'pick_heat_then_place_in_recep',
  iscool: 'pick_cool_then_place_in_recep',
};

/** Which of the six kinds of tasks a game's goal is. */
export function taskKindOf({ setting }: Game): TaskKindName | undefined {
  const wishes = setting.goal.flatMap(({ positive }) => positive.map(({ predicate }) => predicate));
  if (wishes.includes('istoggled')) return 'look_at_obj_in_light';
  const treated = wishes.find((predicate) => treatments[predicate] !== undefined);
  if (treated !== undefined) return treatments[treated];
  const placed = wishes.filter((predicate) => predicate === 'inreceptacle').length;
  return placed === 1 ? 'pick_and_place_simple' : placed === 2 ? 'pick_two_obj_and_place' : undefined;
}
