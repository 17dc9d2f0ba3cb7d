import type { ActionFormat, FormatModule, ParsedAction } from '../contracts/format.js';
import { createRandom } from '../random/create-random.js';
import { declareKit, findingsOf, runKit, type KitCheck, type KitReport, type KitSettings } from './conformance-kit.js';
import type { DeclareTest } from './declare-test.js';
import { malformedActions } from './environment-checks/malformed-actions.js';
import { changedGlobals, withOtherClock } from './disturb-process.js';
import { isWellFormed } from './environment-checks/play-episode.js';
import type { Finding } from './finding.js';
import { readerChecks } from './reader-checks.js';
import { requireMembers } from './require-members.js';
import { shorten } from './shorten.js';
import { testHost } from './test-host.js';
import { globalState } from './shared-cures.js';

/** An action format as the kit takes it: its module, and options to try it with. */
export interface ActionFormatSubject<Options> extends FormatModule<Options> {
  readonly options: Options;
}

export interface ActionFormatCheckSettings extends KitSettings {
  /** Actions that the format must carry unchanged. */
  readonly actions?: readonly string[];
  /** Awkward texts to try. */
  readonly texts?: number;
  /** Seconds that reading one text may take. */
  readonly secondsPerText?: number;
}

interface Context {
  readonly format: ActionFormat;
  readonly actions: readonly string[];
  readonly texts: () => Generator<string>;
  readonly milliseconds: number;
}

const someActions = ['17', 'go north', 'get 2 oak planks', 'search[who wrote "Emma"?]', 'x = {"a": 1}', 'open <box>'];

const isRead = (parsed: ParsedAction): boolean => 'action' in parsed && typeof parsed.action === 'string';

const isRefused = (parsed: ParsedAction): boolean =>
  'malformed' in parsed && typeof parsed.malformed === 'string' && typeof parsed.observation === 'string';

export const actionFormatChecks: readonly KitCheck<Context>[] = [
  {
    id: 'round-trip',
    title: 'an action that is rendered is read as the same action',
    severity: 'error',
    likelyCause: 'render writes what parse strips or does not know; demonstrations would teach malformed text',
    why: 'Demonstrations are written by render() and read by parse(): they would teach malformed text.',
    cure: 'Let parse(render(action)) be the action, for any action.',
    run: ({ format, actions }) =>
      actions.flatMap((action) => {
        const parsed = format.parse(format.render(action));
        return 'action' in parsed && parsed.action === action
          ? []
          : [`${shorten(action)} is rendered and read as ${shorten(JSON.stringify(parsed))}`];
      }),
  },
  {
    id: 'never-throws',
    title: 'any text is read as an action or refused with a reason and a reply, and nothing is thrown',
    severity: 'error',
    likelyCause: 'JSON.parse, a missing match or a deep recursion is not guarded',
    why: 'A policy that is still learning writes anything; an exception ends the episode.',
    cure: 'Refuse what you cannot read: {malformed: reason, observation: reply}.',
    run: ({ format, texts }) => {
      const found: string[] = [];
      for (const text of texts()) {
        try {
          const parsed = format.parse(text);
          if (!isRead(parsed) && !isRefused(parsed)) {
            found.push(`${shorten(text)} is neither read nor refused: ${shorten(String(JSON.stringify(parsed)))}`);
          }
        } catch (error) {
          found.push(`${shorten(text)}: ${String(error)}`);
        }
        if (found.length === 5) return found;
      }
      return found;
    },
  },
  ...readerChecks<Context>(({ format, actions, milliseconds }) => ({
    read: (text) => format.parse(text),
    known: actions.map((action) => format.render(action)),
    pieces: [],
    milliseconds,
  })),
  {
    id: 'short-reply',
    title: 'the reply to a malformed text is short, whatever the text',
    severity: 'error',
    likelyCause: 'the reply quotes the text; it becomes an observation, and its tokens fill the episode',
    why: 'The reply stands in the next prompt, and fills it.',
    cure: 'Say what is wanted in a sentence, and do not quote the text.',
    run: ({ format, texts }) => {
      for (const text of texts()) {
        const parsed = format.parse(text);
        if ('malformed' in parsed && parsed.observation.length > 2_000) {
          return [`the reply to ${shorten(text)} has ${parsed.observation.length} characters`];
        }
      }
      return [];
    },
  },
  {
    id: 'no-empty-action',
    title: 'a text that says something is never read as an action that says nothing',
    severity: 'error',
    likelyCause: 'empty brackets or tags are a match of the pattern; ask for one character at least between them',
    why: 'The environment is sent nothing, and the blame falls on it instead of on the text.',
    cure: 'Refuse brackets without content as malformed.',
    run: ({ format, texts }) => {
      const wrappers = ['', ' ', '\n\t'].map((action) => format.render(action));
      for (const text of [...wrappers, ...texts()]) {
        const parsed = format.parse(text);
        if (text.trim() === '' || !('action' in parsed) || parsed.action.trim() !== '') continue;
        return [`${shorten(text)} is read as the action ${shorten(parsed.action)}`];
      }
      return [];
    },
  },
  {
    id: 'instructions',
    title: 'the instructions are well-formed text, the same each time, and shorter than a page',
    severity: 'error',
    likelyCause: 'instructions that are made of a clock or of chance, or that quote something long',
    why: 'They are part of every prompt, tokens and all.',
    cure: 'Write a constant of a few sentences.',
    run: async ({ format }) => {
      const { instructions } = format;
      if (!isWellFormed(instructions)) return ['they hold half a surrogate pair, which no file can keep'];
      if (instructions.length > 4_000) return [`they have ${instructions.length} characters, in every prompt`];
      const later = await withOtherClock(() => format.instructions);
      return later === instructions ? [] : [`forty days later they are ${shorten(later)}`];
    },
  },
  {
    id: 'global-state',
    title: 'nothing of the process is changed',
    severity: 'error',
    likelyCause: 'process.on, or an assignment to a global',
    ...globalState,
    run: async ({ format, actions }) => {
      const work = (): unknown => actions.map((action) => format.parse(format.render(action)));
      return (await changedGlobals(work)).map((name) => `${name} changed`);
    },
  },
];

/** Checks an action format against its contract, and tells what became of each check. */
export async function examineActionFormat<Options>(
  subject: ActionFormatSubject<Options>,
  settings: ActionFormatCheckSettings = {},
): Promise<KitReport> {
  const checks = await runKit(actionFormatChecks, settings, () => {
    const format = subject.create(subject.options, testHost(settings.seed));
    requireMembers('create()', format, { instructions: 'string', parse: 'function', render: 'function' });
    const actions = settings.actions ?? someActions;
    const random = createRandom(settings.seed ?? 0);
    function* texts(): Generator<string> {
      const stream = random.stream('texts');
      const rendered = () => format.render(stream.choice(actions));
      for (const { text } of malformedActions(stream, settings.texts ?? 1_000, rendered)) yield text;
    }
    return { format, actions, texts, milliseconds: 1_000 * (settings.secondsPerText ?? 2) };
  });
  return { checks };
}

/**
 * Checks an action format against its contract, and says what is wrong and what usually causes it. Nothing is found in
 * a good one.
 */
export async function checkActionFormat<Options>(
  subject: ActionFormatSubject<Options>,
  settings: ActionFormatCheckSettings = {},
): Promise<Finding[]> {
  return findingsOf(await examineActionFormat(subject, settings));
}

/** The kit as tests, one for each check; takes the runner's `it`. */
export function describeActionFormat<Options>(
  it: DeclareTest,
  subject: ActionFormatSubject<Options>,
  settings: ActionFormatCheckSettings = {},
): void {
  declareKit(it, actionFormatChecks, settings, () => checkActionFormat(subject, settings));
}
