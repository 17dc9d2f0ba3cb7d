import type { ActionFormat, FormatModule } from '../contracts/format.js';
import { checkShape } from '../errors/check-shape.js';
import { createRandom } from '../random/create-random.js';
import { instanceShapes } from '../rollout/contribution-shapes.js';
import { Kit, type KitSettings, type SubjectOf } from './conformance-kit.js';
import { isWellFormed } from './environment-checks/play-episode.js';
import { purityChecks } from './purity-checks.js';
import { readerChecks, type ReaderContext, readerContext, type ReaderSettings } from './reader-checks.js';
import { shorten } from './shorten.js';
import { testHost } from './test-host.js';

export interface FormatCheckSettings extends KitSettings, ReaderSettings {
  /** Actions that rendering and parsing must not change. */
  readonly actions?: readonly string[];
}

interface Context extends ReaderContext {
  readonly format: ActionFormat;
  readonly actions: readonly string[];
}

const someActions = ['17', 'go north', 'get 2 oak planks', 'search[who wrote "Emma"?]', 'x = {"a": 1}', 'open <box>'];

const [longestReply, longestInstructions] = [2_000, 4_000];

/** Everything that a format reads in a text. */
const readAll = (format: ActionFormat, text: string) =>
  [format.parse(text), format.readCalls?.(text), format.callsFunction?.(text)] as const;

/** What is wrong with how a format reads a text. */
function complain(format: ActionFormat, text: string): string | undefined {
  const [parsed] = readAll(format, text);
  if ('action' in parsed && typeof parsed.action === 'string')
    return text.trim() !== '' && parsed.action.trim() === '' ? 'it is read as an empty action' : undefined;
  if (!('malformed' in parsed && typeof parsed.malformed === 'string' && typeof parsed.observation === 'string'))
    return `it is neither an action nor malformed: ${shorten(String(JSON.stringify(parsed)))}`;
  const { length } = parsed.observation;
  return length > longestReply ? `the reply has ${length} characters` : undefined;
}

/** The text of an action; none if the format refuses to write it. */
function renderUnlessRefused(format: ActionFormat, action: string): string[] {
  try {
    return [format.render(action)];
  } catch {
    return [];
  }
}

/** Checks an action format against its contract. */
export const formatKit = new Kit<SubjectOf<FormatModule<never>>, FormatCheckSettings, Context>({
  checks: [
    {
      id: 'round-trip',
      title: 'parse reads a rendered action as the same action',
      cure: 'parse(render(action)) must return the action; render must throw if the format cannot write it.',
      run: ({ format, actions }) =>
        actions.map((action) => {
          const parsed = format.parse(format.render(action));
          const same = 'action' in parsed && parsed.action === action;
          return same
            ? undefined
            : `${shorten(action)} is rendered and then read as ${shorten(JSON.stringify(parsed))}`;
        }),
    },
    ...readerChecks({
      title: 'any text is read as an action with content, or refused with a reason and a short reply; nothing throws',
      cure: 'Refuse unreadable text and empty brackets: {malformed: reason, observation: reply}. Name the expected format in one sentence, and do not quote the text.',
    }),
    {
      id: 'instructions',
      title: 'the instructions are well-formed text, shorter than a page',
      cure: 'Write a constant of a few sentences: they are part of every prompt.',
      run: ({ format: { instructions } }) => {
        if (!isWellFormed(instructions)) return 'the instructions have half a surrogate pair, which no file can store';
        return instructions.length > longestInstructions ? `they have ${instructions.length} characters` : undefined;
      },
    },
    ...purityChecks<Context>(({ format, reader }) => [
      format.instructions,
      ...reader.known.map((text) => readAll(format, text)),
    ]),
  ],
  prepare: (subject, settings) => {
    const made = subject.create(subject.options as never, testHost(settings.seed));
    const format = checkShape(made, instanceShapes.format, 'create()');
    const { actions = someActions, seed = 0 } = settings;
    const reader = {
      read: (text: string) => readAll(format, text),
      complain: (text: string) => complain(format, text),
      known: actions.flatMap((action) => renderUnlessRefused(format, action)),
      others: ['', ' ', '\n\t'].flatMap((action) => renderUnlessRefused(format, action)),
    };
    return { format, actions, ...readerContext(reader, createRandom(seed), settings) };
  },
});
