// Compares the built TextCraft plugin with recordings of the two originals (tree-*.json, adapt.jsonl, agentgym.jsonl).
// The table of defects lists intended corrections of the originals. Every other difference is a disagreement.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { craftingBook } from '../../plugins/env-textcraft/dist/crafting-book.js';
import { open, TextCraft } from '../../plugins/env-textcraft/dist/textcraft.js';

const options = {
  depths: [1, 2, 3, 4],
  longestPlan: null,
  distractors: 10,
  alternatives: true,
  names: 'spaced',
  renamed: 0,
};

const plainName = (id) => id.replace(/^minecraft:/, '').replaceAll('_', ' ');
const writtenOutput = (action) => /^craft (?:\d+ )?(.*) using /.exec(action)?.[1];

/** Each defect of the originals that the plugin corrects: do two replies differ only by this defect? */
const defects = {
  'the reply to a craft names a game id': ({ theirs, ours }) =>
    /^(Crafted \d+ |Could not find enough items to craft )minecraft:/.test(theirs) &&
    theirs.replace(/minecraft:(\w+)$/, (_, id) => plainName(id)) === ours,
  'a refused recipe shows a Python object': ({ theirs, ours }) => {
    const match = /^Could not find a valid recipe for ItemTagWithCount\(.*'(minecraft:\w+)'.*\)$/.exec(theirs);
    return match !== null && ours === `Could not find a valid recipe for ${plainName(match[1])}`;
  },
  'a general name as output reads None': ({ action, theirs, ours }) =>
    theirs === 'Could not find enough items to craft None' &&
    ours === `Could not find enough items to craft ${writtenOutput(action)}`,
  'text after a command is let pass': ({ action, theirs, ours }) =>
    /^inventory./.test(action) && theirs.startsWith('Inventory: ') && ours === `Could not execute ${action}`,
  'getting none of something succeeds': ({ action, theirs, ours }) =>
    /^get 0+ /.test(action) && theirs === action.replace('get', 'Got') && ours === `Could not execute ${action}`,
  'general names cannot be crafted with': ({ action, theirs, ours }) =>
    [...craftingBook.membersOf.keys()].some((general) => new RegExp(`\\d ${general}(,|$)`).test(action)) &&
    theirs.startsWith('Could not find enough items to craft ') &&
    (ours.startsWith('Crafted ') || ours.startsWith('Could not find a valid recipe ')),
};

/** Counts agreements and differences by defect, and keeps the first disagreement. */
class Tally {
  agreed = 0;
  disagreed = 0;
  first = undefined;
  mended = new Map();

  compare(place, theirs, ours) {
    if (JSON.stringify(theirs) === JSON.stringify(ours)) this.agreed += 1;
    else this.#disagree(place, theirs, ours);
  }

  /** Returns the defect by which the replies differ, if there is one. */
  compareReply(place, action, theirs, ours) {
    const defect = Object.keys(defects).find((name) => theirs !== ours && defects[name]({ action, theirs, ours }));
    if (defect === undefined) this.compare(place, theirs, ours);
    else this.mend(defect);
    return defect;
  }

  mend(defect) {
    this.mended.set(defect, (this.mended.get(defect) ?? 0) + 1);
  }

  #disagree(place, theirs, ours) {
    this.disagreed += 1;
    this.first ??= `${place}\n    recorded ${JSON.stringify(theirs)}\n    ours     ${JSON.stringify(ours)}`;
  }
}

function everyTask() {
  const { splits } = open(options);
  return ['train', 'validation', 'test'].flatMap((split) =>
    Array.from({ length: splits[split].count }, (_, index) => splits[split].id(index)),
  );
}

/** Goals in the order of a mode: [task id, game id, depth]. Files were read in the order of their names. */
function goalsInOrder(mode) {
  const goals = everyTask().map((task) => {
    const [, depth, name] = /^depth-(\d)\/(.*)$/.exec(task);
    return { task, goal: `minecraft:${name.replaceAll('-', '_')}`, depth: Number(depth) };
  });
  const kept = mode === 'adapt' ? goals.filter(({ depth }) => depth >= 2) : goals;
  const direction = mode === 'adapt' ? -1 : 1;
  return kept.sort((a, b) => direction * (a.depth - b.depth) || (a.goal < b.goal ? -1 : 1));
}

const textOf = ({ output, ingredients }) =>
  `craft ${output.count} ${output.name} using ${ingredients.map(({ name, count }) => `${count} ${name}`).join(', ')}`;

function compareTree(tree, tally) {
  const goals = goalsInOrder(tree.mode);
  const depthOf = Object.fromEntries(goalsInOrder('agentgym').map(({ goal, depth }) => [goal, depth]));
  tally.compare('counts.craftable_items', tree.counts.craftable_items, craftingBook.recipesOf.size);
  tally.compare('counts.distinct_recipe_texts', tree.counts.distinct_recipe_texts, craftingBook.recipes.length);
  tally.compare('counts.item_ids', tree.counts.item_ids, craftingBook.items.size);
  const histogram = {};
  for (const depth of Object.values(depthOf).sort()) histogram[depth] = (histogram[depth] ?? 0) + 1;
  tally.compare('depth_histogram', tree.depth_histogram, histogram);
  tally.compare('the number of goals', tree.goals.length, goals.length);
  for (const [index, goal] of tree.goals.entries()) tally.compare(`goal ${index}`, goal, goals[index]?.goal);
  for (const [item, depth] of Object.entries(tree.depths)) tally.compare(`depth of ${item}`, depth, depthOf[item]);
  for (const item of tree.items) tally.compare(`item ${item}`, true, craftingBook.items.has(plainName(item)));
  for (const [item, texts] of Object.entries(tree.recipes)) {
    for (let again = new Set(texts).size; again < texts.length; again += 1) tally.mend('a recipe is listed twice');
    const ours = (craftingBook.recipesOf.get(plainName(item)) ?? []).map(textOf);
    tally.compare(`recipes of ${item}`, [...new Set(texts)].sort(), ours.sort());
  }
}

function commandsOf(observation) {
  return observation.split('\n\n')[0].split('\n').slice(1);
}

function firstObservation(task, distractors) {
  return new TextCraft({ ...options, distractors }).reset(task);
}

/**
 * The originals draw other distractors in another order in each run. The needed commands must be shown, and the others
 * must be candidates.
 */
function compareCommands(place, record, task, tally) {
  const shown = new Set(record.commands_sorted);
  const needed = commandsOf(firstObservation(task, 0));
  const possible = new Set(commandsOf(firstObservation(task, 1_000)));
  tally.compare(
    `${place}: needed commands that are not shown`,
    [],
    needed.filter((command) => !shown.has(command)),
  );
  tally.compare(
    `${place}: commands that we would not show`,
    [],
    record.commands_sorted.filter((command) => !possible.has(command)),
  );
  // The originals draw from a list with repetitions, so fewer than ten may be left.
  const most = commandsOf(firstObservation(task, 10)).length;
  tally.compare(`${place}: at most ${most} commands`, true, record.n_commands <= most);
}

function compareRecord(record, tally) {
  const goals = goalsInOrder(record.mode);
  const { task, goal, depth } = goals[record.index % goals.length];
  const place = `${record.mode} ${record.index}`;
  tally.compare(`${place}: goal`, record.goal, goal);
  tally.compare(`${place}: depth`, record.depth, depth);
  const environment = new TextCraft(options);
  tally.compare(
    `${place}: last line of the first observation`,
    record.goal_line,
    environment.reset(task).split('\n').at(-1),
  );
  compareCommands(place, record, task, tally);
  for (const [name, steps] of Object.entries(record.lines)) {
    environment.reset(task);
    for (const [index, step] of steps.entries()) {
      const before = environment.snapshot();
      const { observation, reward, terminated, truncated } = environment.step(step.a);
      const where = `${place}, line ${name}, step ${index}, ${JSON.stringify(step.a)}`;
      const defect = tally.compareReply(`${where}: reply`, step.a, step.obs, observation);
      if (defect === 'general names cannot be crafted with') {
        // Our plugin crafted and the original did not: continue from the state of the original.
        environment.restore(before);
        continue;
      }
      tally.compare(
        `${where}: reward, terminated, truncated`,
        [step.r, step.term, step.trunc],
        [reward, terminated, truncated],
      );
    }
  }
}

/** A recording, or all recordings of a folder. */
function recordingsIn(path) {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => /\.jsonl?$/.test(name))
    .map((name) => join(path, name));
}

/** Checks recordings and returns the exit code: 0 all agree, 1 something does not, 2 a file cannot be read. */
export function run(files) {
  if (files.length === 0) {
    console.error('name recordings: npm run golden -- textcraft tree-agentgym.json agentgym.jsonl ...');
    return 2;
  }
  let code = 0;
  for (const file of files.flatMap(recordingsIn)) {
    const tally = new Tally();
    try {
      const text = readFileSync(file, 'utf8');
      if (file.endsWith('.jsonl')) {
        for (const line of text.split('\n').filter(Boolean)) compareRecord(JSON.parse(line), tally);
      } else compareTree(JSON.parse(text), tally);
    } catch (error) {
      console.error(`${file} is no recording of TextCraft: ${error.message}`);
      return 2;
    }
    console.log(`${file}: ${tally.agreed} of ${tally.agreed + tally.disagreed} agree`);
    for (const [defect, count] of tally.mended) console.log(`  mended on purpose, ${count} times: ${defect}`);
    if (tally.first === undefined) continue;
    console.log(`  the first that does not: ${tally.first}`);
    code = 1;
  }
  return code;
}
