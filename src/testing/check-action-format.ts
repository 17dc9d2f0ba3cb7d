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

/** An action format for the kit: its module, and options to test it with. */
export interface ActionFormatSubject<Options> extends FormatModule<Options> {
  readonly options: Options;
}

export interface ActionFormatCheckSettings extends KitSettings {
  /** Actions that rendering and parsing must not change. */
  readonly actions?: readonly string[];
  /** Number of awkward texts to try. */
  readonly texts?: number;
  /** Maximum seconds to read one text. */
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
    title: 'parse reads a rendered action as the same action',
    severity: 'error',
    likelyCause: 'render writes text that parse strips or does not know',
    why: 'render() writes demonstrations and parse() reads actions. The demonstrations would teach malformed text.',
    cure: 'parse(render(action)) must return the action; render must throw if the format cannot write it.',
    run: ({ format, actions }) =>
      actions.flatMap((action) => {
        const parsed = format.parse(format.render(action));
        return 'action' in parsed && parsed.action === action
          ? []
          : [`${shorten(action)} is rendered and then read as ${shorten(JSON.stringify(parsed))}`];
      }),
  },
  {
    id: 'never-throws',
    title: 'parse reads any text as an action, or refuses it with a reason and a reply, and never throws',
    severity: 'error',
    likelyCause: 'an unguarded JSON.parse, a missing match or a deep recursion',
    why: 'A policy in training writes any text. An exception ends the episode.',
    cure: 'Refuse unreadable text: {malformed: reason, observation: reply}.',
    run: ({ format, texts }) => {
      const found: string[] = [];
      for (const text of texts()) {
        try {
          const parsed = format.parse(text);
          format.readCall?.(text);
          format.callsFunction?.(text);
          if (!isRead(parsed) && !isRefused(parsed)) {
            found.push(
              `${shorten(text)} is neither an action nor malformed: ${shorten(String(JSON.stringify(parsed)))}`,
            );
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
    read: (text) => [format.parse(text), format.readCall?.(text), format.callsFunction?.(text)],
    known: actions.map((action) => format.render(action)),
    pieces: [],
    milliseconds,
  })),
  {
    id: 'short-reply',
    title: 'the reply to a malformed text is short, for any text',
    severity: 'error',
    likelyCause: 'the reply quotes the text; it becomes an observation, and its tokens fill the episode',
    why: 'The reply is part of the next prompt and fills it.',
    cure: 'Name the expected format in one sentence, and do not quote the text.',
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
    title: 'parse never reads a text with content as an empty action',
    severity: 'error',
    likelyCause: 'the pattern matches empty brackets or tags; require at least one character between them',
    why: 'The environment would get an empty action and report it as invalid, although the text is the cause.',
    cure: 'Refuse empty brackets as malformed.',
    run: ({ format, texts }) => {
      const wrappers = ['', ' ', '\n\t'].flatMap((action) => renderUnlessRefused(format, action));
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
    likelyCause: 'the instructions contain the time, random text or a long quotation',
    why: 'The instructions are part of every prompt and cost tokens.',
    cure: 'Write a constant of a few sentences.',
    run: async ({ format }) => {
      const { instructions } = format;
      if (!isWellFormed(instructions))
        return ['the instructions contain half a surrogate pair, which cannot be saved to a file'];
      if (instructions.length > 4_000)
        return [`the instructions have ${instructions.length} characters and are part of every prompt`];
      const later = await withOtherClock(() => format.instructions);
      return later === instructions ? [] : [`forty days later the instructions are ${shorten(later)}`];
    },
  },
  {
    id: 'global-state',
    title: 'the global state of the process does not change',
    severity: 'error',
    likelyCause: 'process.on, or an assignment to a global',
    ...globalState,
    run: async ({ format, actions }) => {
      const work = (): unknown => actions.map((action) => format.parse(format.render(action)));
      return (await changedGlobals(work)).map((name) => `${name} changed`);
    },
  },
];

/** The text of an action; none if the format refuses to write it. */
function renderUnlessRefused(format: ActionFormat, action: string): string[] {
  try {
    return [format.render(action)];
  } catch {
    return [];
  }
}

/** Checks an action format against its contract and reports the outcome of each check. */
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
 * Checks an action format against its contract and returns findings with their usual causes. The list is empty if all
 * checks pass.
 */
export async function checkActionFormat<Options>(
  subject: ActionFormatSubject<Options>,
  settings: ActionFormatCheckSettings = {},
): Promise<Finding[]> {
  return findingsOf(await examineActionFormat(subject, settings));
}

/** Declares the kit as tests, one for each check. `it` is the function of the test runner. */
export function describeActionFormat<Options>(
  it: DeclareTest,
  subject: ActionFormatSubject<Options>,
  settings: ActionFormatCheckSettings = {},
): void {
  declareKit(it, actionFormatChecks, settings, () => checkActionFormat(subject, settings));
}
