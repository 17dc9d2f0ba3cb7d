import type { NumpyRandom } from '../generate/numpy-random.js';
import type { Action, Types } from '../logic/logic.js';
import { withDefinite, type Named } from './article.js';
import { houseSentences, type Sentence } from './house-sentences.js';

/** How often two actions that belong together are told in one sentence. */
const mergedShare = 0.5;

/** An action as a sentence sees it. */
interface Deed {
  /** Undefined for a command that no sentence is known for. */
  readonly sentence: Sentence | undefined;
  /** Ids of what the command names; the direction of a walk. */
  readonly objects: readonly string[];
  readonly command: string;
}

const byVerb: Readonly<Record<string, Sentence>> = {
  go: 'go',
  open: 'open',
  close: 'close',
  unlock: 'unlock',
  lock: 'lock',
  take: 'take',
  drop: 'drop',
  insert: 'insert',
  put: 'put',
  eat: 'eat',
  examine: 'examine',
  look: 'look',
  inventory: 'inventory',
};

/** By the first and the second action: how the second one follows in the same sentence. */
const merged: Readonly<Partial<Record<Sentence, Readonly<Partial<Record<Sentence, Sentence>>>>>> = {
  unlock: { open: 'andOpen' },
  open: { takeFrom: 'andTake', go: 'andGo' },
  go: { go: 'thenGo' },
  take: { eat: 'andEat', insert: 'andInsert', put: 'andPut' },
  takeFrom: { eat: 'andEat', insert: 'andInsert', put: 'andPut', drop: 'andDrop' },
  takeOff: { eat: 'andEat', insert: 'andInsert', put: 'andPut', drop: 'andDrop' },
};

/** Tells actions in plain English. */
export class QuestTeller {
  /** @param nameOf the words of an entity, by id */
  constructor(
    private readonly types: Types,
    private readonly nameOf: (id: string) => Named | undefined,
    private readonly random: NumpyRandom,
  ) {}

  /** All actions in order, as one paragraph. */
  steps(actions: readonly Action[]): string {
    const deeds = actions.map((action) => this.deedOf(action));
    const clauses: string[] = [];
    for (let index = 0; index < deeds.length; index++) {
      const deed = deeds[index] as Deed;
      const following = deeds[index + 1];
      const joint = following && jointOf(deed, following);
      const isMerged = joint !== undefined && this.random.random() < mergedShare;
      clauses.push(this.clause(deed) + (isMerged && following ? this.expand(joint, following) : ''));
      if (isMerged) index++;
    }
    return this.paragraph(clauses);
  }

  /** What the last of the actions of each list does, as one paragraph. */
  ends(lists: readonly (readonly Action[])[]): string {
    const clauses = lists.flatMap((actions) => actions.slice(-1)).map((action) => this.clause(this.deedOf(action)));
    return this.paragraph([...new Set(clauses)]);
  }

  private paragraph(clauses: readonly string[]): string {
    const { random } = this;
    const [first, ...others] = clauses;
    if (first === undefined) return '';
    if (others.length === 0) return houseSentences.expand('only', { text: first }, random);
    const rest = others.map((text, index) =>
      houseSentences.expand(index === others.length - 1 ? 'last' : 'next', { text }, random),
    );
    return houseSentences.expand('task', { text: first }, random) + rest.join('');
  }

  private deedOf({ rule, command = rule }: Action): Deed {
    const verb = command.split(' ', 1)[0] as string;
    const named = Array.from(command.matchAll(/\{([^{}]*)\}/g), ([, id]) => id as string);
    const objects = verb === 'go' ? [command.slice(verb.length + 1)] : named;
    let sentence = Object.hasOwn(byVerb, verb) ? byVerb[verb] : undefined;
    if (sentence === 'take' && objects.length > 1) sentence = this.isContainer(rule) ? 'takeFrom' : 'takeOff';
    return { sentence, objects, command };
  }

  /** Whether a rule that takes from something takes from a container: `take/c`. */
  private isContainer(rule: string): boolean {
    const type = rule.slice(rule.indexOf('/') + 1);
    return this.types.names.includes(type) && this.types.isA(type, 'c');
  }

  private clause(deed: Deed): string {
    if (deed.sentence !== undefined) return this.expand(deed.sentence, deed);
    return deed.command.replace(/\{([^{}]*)\}/g, (_, id: string) => this.the(id));
  }

  private expand(sentence: Sentence, { objects }: Deed): string {
    const [first = '', second = ''] = objects.map((id) => this.the(id));
    return houseSentences.expand(sentence, { first, second }, this.random);
  }

  /** With article; what is no entity, such as a direction, stays as it is. */
  private the(id: string): string {
    const named = this.nameOf(id);
    return named ? withDefinite(named) : id;
  }
}

/** How the second deed follows in the sentence of the first; undefined if it does not. */
function jointOf(first: Deed, second: Deed): Sentence | undefined {
  const joint = first.sentence && second.sentence && merged[first.sentence]?.[second.sentence];
  if (joint === undefined || first.sentence === 'go') return joint;
  if (joint === 'andGo') return joint;
  // One takes something out of what was opened, and does the rest to what the first deed is about.
  const subject = joint === 'andTake' ? second.objects[1] : second.objects[0];
  return subject === first.objects[0] ? joint : undefined;
}
